// Decisions for a language that is added, fitted on its own texts alone.

import { logPrior } from './decisions.js';
import { Float } from './json.js';
import { STEP, median, quantise, sum } from './numbers.js';
import { appendParameters, unpackParameters } from './parameters.js';
import { Scorers } from './scorers.js';
import { CheckedFile, decode, encode } from './store.js';

/** What scores texts with the parameters of a file, in a kernel of its own. */
function scorersOf(kernel, { arrays, metadata }) {
  const other = kernel.another();
  const decoded = decode(other, encode(kernel, arrays, metadata));
  return new Scorers(other, unpackParameters(new CheckedFile(other, decoded.arrays), decoded.metadata));
}

/** The bytes of a file for a model with a language more. */
export function withLanguage(answerer, metadata, label, texts) {
  const { kernel, scorers } = answerer;
  const extended = appendParameters(scorers, label, texts);
  const decisions = extend(answerer, metadata.get('decisions'), extended, label, texts);
  for (const [name, array] of decisions.arrays) extended.arrays.set(name, array);
  extended.metadata.set('decisions', decisions.stored);
  extended.metadata.set('info', metadata.get('info') ?? new Map());
  return encode(kernel, extended.arrays, extended.metadata);
}

function extend(answerer, stored, extended, label, texts) {
  const { decisions, parameters } = answerer;
  const { rejection, prior, handicaps, calibration } = decisions;
  const own = new Map([['temperature', stored.get('temperature')]]);
  const arrays = new Map();
  if (rejection) {
    own.set('rejection', stored.get('rejection'));
    const { usual, spread } = usualOf(rejection, holdOut(answerer.scorers, label, texts));
    arrays.set('rejection.usual', Float64Array.of(...rejection.usual.view(), usual));
    arrays.set('rejection.spread', Float64Array.of(...rejection.spread.view(), spread));
    arrays.set('rejection.limits', rejection.limits.view().slice());
    arrays.set('rejection.least', rejection.least.view().slice());
  }
  if (calibration) {
    const { rules, thresholds, replaces, unseen } = extendCalibration(answerer, extended, label, texts);
    own.set('calibration', rules(stored.get('calibration')));
    arrays.set('calibration.thresholds', thresholds);
    arrays.set('calibration.replaces', replaces);
    arrays.set('calibration.unseen', unseen);
  }
  if (prior) {
    // As much as the average language; the others keep their proportions.
    const shares = Float64Array.of(...prior.view(), 1 / (parameters.languages.length + 1));
    const total = sum(shares);
    arrays.set(
      'prior',
      shares.map((share) => share / total),
    );
  }
  if (handicaps) arrays.set('handicaps', withMean(handicaps.view()));
  return { arrays, stored: own };
}

/** Handicaps, and behind them the average for a language that is added. */
function withMean(handicaps) {
  return Float64Array.of(...handicaps, sum(handicaps) / handicaps.length);
}

/** How many lines to hold out: a fifth of a small corpus, a tenth of a larger one. */
function linesToHoldOut(lines, distinct) {
  return Math.min(Math.floor(distinct / 5), Math.max(Math.floor(lines / 10), Math.min(Math.floor(lines / 5), 20)));
}

/** Scores the last lines of a language with what can be learned from the others: letters and cost of each. */
function holdOut(scorers, label, texts) {
  const { kernel } = scorers;
  const distinct = [...new Set(texts)];
  const last = distinct.slice(distinct.length - linesToHoldOut(texts.length, distinct.length));
  const copies = new Set(last); // none of which is learned from
  const kept = texts.filter((text) => !copies.has(text));
  const isUsable = (text) =>
    kernel.scope(() => {
      const [place, ends] = kernel.lendTexts([text]);
      return kernel.call('has_words', place, kernel.view(Uint32Array, ends, 1)[0]);
    });
  if (!last.length || !kept.some(isUsable)) return [];
  const partial = scorersOf(kernel, appendParameters(scorers, label, kept));
  const { kernel: other, parameters } = partial;
  const count = parameters.languages.length;
  // One at a time, so that the costs under all languages stay small.
  const held = last.map((text) =>
    other.scope(() => {
      const lent = other.lendTexts([text]);
      const [all, linguistic, letters] = [count, count, 1].map((length) => other.borrow(Float64Array, length));
      other.call('costs', partial.scorer, ...lent, all, linguistic, letters);
      return {
        letters: other.view(Float64Array, letters, 1)[0],
        cost: STEP * other.view(Float64Array, linguistic, count)[count - 1],
      };
    }),
  );
  return held.filter(({ letters, cost }) => letters > 0 && cost > 0);
}

/** The usual cost of a letter of a language, and how much its lines scatter; few look like those of all languages. */
function usualOf({ shared, sampling }, held) {
  const usual = held.length ? median(held.map(({ cost, letters }) => cost / letters)) : 0;
  let squares = 0;
  for (const { cost, letters } of held) {
    const expected = letters * usual;
    const deviation = cost / expected - 1;
    squares += Math.min((deviation * deviation) / (shared + sampling / expected), 9);
  }
  const spread = (squares + 10) / (held.length + 10);
  return { usual, spread: spread * (1 + 1.6 / Math.max(held.length, 1)) };
}

/** The threshold of the new language, from the margins of its own lines that it wins; the paper's rule. */
function extendCalibration(answerer, extended, label, texts) {
  const { kernel, decisions } = answerer;
  const { calibration } = decisions;
  const { rules } = calibration;
  const after = scorersOf(kernel, extended);
  const count = after.parameters.languages.length,
    lines = texts.length;
  const percentile = lines < rules.low_resource ? rules.percentile * (1 - lines / rules.low_resource) : null;
  const [constant] = quantise([rules.unseen], 255);
  const own = Math.max(after.parameters.unigram.unseen.view()[count - 1], constant);
  const unseen = Uint8Array.of(...calibration.unseen.view(), own);
  let threshold = 0;
  if (percentile !== null) {
    const handicaps = decisions.handicaps && withMean(decisions.handicaps.view());
    const margins = ownMargins(after.withUnseen(unseen), texts, handicaps);
    if (margins.length >= rules.min_margins) threshold = percentileOf(margins, percentile);
  }
  return {
    thresholds: Float64Array.of(...calibration.thresholds.view(), threshold),
    replaces: Uint8Array.of(...calibration.replaces.view(), lines >= rules.replacement ? 1 : 0),
    unseen,
    rules: (stored) => {
      const percentiles = stored.get('percentiles');
      if (!(percentiles instanceof Map) || percentile === null) return stored;
      return new Map([...stored, ['percentiles', new Map([...percentiles, [label, new Float(percentile)]])]]);
    },
  };
}

/** The margins of texts that the last language wins, where all are equally frequent. */
function ownMargins(scorers, texts, handicaps) {
  const { kernel, parameters } = scorers;
  const count = parameters.languages.length;
  const logs = logPrior(kernel, new Float64Array(count).fill(1));
  return kernel.scope(() => {
    const lent = kernel.lendTexts(texts),
      size = texts.length * 2;
    const decision = kernel.call('make_decision', count, kernel.lend(logs), STEP, 1, 1, 0);
    let roots = new Float64Array(texts.length);
    if (handicaps) {
      kernel.call('set_handicaps', decision, kernel.lend(handicaps));
      const [all, linguistic, letters] = [count, count, 1].map((n) => kernel.borrow(Float64Array, n * texts.length));
      kernel.call('costs', scorers.scorer, ...lent, all, linguistic, letters);
      roots = kernel.view(Float64Array, letters, texts.length).map(Math.sqrt);
    }
    const places = [Int32Array, Float64Array, Float64Array, Uint8Array].map((Type) => kernel.borrow(Type, size));
    kernel.call('decide', scorers.scorer, decision, ...lent, 2, -1, ...places);
    const rows = kernel.view(Int32Array, places[0], size),
      scores = kernel.view(Float64Array, places[1], size);
    const key = (i) => scores[i] + logs[rows[i]] - (handicaps?.[rows[i]] ?? 0) * roots[i >> 1];
    const margins = [];
    for (let i = 0; i < size; i += 2) {
      if (rows[i] === count - 1 && rows[i + 1] >= 0) margins.push(key(i) - key(i + 1));
    }
    return margins;
  });
}

/** A percentile between the two nearest values, as numpy computes it. */
function percentileOf(values, percentile) {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * (percentile / 100);
  const before = Math.floor(place),
    rest = place - before;
  const [a, b] = [sorted[before], sorted[Math.min(before + 1, sorted.length - 1)]];
  return rest >= 0.5 ? b - (b - a) * (1 - rest) : a + (b - a) * rest;
}
