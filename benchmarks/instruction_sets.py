"""What vectors are worth, and whether all instruction sets, and the reference implementation, give the same answers.

    python benchmarks/instruction_sets.py

First: 20,000 of lines 501 to 997 of all labels of FLORES in random order, one thread, with each instruction set that
the machine has, in turn. First pass: nothing was seen before. Second pass: the same lines again.

Then: the kernel beside the reference implementation, `unilid.plain`, with a model of the first labels, many of which
are varieties of Arabic: half of the lines are theirs, half of other languages, which are to be rejected. The same lines
with some languages of the default model.
"""

import statistics
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from common import CONTEXTS, Report, Test, arguments, flores

import unilid
from unilid import _kernel, plain
from unilid._kernel import WEIGHT_STEPS
from unilid.decisions.answers import Prediction
from unilid.decisions.calibration import Rules
from unilid.decisions.rejection import DEFAULT_RATE
from unilid.model import Model
from unilid.models.context import ContextTable
from unilid.models.costs import STEP
from unilid.models.lexicon import LexiconTable
from unilid.models.scripts import uses
from unilid.models.unigram import UnigramTable
from unilid.plain.context import Gram

LINES = 20_000
FEW = 12  # labels, for the reference implementation
SEVERAL = ("eng", "deu", "fra", "spa", "nld", "rus", "ukr", "srp-Cyrl", "arb", "pes", "hin", "cmn", "jpn", "ell")
"""Languages of the default model beside the reference: several scripts, and a lexicon."""


def main() -> None:
    options = arguments(__doc__, runs=5)
    report = Report("instruction_sets", "Instruction sets", options.quick)
    train, held = flores(options.data, options.quick)
    lines = 200 if options.quick else LINES
    beside_each_other(report, train, Test.of(held).texts[:lines], 1 if options.quick else options.runs)
    few = list(train)[: 3 if options.quick else FEW]
    own, others = (
        Test.of({label: texts for label, texts in held.items() if (label in few) is theirs}).texts[: lines // 2]
        for theirs in (True, False)
    )
    beside_the_reference(report, {label: train[label] for label in few}, own + others)
    report.write()


# ---- instruction sets


def beside_each_other(report: Report, train: Mapping[str, list[bytes]], texts: list[bytes], runs: int) -> None:
    """Time all instruction sets, and compare their predictions."""
    names = _kernel.instruction_sets()
    passes = ("first", "second")
    report.say(f"{len(train)} labels, {len(texts)} lines. CPU time of one thread, medians of {runs} runs in turn.\n")
    columns = [cell for which in passes for cell in (f"{which} pass, µs a line", f"{names[-1]}'s time / this")]
    report.header("model", "instructions", *columns)
    identical = {}
    for title, context in CONTEXTS.items():
        model = unilid.train(train, context=context, tune=False, threads=1)
        times: dict[tuple[str, str], list[float]] = {}
        found: dict[str, list[Prediction]] = {}
        for _ in range(runs):
            for name in names:
                _kernel.use_instruction_set(name)
                fresh = replace(model)
                fresh.identify("warm", threads=1)
                for which in passes:
                    start = time.process_time()
                    found[name] = fresh.identify(texts, threads=1)
                    times.setdefault((name, which), []).append(time.process_time() - start)
        _kernel.use_instruction_set(names[0])
        median = {key: statistics.median(seconds) for key, seconds in times.items()}
        for name in names:
            cells = [
                cell
                for which in passes
                for cell in (
                    f"{1e6 * median[name, which] / len(texts):.1f}",
                    f"{median[names[-1], which] / median[name, which]:.2f}",
                )
            ]
            report.row(title, name, *cells)
        identical[title] = sum(len({found[name][i] for name in names}) == 1 for i in range(len(texts)))
    said = ", ".join(f"{title} {count} of {len(texts)}" for title, count in identical.items())
    report.say(f"\nLines with the same label, probability and score, to the last bit, with all of them: {said}.")


# ---- the reference implementation


class Reference:
    """A model in plain Python. Vectors are remembered by word, as the kernel does."""

    def __init__(self, model: Model, *, calibrated: bool) -> None:
        unigram, table = model.parameters.unigram, model.parameters.context
        assert table is not None
        self.model = model
        self.calibration = model.decisions.calibration if calibrated else None
        self.log_prior = model._answerer.log_prior(None, "model").tolist()
        vocabulary = {token: i for i, token in enumerate(model.vocabulary.tokens)}
        unseen = unigram.unseen if self.calibration is None else self.calibration.unseen
        by_tokens = costs_by_language(unigram)
        by_characters = grams_by_language(table)
        gains = gains_of(model.parameters.lexicon)
        self.scripts: list[set[int]] = [set() for _ in model.languages] if model.parameters.scripts else []
        for row, script in uses(model.parameters.scripts):
            self.scripts[row].add(script)
        weight, bound = model.settings.weight_steps, model.settings.bound_steps

        @cache
        def costs_of(text: bytes, cut_left: bool, cut_right: bool) -> list[int]:
            tokens = [
                plain.viterbi(text, vocabulary, costs, int(most)) if weight else 0
                for costs, most in zip(by_tokens, unseen, strict=True)
            ]
            characters = [
                plain.context_cost(
                    text,
                    costs,
                    backoffs,
                    order=table.order,
                    base=table.base,
                    cut_left=cut_left,
                    cut_right=cut_right,
                )
                for costs, backoffs in by_characters
            ]
            return plain.weighted([(tokens, weight), (characters, WEIGHT_STEPS - weight)])

        def vector(word: plain.Word) -> list[int]:
            costs = costs_of(word.text, word.cut_left, word.cut_right)
            if gains is not None:
                costs = plain.with_gains(costs, gains.get(plain.word_key(word), {}))
            return plain.word_vector(word, costs, bound, self.scripts)

        self.vector = vector

    def costs(self, words: list[plain.Word]) -> list[int]:
        """Return the sum over words."""
        sums = [0] * len(self.model.languages)
        for word in words:
            sums = [a + b for a, b in zip(sums, self.vector(word), strict=True)]
        return sums

    def identify(self, text: bytes) -> Prediction:
        """Answer as `Model.identify` does."""
        decisions = self.model.decisions
        counted = plain.counted(text, signs=self.model.settings.signs)
        spoken = [word for word in counted if plain.is_linguistic(word)]
        reason = plain.reason_of(text)
        if reason is not None:
            return Prediction("zxx", 1.0, 0.0, reason)
        costs, letters = self.costs(counted), sum(word.letters for word in spoken)
        excluded = plain.excluded(spoken, self.scripts) or [False] * len(costs)
        keys = [
            prior - STEP * (cost + (2.0**40 if without else 0))
            for prior, cost, without in zip(self.log_prior, costs, excluded, strict=True)
        ]
        temperature = decisions.temperature
        exponent = plain.temperature(letters, temperature.scale, temperature.length, temperature.decay)
        probabilities = plain.posterior(keys, exponent)
        best = plain.ranked(keys)[0]
        if self.calibration is not None:
            rules = self.calibration.rules
            best = plain.reranked(
                keys,
                self.calibration.thresholds.tolist(),
                self.calibration.replaces.tolist(),
                distance=rules.distance,
                ranks=rules.ranks,
            )
        label, probability, score = self.model.languages[best], probabilities[best], -STEP * costs[best]
        if excluded[best]:
            return Prediction("und", 0.0, 0.0, "script")
        if (rejection := decisions.rejection) is not None:
            limit, least = rejection.at(DEFAULT_RATE)
            usual, spread = float(rejection.usual[best]), float(rejection.spread[best])
            cost = STEP * self.costs(spoken)[best]
            if plain.unlike(cost, letters, usual, spread, rejection.shared, rejection.sampling, limit):
                return Prediction("und", probability, score, "unlike", label)
            if max(probabilities) < least:
                return Prediction("und", probability, score, "unsure", label)
        return Prediction(label, probability, score)


def gains_of(table: LexiconTable | None) -> dict[int, dict[int, int]] | None:
    """Return the gains of words under languages, by the keys of words."""
    if table is None:
        return None
    found: dict[int, dict[int, int]] = {}
    ends = table.first_entry.tolist()
    for place, key in enumerate(table.keys.tolist()):
        own = table.entries[ends[place] : ends[place + 1]]
        found[key] = dict(zip(own["language"].tolist(), own["cost"].tolist(), strict=True))
    return found


def costs_by_language(table: UnigramTable) -> list[dict[int, int]]:
    """Return the costs of tokens, for each language."""
    found: list[dict[int, int]] = [{} for _ in table.unseen]
    for token in range(len(table.offsets) - 1):
        here = slice(table.offsets[token], table.offsets[token + 1])
        for language, cost in zip(table.languages[here].tolist(), table.costs[here].tolist(), strict=True):
            found[language][token] = cost
    return found


def grams_by_language(table: ContextTable) -> list[tuple[dict[Gram, int], dict[Gram, int]]]:
    """Return the costs of n-grams and the weights of contexts, for each language."""
    found: list[tuple[dict[Gram, int], dict[Gram, int]]] = [
        ({}, {(): backoff}) for backoff in table.root_backoff.tolist()
    ]
    code_points = table.code_points.tolist()
    grams: list[Gram] = [()]
    for level in table.levels:
        grams = [
            (*grams[parent], code_points[last])
            for parent, last in zip(level.parents.tolist(), level.characters.tolist(), strict=True)
        ]
        first, languages, costs = level.first_entry.tolist(), level.languages.tolist(), level.costs.tolist()
        backoffs = None if level.backoffs is None else level.backoffs.tolist()
        for node, gram in enumerate(grams):
            for entry in range(first[node], first[node + 1]):
                of_gram, of_context = found[languages[entry]]
                of_gram[gram] = costs[entry]
                if backoffs is not None:
                    of_context[gram] = backoffs[entry]
    return found


def beside_the_reference(report: Report, train: Mapping[str, list[bytes]], texts: list[bytes]) -> None:
    """Compare both, with every decision that there is; the constants let calibration act often."""
    own = unilid.load().subset(SEVERAL)
    often = Rules(percentiles=dict.fromkeys(train, 30.0), replacement=0, min_margins=1)
    model = unilid.train(train, context="characters", lexicon=1000, threads=1)
    model = unilid.calibrate(model, train, rules=often, threads=1)
    known, others = ", ".join(train), ", ".join(own.languages)
    report.say(
        f"\n## Beside the reference implementation\n\n{len(train)} labels: {known}. Of the default model: {others}.\n"
    )
    report.header(
        "decisions",
        "lines",
        "`und`, `zxx`",
        "other answer than the reference",
        "largest difference of scores",
        "of probabilities",
    )
    rows = (
        ("posterior, rejection", model, False),
        ("calibrated UniLID, posterior, rejection", model, True),
        ("the default model", own, False),
    )
    for title, each, calibrated in rows:
        reference = Reference(each, calibrated=calibrated)
        answers = each.identify(texts, calibrated=calibrated, budget=None)
        expected = [reference.identify(text) for text in texts]
        pairs = list(zip(answers, expected, strict=True))
        report.row(
            title,
            len(texts),
            sum(answer.label in ("und", "zxx") for answer in answers),
            sum((a.label, a.reason, a.guess) != (b.label, b.reason, b.guess) for a, b in pairs),
            f"{max(abs(a.score - b.score) for a, b in pairs):g}",
            f"{max(abs(a.probability - b.probability) for a, b in pairs):.1e}",
        )
    named = [[p.guess or p.label for p in model.identify(texts, calibrated=wanted)] for wanted in (False, True)]
    report.say(f"\nCalibration names another language in {sum(a != b for a, b in zip(*named, strict=True))} lines.")


if __name__ == "__main__":
    main()
