"""Where the file of a model is: at a path, in a folder, or in a repository of the Hugging Face Hub.

A folder and a repository have the same files: `unilid.hub.export.export` makes such a folder.
"""

from __future__ import annotations

import re
from pathlib import Path

from unilid.errors import ModelFileError

SCHEME = "hf://"
"""What the name of a repository of the Hub begins with."""
WEIGHTS, CONFIG, CARD = "model.unilid", "config.json", "README.md"
"""The files of a repository."""

PART = r"[a-zA-Z0-9_-][a-zA-Z0-9_.-]*"
"""Either part of the name of a repository, ``user/name``, as a regular expression."""
_PLACE = re.compile(rf"{SCHEME}({PART}/{PART})(?:@(\S+))?")


def is_repository(place: str | Path) -> bool:
    """Whether a model is named by what holds its file: a folder, or a repository of the Hub."""
    if str(place).startswith(SCHEME):
        return True
    try:
        return Path(place).is_dir()
    except OSError:  # a name that no file can have
        return False


def model_file(place: str | Path) -> Path:
    """Return the file of a model; of one on the Hub, that in the cache, where it is fetched to if it is not there.

    >>> model_file("my.unilid").name
    'my.unilid'
    >>> model_file("hf://name")
    Traceback (most recent call last):
    unilid.errors.ModelFileError: hf://name: does not name a repository; write hf://user/name or hf://user/name@revision
    """
    if place == "":
        raise ModelFileError("the name of the model is empty; without one, it is the model in the package")
    if str(place).startswith(SCHEME):
        return _fetched(str(place))
    path = Path(place)
    if not is_repository(place):
        return path
    if not (path / WEIGHTS).is_file():
        raise ModelFileError(f"{path}: there is no model in this folder: it has no file {WEIGHTS}")
    return path / WEIGHTS


def _fetched(place: str) -> Path:
    name = _PLACE.fullmatch(place)
    if name is None:
        raise ModelFileError(
            f"{place}: does not name a repository; write {SCHEME}user/name or {SCHEME}user/name@revision"
        )
    try:
        from huggingface_hub import hf_hub_download  # an extra, and slow to import
    except ImportError:
        raise ModelFileError(
            f"{place}: huggingface_hub is missing, which fetches it: pip install 'unilid[hub]'"
        ) from None
    repository, revision = name.groups()
    is_commit = revision is not None and re.fullmatch("[0-9a-f]{40}", revision)  # which never changes
    try:
        if is_commit and (cached := _cached(repository, revision)):
            return cached
        is_reached = _is_reached(repository, revision)
        file = hf_hub_download(
            repository, WEIGHTS, revision=revision, library_name="unilid", local_files_only=not is_reached
        )
    except Exception as error:  # whatever the library raises, and what it is built on
        raise ModelFileError(f"{place}: {_problem(error, revision)}") from error
    return Path(file)


def _cached(repository: str, revision: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    file = try_to_load_from_cache(repository, WEIGHTS, revision=revision)
    return Path(file) if isinstance(file, str) else None


def _is_reached(repository: str, revision: str | None) -> bool:
    """Say whether the Hub answers; if not, huggingface_hub would ask again for half a minute, and talk of it."""
    from huggingface_hub import errors, get_hf_file_metadata, hf_hub_url

    try:
        get_hf_file_metadata(hf_hub_url(repository, WEIGHTS, revision=revision), library_name="unilid")
    except errors.HfHubHTTPError as error:
        return bool(error.response.status_code < 500)  # that there is no such file is an answer, too
    except Exception:  # noqa: BLE001  # of whatever carries HTTP
        return False
    return True


def _problem(error: Exception, revision: str | None) -> str:
    """Say in a sentence why nothing was fetched."""
    from huggingface_hub import constants, errors

    match error:
        case errors.GatedRepoError():
            return "its owner grants access: ask for it on its page, then log in with `hf auth login`"
        case errors.RepositoryNotFoundError():
            return "there is no such repository on the Hub, or it is private: log in with `hf auth login`"
        case errors.RevisionNotFoundError():
            return f"the repository has no revision {revision!r}"
        case errors.LocalEntryNotFoundError() if constants.HF_HUB_OFFLINE:
            return "it was not fetched before, and HF_HUB_OFFLINE says that nothing may be fetched now"
        case errors.LocalEntryNotFoundError():
            return f"it was not fetched before, and the Hub cannot be reached ({constants.ENDPOINT})"
        case errors.EntryNotFoundError():
            return f"there is no model in this repository: it has no file {WEIGHTS}"
    return f"cannot be fetched: {str(error).strip().partition(chr(10))[0] or repr(error)}"
