// From scores to answers: temperature, re-ranking, rejection, prior and handicaps, as a model keeps them and as a call
// asks.

import { UnilidError } from './errors.js';
import { Float } from './json.js';
import { NO_LANGUAGE, UNDETERMINED } from './labels.js';
import { STEP, shown, sum, wholeNumber } from './numbers.js';
import { isNumber } from './store.js';

/** Shares of ordinary text that may be rejected, for which thresholds are stored. */
export const RATES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const DEFAULT_RATE = 0.002;
/** Bytes of a long text that are read at most, where a call does not say. */
const BUDGET = 65_536;
/** Nats, times the root of the letters; far more than any handicap that is fitted. */
const MAX_HANDICAP = 1e6;
/** By how much probabilities that add up to 1 may exceed it. */
const ROUNDING = 1e-9;

/** Takes the decisions out of a file. */
export function unpackDecisions(file, stored, languageCount) {
  const own = stored instanceof Map ? stored : new Map();
  const temperature = own.get('temperature'),
    rejected = own.get('rejection') ?? [];
  const numbers = Array.isArray(temperature) && Array.isArray(rejected) ? [...temperature, ...rejected] : [];
  const isWell = (number) => number instanceof Float && number.value > 0 && number.value < 1e9;
  if (numbers.length < 3 || temperature.length !== 3 || ![0, 2].includes(rejected.length) || !numbers.every(isWell)) {
    throw file.fail('its decisions have numbers that make no sense');
  }
  const [scale, length, decay, shared, sampling] = numbers.map(Number);
  const floats = (key, count) => file.take(key, Float64Array, { length: count });
  const rejection = own.has('rejection')
    ? {
        usual: floats('rejection.usual', languageCount),
        spread: floats('rejection.spread', languageCount),
        limits: floats('rejection.limits', RATES.length),
        least: floats('rejection.least', RATES.length),
        shared,
        sampling,
      }
    : null;
  const calibration = own.has('calibration')
    ? {
        rules: rulesOf(file, own.get('calibration')),
        thresholds: floats('calibration.thresholds', languageCount),
        replaces: file.take('calibration.replaces', Uint8Array, { length: languageCount, below: 2 }),
        unseen: file.take('calibration.unseen', Uint8Array, { length: languageCount }),
      }
    : null;
  const prior = file.arrays.has('prior') ? floats('prior', languageCount) : null;
  if (prior) {
    const total = sum(prior.view());
    if (!(total > 0.99 && total < 1.01)) throw file.fail(`its prior adds up to ${total}`);
  }
  const handicaps = file.arrays.has('handicaps') ? floats('handicaps', languageCount) : null;
  if (handicaps && !handicaps.view().every((nats) => nats >= 0 && nats < MAX_HANDICAP)) {
    throw file.fail('its handicaps are no numbers of nats');
  }
  return { temperature: { scale, length, decay }, rejection, calibration, prior, handicaps };
}

/** The constants of calibrated UniLID, of which deciding needs two; the others are for `addLanguage`. */
function rulesOf(file, stored) {
  const rules = {
    unseen: -17,
    low_resource: 18_000,
    replacement: 100_000,
    percentile: 5,
    distance: 21,
    ranks: 5,
    min_margins: 200,
    percentiles: null,
  };
  for (const name of Object.keys(rules)) {
    if (!(stored instanceof Map) || !stored.has(name)) continue;
    const value = stored.get(name);
    if (name === 'percentiles' ? value !== null && !(value instanceof Map) : !isNumber(value)) {
      throw file.fail(`its settings cannot be understood (${name})`);
    }
    rules[name] = isNumber(value) ? Number(value) : value;
  }
  if (!Number.isInteger(rules.ranks) || rules.ranks < 1 || rules.ranks > file.kernel.constants.MAX_LANGUAGES) {
    throw file.fail('its settings cannot be understood (ranks)');
  }
  return rules;
}

/** The limit and the least probability for a rate of false rejections: between the stored ones, by its logarithm. */
function thresholdsAt(kernel, rejection, rate) {
  const clipped = Math.min(Math.max(rate, RATES[0]), RATES.at(-1));
  const [place, ...places] = kernel.logarithms([clipped, ...RATES]);
  const between = (values) => {
    const j = places.findLastIndex((known) => known <= place);
    if (places[j] === place || j === places.length - 1) return values[j];
    const slope = (values[j + 1] - values[j]) / (places[j + 1] - places[j]);
    return slope * (place - places[j]) + values[j];
  };
  return [between(rejection.limits.view()), between(rejection.least.view())];
}

/** The share of each language under a prior, not yet normalised. */
function sharesOf(prior, index, decisions, lines) {
  const count = index.labels.length;
  if (prior === 'uniform' || prior === null) return new Float64Array(count).fill(1);
  if (prior === 'model') return decisions.prior ? decisions.prior.view().slice() : new Float64Array(count).fill(1);
  if (prior === 'training') return Float64Array.from(lines.view(), Number);
  if (typeof prior !== 'object') {
    throw new UnilidError(`prior must be "model", "uniform", "training" or an object, not ${shown(prior)}`);
  }
  const shares = new Float64Array(count).fill(-1);
  for (const [code, share] of prior instanceof Map ? prior : Object.entries(prior)) {
    if (typeof share !== 'number' || !Number.isFinite(share) || share < 0) {
      throw new UnilidError(`the prior of ${code} is ${shown(share)}; expected a probability`);
    }
    const rows = index.rowsMatching(code);
    const twice = rows.find((row) => shares[row] >= 0);
    if (twice !== undefined) {
      throw new UnilidError(`the prior of ${code} names ${index.labels[twice]} again; give each language once`);
    }
    for (const row of rows) shares[row] = share / rows.length;
  }
  const named = shares.filter((share) => share >= 0);
  const rest = 1 - sum(named);
  if (rest < -ROUNDING) throw new UnilidError(`the prior adds up to ${1 - rest}; probabilities add up to at most 1`);
  const each = Math.max(rest, 0) / Math.max(count - named.length, 1);
  return shares.map((share) => (share >= 0 ? share : each));
}

/** The logarithm of each language's prior: -Infinity for those that do not compete, where `rows` names who does. */
export function logPrior(kernel, shares, rows = null) {
  if (rows) {
    if (!rows.length) throw new UnilidError('languages is empty: at least one must compete');
    const competing = new Set(rows);
    shares = shares.map((share, row) => (competing.has(row) ? share : 0));
  }
  const total = sum(shares);
  if (!(total > 0)) throw new UnilidError('the prior excludes every language that may compete');
  return kernel.logarithms(shares.map((share) => share / total));
}

const OPTIONS = ['languages', 'prior', 'calibrated', 'abstain', 'budget'];

/** The scorers of a model and its decisions, brought together by the options of a call. */
export class Answerer {
  #usual = new Map();

  constructor(kernel, parameters, decisions, index, scorers) {
    Object.assign(this, { kernel, parameters, decisions, index, scorers });
  }

  /** The scorers of calibrated UniLID: the cost of an unseen token is raised to that of a shared constant. */
  get calibratedScorers() {
    const { calibration } = this.decisions;
    return calibration
      ? (this._calibrated ??= this.scorers.withUnseen(calibration.unseen.view().slice()))
      : this.scorers;
  }

  /** What the options of a call come to; the usual ones are remembered. */
  request({
    languages = null,
    prior = 'model',
    calibrated = 'auto',
    abstain = true,
    budget = BUDGET,
    ...unknown
  } = {}) {
    const [strange] = Object.keys(unknown).sort();
    if (strange !== undefined) {
      throw new UnilidError(`there is no option ${shown(strange)}; the options are ${OPTIONS.join(', ')}`);
    }
    const { calibration } = this.decisions;
    if (![true, false, 'auto'].includes(calibrated)) {
      throw new UnilidError(`calibrated must be true, false or "auto", not ${shown(calibrated)}`);
    }
    if (calibrated === true && !calibration) throw new UnilidError('the model was not calibrated');
    const reranks = calibrated === 'auto' ? calibration !== null : calibrated;
    const rate = rejectionRate(abstain);
    const bytes = budget === null ? -1 : wholeNumber('budget', budget);
    const isUsual = languages === null && prior === 'model' && typeof abstain === 'boolean';
    const key = isUsual ? `${reranks} ${rate}` : null;
    let request = this.#usual.get(key);
    if (!request) {
      const logs = this.logPrior(languages, prior);
      const unrestricted = languages === null ? null : this.logPrior(null, prior);
      const scorers = reranks ? this.calibratedScorers : this.scorers;
      // What is made of a request when it is first needed is kept with it.
      request = { scorers, logPrior: logs, unrestricted, calibrated: reranks, rate, kept: {} };
      if (key) {
        request.decision = this.decision(logs, request); // kept as long as the model
        this.#usual.set(key, request);
      }
    }
    return { ...request, budget: bytes };
  }

  /** Calls work(decision) with the kernel's way to answer a request. */
  decide(request, work) {
    if (request.decision) return work(request.decision);
    const decision = this.decision(request.logPrior, request);
    try {
      return work(decision);
    } finally {
      this.kernel.call('release_decision', decision);
    }
  }

  /**
   * The kernel's decision. `rate`: the share of ordinary text that may be rejected, null for none. `handicaps`: whether
   * those that were fitted count.
   */
  decision(logs, { calibrated, rate, handicaps = true }) {
    const { kernel, decisions } = this;
    const { temperature, calibration, rejection } = decisions;
    return kernel.scope(() => {
      const { scale, length, decay } = temperature;
      const decision = kernel.call('make_decision', logs.length, kernel.lend(logs), STEP, scale, length, decay);
      if (handicaps && decisions.handicaps) kernel.call('set_handicaps', decision, decisions.handicaps.place);
      if (calibrated && calibration) {
        const { rules, thresholds, replaces } = calibration;
        kernel.call('set_rerank', decision, thresholds.place, replaces.place, rules.distance, rules.ranks);
      }
      if (rate !== null && rejection) {
        const { usual, spread, shared, sampling } = rejection;
        const [limit, least] = thresholdsAt(kernel, rejection, rate);
        kernel.call('set_rejection', decision, usual.place, spread.place, shared, sampling, limit, least);
      }
      return decision;
    });
  }

  logPrior(languages, prior) {
    const shares = sharesOf(prior, this.index, this.decisions, this.parameters.lines);
    return logPrior(this.kernel, shares, languages === null ? null : this.index.rowsOfAll(languages));
  }

  /** The k best answers to each text, best first. */
  answers(texts, request, k = 1) {
    const { kernel, parameters } = this;
    const { REASONS, FIRST_UNDETERMINED } = kernel.constants;
    const ranks = Math.min(k, parameters.languages.length);
    const [rows, scores, probabilities, verdicts] = this.decide(request, (decision) =>
      kernel.scope(() => {
        const lent = kernel.lendTexts(texts);
        const size = texts.length * ranks;
        const out = [
          [Int32Array, size],
          [Float64Array, size],
          [Float64Array, size],
          [Uint8Array, texts.length],
        ];
        const places = out.map(([Type, length]) => kernel.borrow(Type, length));
        kernel.call('decide', request.scorers.scorer, decision, ...lent, ranks, request.budget, ...places);
        return out.map(([Type, length], i) => kernel.view(Type, places[i], length).slice());
      }),
    );
    const abstains = request.rate !== null;
    return texts.map((_, text) => {
      const verdict = verdicts[text],
        first = text * ranks;
      if (rows[first] < 0 || (abstains && verdict > 0 && verdict < FIRST_UNDETERMINED)) {
        return [prediction(NO_LANGUAGE, 1, 0, REASONS[verdict] ?? null)];
      }
      const ranked = [];
      for (let i = first; i < first + ranks; ++i) {
        if (rows[i] >= 0) ranked.push(prediction(parameters.languages[rows[i]], probabilities[i], scores[i]));
      }
      if (!abstains || !verdict) return ranked;
      const reason = REASONS[verdict];
      if (reason === 'script') return [prediction(UNDETERMINED, 0, 0, reason)]; // a guess would be in another script
      const [best] = ranked;
      const undetermined = prediction(UNDETERMINED, best.probability, best.score, reason, best.label);
      return [undetermined, ...ranked.slice(0, ranks - 1)];
    });
  }
}

const prediction = (label, probability, score, reason = null, guess = null) => ({
  label,
  probability,
  score,
  reason,
  guess,
});

/** The share of ordinary text that may be rejected; null for never. */
function rejectionRate(abstain) {
  if (typeof abstain === 'boolean') return abstain ? DEFAULT_RATE : null;
  if (typeof abstain === 'number' && abstain > 0 && abstain < 1) return abstain;
  throw new UnilidError(`abstain must be true, false or a share of texts between 0 and 1, not ${shown(abstain)}`);
}
