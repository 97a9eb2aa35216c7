"""Size against accuracy of the context model: order and pruning, on FLORES.

    python benchmarks/context_size.py

Lines 1 to 400 of each label train, lines 401 to 500 measure: these are the validation lines on which the defaults were
chosen, so this table is no claim about accuracy.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from common import Report, arguments, count_words, measure, validation

import unilid
from unilid.models.context import MAX_COST
from unilid.models.costs import STEP
from unilid.training.plan import BOUND, UNIGRAM_WEIGHT


def main() -> None:
    options = arguments(__doc__)
    train, test = validation(options.data, options.quick)
    report = Report("context_size", "The context model: size against accuracy", options.quick)
    report.say("FLORES, 204 labels: lines 1 to 400 train, lines 401 to 500 (validation) measure.\n")
    base = unilid.train(train, context=None)
    report.say(f"Without context: {measure(base, test).accuracy:.4f}, {len(base.to_bytes()) / 1e6:.1f} MB.\n")
    words = count_words(train)
    report.header("order", "prune", "entries", "file, MB", "accuracy")
    for order in (2, 3, 4, 5):
        for prune in (0.0, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08):
            if order == 2 and prune:
                continue  # bigrams are never pruned
            settings = replace(base.settings, order=order, prune=prune, unigram_weight=UNIGRAM_WEIGHT, bound=BOUND)
            context = settings.estimate_context(words, threads=2)
            model = replace(base, parameters=replace(base.parameters, context=context, settings=settings))
            entries = sum(len(level.costs) for level in context.levels)
            report.row(
                order, prune, f"{entries:,}", f"{len(model.to_bytes()) / 1e6:.1f}", measure(model, test).accuracy
            )
    report.say("\nBits: the costs and back-offs of order 4 with the default pruning, rounded to coarser steps.\n")
    report.header("step, nats", "bits a value", "accuracy")
    settings = replace(base.settings, order=4, unigram_weight=UNIGRAM_WEIGHT, bound=BOUND)
    context = settings.estimate_context(words, threads=2)
    for bits in (8, 7, 6, 5, 4):
        coarse = 1 << (8 - bits)
        levels = [replace(level, entries=coarser(level.entries, coarse)) for level in context.levels]
        coarse_table = replace(context, levels=tuple(levels))
        model = replace(base, parameters=replace(base.parameters, context=coarse_table, settings=settings))
        report.row(f"{STEP * coarse:g}", bits, measure(model, test).accuracy)
    report.write()


def coarser(entries: npt.NDArray[np.void], step: int) -> npt.NDArray[np.void]:
    """Round costs and back-offs to multiples of a step; 255 is not a cost."""
    entries = entries.copy()
    _, *values = entries.dtype.names or ()
    for name in values:
        entries[name] = np.minimum(np.rint(entries[name] / step) * step, MAX_COST)
    return entries


if __name__ == "__main__":
    main()
