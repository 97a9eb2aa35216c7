"""What the context model brings: natural imbalance, out of domain, noise, dialects, size; beside fastText.

    python benchmarks/context.py [--part tatoeba|domains|noise|dialects]

Constants are chosen on held-out training lines by `unilid.train` itself.
"""

import random
from collections.abc import Sequence

from common import FastText, Metrics, Report, Test, arguments, first, flores, labelled, measure, predict

import unilid
from unilid.corpus import read
from unilid.model import Model

SCRIPTS = [(0x21, 0x7F), (0xC0, 0x250), (0x370, 0x400), (0x400, 0x500), (0x5D0, 0x5EB), (0x620, 0x64B), (0x904, 0x93A),
           (0xE01, 0xE2F), (0x10D0, 0x10F0), (0x3041, 0x3097), (0x4E00, 0x9FA0), (0xAC00, 0xD7A4)]  # fmt: skip


def noisy(text: bytes, rate: float, generator: random.Random) -> bytes:
    """Replace a share of the characters that are not spaces by random ones of any script."""
    written = [
        chr(generator.randrange(*generator.choice(SCRIPTS))) if not c.isspace() and generator.random() < rate else c
        for c in text.decode()
    ]
    return "".join(written).encode()


def describe(model: Model) -> str:
    """Say what a model chose, in a few words."""
    s = model.settings
    chosen = f"unseen {s.unseen_log_p:.1f}"
    if s.order is not None:
        chosen += f", order {s.order}, unigram {s.unigram_weight}/16, bound {s.bound}"
    return f"{len(model.vocabulary)} tokens, {chosen}, {len(model.to_bytes()) / 1e6:.1f} MB"


def tatoeba(report: Report, options) -> None:
    train, held = (labelled(options.data / f"tatoeba/{part}.tsv.xz") for part in ("train", "test"))
    if options.quick:
        train, held = ({k: v[:100] for k, v in list(c.items())[::12]} for c in (train, held))
    test = Test.of(held)
    report.header("system", "accuracy", "macro F1", "macro FPR", "chosen")
    for name, context in (("UniLID", None), ("with context", "auto")):
        model = unilid.train(train, context=context)
        found = measure(model, test, prior="training")
        report.row(name, found.accuracy, found.macro_f1, f"{found.macro_fpr:.2e}", describe(model))
    found = FastText(train, epoch=10).measure(test)
    report.row("fastText, dim 16, 10 epochs", found.accuracy, found.macro_f1, f"{found.macro_fpr:.2e}", "")


def domains(report: Report, options) -> None:
    train, _ = flores(options.data, options.quick)
    udhr = {k: v for k, v in labelled(options.data / "udhr/test.tsv.xz").items() if k in train and len(v) >= 20}
    report.say(
        f"\n## Out of domain, accuracy\n\nFLORES, 500 lines a label, to UDHR ({len(udhr)} labels of 20 lines or "
        "more); Tatoeba, labels of 100 lines or more, at most 4,000 each, to FLORES dev.\n"
    )
    report.header("training text", "measured on", "UniLID", "with context", "fastText")
    compare(report, "FLORES-500", "UDHR", train, Test.of(udhr))
    short = {k: v for k, v in labelled(options.data / "tatoeba/train.tsv.xz").items() if len(v) >= 100}
    short = first(short, 200 if options.quick else 4000)
    whole = labelled(options.data / "flores200/dev.tsv.xz")
    test = Test.of({k: v[: 10 if options.quick else None] for k, v in whole.items() if k in short})
    compare(report, f"Tatoeba, {len(short)} labels", f"FLORES, {len(set(test.gold))} labels", short, test)


def compare(report: Report, source: str, target: str, train: dict[str, list[bytes]], test: Test) -> None:
    models = [unilid.train(train, context=context) for context in (None, "auto")]
    found = [measure(model, test).accuracy for model in models]
    report.row(source, target, *found, FastText(train, epoch=25 if len(train) < 250 else 10).measure(test).accuracy)


def noise(report: Report, options) -> None:
    train, held = flores(options.data, options.quick)
    report.header("replaced", "UniLID", "with context", "fastText")
    models = [unilid.train(train, context=context) for context in (None, "auto")]
    fasttext = FastText(train)
    for rate in (0.0, 0.1, 0.25, 0.5):
        generator = random.Random(7)
        test = Test.of(held).changed(lambda text, rate=rate, g=generator: noisy(text, rate, g))
        test = Test(test.texts[::5], test.gold[::5])
        report.row(f"{rate:.0%}", *(m.accuracy for m in (*(measure(x, test) for x in models), fasttext.measure(test))))


def dialects(report: Report, options) -> None:
    report.header("task", "UniLID", "with context", "chosen on held-out lines", "fastText")
    folder = options.data / "dialects"
    tasks = [("DSL-ML English", "dsl_ml_2024", "EN"), ("DSL-ML Spanish", "dsl_ml_2024", "ES"),
             ("DSL-ML Portuguese", "dsl_ml_2024", "PT"), ("GDI Swiss German", "gdi_2019", ""),
             ("ADI Arabic", "adi_mgb3", "")]  # fmt: skip
    for name, file, prefix in tasks:
        train: dict[str, list[bytes]] = {}
        for batch in read(folder / f"{file}.train.tsv.xz", format="tsv"):  # in the order of the file
            for labels, text in zip(batch.labels, batch.texts, strict=True):
                for label in labels.split(",") if labels.startswith(prefix) else ():  # both hold: both learn
                    train.setdefault(label, []).append(text)
        train = first(train, 100 if options.quick else 10**6)
        test = Test.of({k: v for k, v in labelled(folder / f"{file}.dev.tsv.xz").items() if k.startswith(prefix)})
        models = {context: unilid.train(train, context=context) for context in (None, "characters", "auto")}
        scores = {c: dialect_f1(test.gold, predict(model, test.texts)) for c, model in models.items()}
        chosen = "with context" if models["auto"].settings.order else "without"
        fasttext = max(dialect_f1(test.gold, FastText(train, epoch=n).predict(test.texts)) for n in (10, 25, 50))
        report.row(name, scores[None], scores["characters"], f"{scores['auto']:.4f} ({chosen})", fasttext)


def dialect_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return macro F1; a line with two labels counts as whichever of them was predicted, else as the first."""
    truth = [said if said in labels.split(",") else labels.split(",")[0]
             for labels, said in zip(gold, predicted, strict=True)]  # fmt: skip
    return Metrics.of(truth, predicted).macro_f1


PARTS = {
    "tatoeba": (
        tatoeba,
        "Context on natural imbalance: Tatoeba train to test, 283 labels, prior of the training lines",
    ),
    "domains": (domains, "Context out of domain"),
    "noise": (noise, "Context and noise: FLORES-500, characters replaced by random ones of any script, accuracy"),
    "dialects": (dialects, "Context and dialects: macro F1 on the development lines"),
}


def main() -> None:
    options = arguments(__doc__, part="")
    for name, (part, title) in PARTS.items():
        if options.part in ("", name):
            report = Report(f"context_{name}", title, options.quick, command=f"context.py --part {name}")
            part(report, options)
            report.write()


if __name__ == "__main__":
    main()
