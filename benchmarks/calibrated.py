"""Calibrated UniLID on natural imbalance: every part on its own and together, beside fastText.

    python benchmarks/calibrated.py

Tatoeba `train` to `test`. What has to be chosen (which languages are re-ranked, and at which percentile of their
margins) is chosen with models of nine tenths of the training lines on the remaining tenth, and then applied to models
of all training lines. The same models are measured on FLORES `dev` and UDHR, where all languages are equally frequent.
"""

from dataclasses import replace

from common import CONTEXTS, PAPER, FastText, Figures, Report, Test, arguments, evaluated, labelled, predict

import unilid
from unilid.decisions.calibration import Rules
from unilid.decisions.prior import Prior
from unilid.evaluation.metrics import Tally, compare
from unilid.model import Model


def main() -> None:
    options = arguments(__doc__)
    report = Report(
        "calibrated", "Calibrated UniLID: Tatoeba train to test, 283 labels of 30 to 32,000 lines", options.quick
    )
    train, held = (labelled(options.data / f"tatoeba/{part}.tsv.xz") for part in ("train", "test"))
    if options.quick:
        train, held = ({k: v[:200] for k, v in list(c.items())[::12]} for c in (train, held))
    test = Test.of(held)
    balanced = {}
    for name, path in (("FLORES", "flores200/dev.tsv.xz"), ("UDHR", "udhr/test.tsv.xz")):
        balanced[name] = Test.of({k: lines for k, lines in labelled(options.data / path).items() if k in train})
    if options.quick:
        balanced = {name: Test(test.texts[::50], test.gold[::50]) for name, test in balanced.items()}
    tenth = {label: lines[5::10] for label, lines in train.items()}
    rest = {label: [line for i, line in enumerate(lines) if i % 10 != 5] for label, lines in train.items()}

    report.header("system", "accuracy", "macro F1", "macro FPR", "re-ranked", "reassigned")
    paper = unilid.train(train, **PAPER)
    rules = Rules.scaled(paper.lines)
    never = replace(rules, min_margins=10**9)
    show(report, "the paper's base (+ 0.1)", paper, test, None)
    show(report, "unseen lowered to -17", unilid.calibrate(paper, train, rules=never), test, None)
    show(report, "calibrated UniLID, constants scaled", unilid.calibrate(paper, train, rules=rules), test, None)
    seen = unilid.train(train, context=None, bound=None, fragments=None)
    show(report, "seen tokens kept, one shared constant", seen, test, None)
    show(report, "and the prior of the training lines", seen, test, "training")
    show(
        report,
        "and re-ranking, constants scaled",
        unilid.calibrate(seen, train, prior="training"),
        test,
        "training",
    )
    cost: list[tuple[str, str, Prior, Model, Test]] = []
    priors: tuple[Prior, ...] = (None, "training")
    systems: dict[str, tuple[list[str], Model]] = {}
    for name, context in CONTEXTS.items():
        model = unilid.train(train, context=context)
        show(report, f"{name}, bounded, fragments", model, test, None)
        scaled = replace(Rules.scaled(model.lines), unseen=0.0, replacement=Rules.scaled(model.lines).low_resource)
        again = unilid.calibrate(model, train, rules=scaled)
        show(report, f"{name}, and re-ranking alone, constants scaled", again, test, None)
        show(report, f"{name}, and the prior instead", model, test, "training")
        part = unilid.train(rest, context=context)
        chosen = unilid.calibrate(part, rest, validation=tenth, prior="training").decisions.calibration
        assert chosen is not None
        whole = unilid.calibrate(model, train, rules=chosen.rules, prior="training")
        show(report, f"**{name}, prior and re-ranking: the whole**", whole, test, "training")
        for title, calibrated in (("prior", False), ("whole", True)):
            systems[f"{name}, {title}"] = (predict(whole, test.texts, prior="training", calibrated=calibrated), whole)
        cost += [(name, where, prior, whole, other) for where, other in balanced.items() for prior in priors]
    for epoch in (5, 10, 15):
        said = FastText(train, epoch=epoch).predict(test.texts)
        found = evaluated(test.gold, said)
        systems[f"fastText, {epoch} epochs"] = (said, paper)
        report.row(
            f"fastText, dim 16, {epoch} epochs", found.accuracy, found.macro.f1, f"{found.macro.fpr:.2e}", "", ""
        )

    tiers(report, systems, test)
    report.say("\n## What it costs where languages are equally frequent, accuracy\n")
    report.header("model", "measured on", "prior", "without re-ranking", "with")
    for name, where, prior, model, other in cost:
        answers = [predict(model, other.texts, prior=prior, calibrated=calibrated) for calibrated in (False, True)]
        report.row(name, where, prior or "uniform", *(evaluated(other.gold, said).accuracy for said in answers))
    report.write()


def tiers(report: Report, systems: dict[str, tuple[list[str], Model]], test: Test) -> None:
    """By resource tier in the paper's two views, and whether differences are beyond chance."""
    reports: dict[str, Figures] = {}
    for name, (said, model) in systems.items():
        tally = Tally()
        for truth, answer, text in zip(test.gold, said, test.texts, strict=True):
            tally.add(truth, answer, len(text))
        reports[name] = tally.report(dict(zip(model.languages, model.lines.tolist(), strict=True)))
    names = [stratum.name for stratum in next(iter(reports.values())).by_tier]
    report.say("\n## Mean F1 by training lines: global view / within the stratum\n")
    report.header("system", *names)
    for name, figures in reports.items():
        report.row(name, *(f"{s.f1_global:.3f} / {s.f1_within:.3f}" for s in figures.by_tier))
    report.say("\n## Against the best fastText: paired bootstrap over languages, 95 % of 10,000 resamplings\n")
    report.header("system", "macro F1 more by", "interval", "macro FPR more by", "interval")
    base = max((name for name in reports if "fastText" in name), key=lambda name: reports[name].macro.f1)
    for name in (name for name in reports if "fastText" not in name):
        f1, _, _, fpr = compare(reports[base], reports[name])
        report.row(
            name, f"{f1.difference:+.4f}", f"{f1.low:+.4f} to {f1.high:+.4f}",
            f"{fpr.difference:+.2e}", f"{fpr.low:+.2e} to {fpr.high:+.2e}",
        )  # fmt: skip


def show(report: Report, name: str, model: Model, test: Test, prior: Prior) -> None:
    said = predict(model, test.texts, prior=prior)  # re-ranked, if the model was calibrated
    found = evaluated(test.gold, said)
    reranked = changed = ""
    if model.decisions.calibration is not None:
        reranked = str(int((model.decisions.calibration.thresholds > 0).sum()))
        if model.settings.unseen == "shared":
            bare = predict(model, test.texts, prior=prior, calibrated=False)
            changed = str(sum(a != b for a, b in zip(bare, said, strict=True)))
    report.row(name, f"{found.accuracy:.5f}", f"{found.macro.f1:.5f}", f"{found.macro.fpr:.4e}", reranked, changed)


if __name__ == "__main__":
    main()
