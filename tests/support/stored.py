"""Stored models, taken apart and put together again, damaged or not."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import unilid
from support.models import decoded, small_model
from support.node import error_of, has_node
from unilid.model import Model
from unilid.store import modelfile

Change = Callable[[modelfile.Arrays, dict[str, Any]], object]


def content_of(model: Model) -> tuple[modelfile.Arrays, dict[str, Any]]:
    """The arrays and the metadata that `encode` was given."""
    arrays, metadata = decoded(model.to_bytes())
    names = ("languages", "settings", "scripts", "decisions", "info")
    return dict(arrays), {key: metadata[key] for key in names if key in metadata}


def header_of(content: bytes) -> tuple[dict[str, Any], bytes]:
    size = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def with_header(header: bytes, body: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header + body


def refused(content: bytes, path: Path) -> str:
    """What `load` says of a file with this content, without the name of the file, which must be part of it.

    The JavaScript package must refuse it, too, where there is Node to ask it.
    """
    path.write_bytes(content)
    if has_node():
        name, message = error_of(path)
        assert name == "ModelFileError", message
    with pytest.raises(unilid.ModelFileError, match=re.escape(str(path))) as caught:
        unilid.load(path)
    return str(caught.value).replace(str(path), "")


def hostile(change: Change, model: Model | None = None) -> bytes:
    """The content of a model, by default the small one, with a change and the right checksum."""
    arrays, metadata = copy.deepcopy(content_of(model or small_model()))
    change(arrays, metadata)
    return modelfile.encode(arrays, metadata)
