// Why a text got its language: what each of its words says for one language and against another.

import { logPrior } from './decisions.js';
import { UnilidError } from './errors.js';
import { unitsBefore, utf8 } from './kernel.js';
import { STEP } from './numbers.js';

/** Of the scorers that leave something out: an explanation is of one text. */
const CACHE_BYTES = 1 << 20;

/** Numbers of a word that the kernel explains. */
const FACTS = [
  'bytesEnd',
  'begin',
  'end',
  'kind',
  'noise',
  'cutLeft',
  'cutRight',
  'lone',
  'script',
  'inner',
  'counts',
  'best',
  'bestCost',
];

/** A cost as a score: 0, not -0, for nothing. */
const nats = (cost) => 0 - STEP * cost;

/** The scorers of a model, and those that leave something out. */
export class Explainer {
  #made = new Map();

  constructor(answerer, calibrated) {
    this.answerer = answerer;
    this.kernel = answerer.kernel;
    this.scorers = calibrated ? answerer.calibratedScorers : answerer.scorers;
    this.parameters = answerer.parameters;
    const { settings } = this.parameters;
    this.weight = settings.weightSteps;
    this.bound = settings.boundSteps;
    this.steps = this.kernel.constants.WEIGHT_STEPS;
    const { uses } = this.scorers;
    this.uses = new Set(Array.from({ length: uses.length / 2 }, (_, u) => `${uses[2 * u]} ${uses[2 * u + 1]}`));
  }

  /** A scorer that leaves something out, as an object that answers like `Scorers`; made when it is first needed. */
  without(options) {
    const key = JSON.stringify(options);
    if (!this.#made.has(key)) {
      const { unseen, ...others } = options;
      const scorers = unseen ? this.scorers.withUnseen(this.#rarest()) : this.scorers;
      this.#made.set(key, { scorer: scorers.make({ ...others, cacheBytes: CACHE_BYTES }) });
    }
    return this.#made.get(key);
  }

  /** What the rarest token that a language uses costs it; that of an unseen one where it uses none. */
  #rarest() {
    const { languages, costs, unseen } = this.parameters.unigram;
    const rarest = new Uint8Array(unseen.length),
      own = costs.view(),
      rows = languages.view();
    rows.forEach((row, entry) => (rarest[row] = Math.max(rarest[row], own[entry])));
    const never = this.scorers.unseen ?? unseen.place;
    const others = this.kernel.view(Uint8Array, never, unseen.length);
    return rarest.map((cost, row) => (cost > 0 ? cost : others[row]));
  }

  /** The words of a text with what they cost under some rows. */
  #explained(scorers, bytes, rows) {
    const { kernel } = this;
    return kernel.scope(() => {
      kernel.call('explain', scorers.scorer, kernel.lend(bytes), bytes.length, kernel.lend(rows), rows.length);
      const facts = kernel.result(0, Uint32Array),
        all = kernel.result(1, Uint8Array),
        costs = kernel.result(2, Uint32Array);
      let begin = 0;
      return Array.from({ length: facts.length / FACTS.length }, (_, w) => {
        const word = Object.fromEntries(FACTS.map((name, i) => [name, facts[w * FACTS.length + i]]));
        word.bytes = all.subarray(begin, (begin = word.bytesEnd));
        word.costs = [...costs.subarray(w * rows.length, (w + 1) * rows.length)];
        return word;
      });
    });
  }

  /** The words of a text with what they say of two languages. */
  words(text, rows) {
    const { kernel, parameters, weight, bound, steps } = this;
    const { REASONS, SIGN, DIGIT, LETTER } = kernel.constants;
    const kinds = { [SIGN]: 'signs', [DIGIT]: 'digits', [LETTER]: 'letters' };
    const bytes = utf8(text),
      index = Uint16Array.from(rows);
    const costs = (options) => this.#explained(this.without(options), bytes, index).map((word) => word.costs);
    const words = this.#explained(this.scorers, bytes, index);
    const final = words.map((word) => word.costs);
    const weighted = bound ? costs({ boundSteps: 0 }) : final;
    const unigram = weight ? costs({ weightSteps: steps, boundSteps: 0, lexicon: false }) : null;
    const context = weight < steps ? costs({ weightSteps: 0, boundSteps: 0, lexicon: false }) : null;
    const ungained = parameters.lexicon ? costs({ boundSteps: 0, lexicon: false }) : null;
    const starts = unitsBefore(
        text,
        words.map((word) => word.begin),
      ),
      ends = unitsBefore(
        text,
        words.map((word) => word.end),
      );
    return words.map((word, w) => {
      const characters = this.#characters(word, rows);
      const [mine, other] = rows.map((row, side) => {
        const score = final[w][side],
          weightedSum = weighted[w][side];
        const isForeign = this.#isForeign(word, row);
        const full = word.lone && bound > 0 ? Math.floor(weightedSum / 4) : weightedSum;
        return {
          tokens: this.#tokens(word.bytes, row),
          characters: characters[side],
          unigram: unigram && nats(unigram[w][side]),
          context: context && nats(context[w][side]),
          lexicon: ungained && nats(weightedSum) - nats(ungained[w][side]),
          weighted: nats(weightedSum),
          score: nats(score),
          bounded: !isForeign && score < full,
          foreign: isForeign,
        };
      });
      const counts = Boolean(word.counts);
      return {
        text: decoded(bytes.subarray(word.begin, word.end)),
        start: starts[w],
        end: ends[w],
        read: decoded(word.bytes),
        kind: kinds[word.kind],
        noise: REASONS[word.noise] ?? null,
        counts,
        cut: Boolean(word.cutLeft || word.cutRight),
        lone: Boolean(word.lone),
        best: parameters.languages[word.best],
        language_score: mine,
        instead_score: other,
        difference: counts ? mine.score - other.score : 0,
      };
    });
  }

  /** Whether a word has the fixed score of languages that are not written in its script. */
  #isForeign(word, row) {
    const { LETTER } = this.kernel.constants;
    const isOfAScript = word.kind === LETTER && word.script !== LETTER;
    return this.bound > 0 && this.uses.size > 0 && isOfAScript && !this.uses.has(`${row} ${word.script}`);
  }

  #tokens(word, row) {
    if (!this.weight) return [];
    const { kernel, parameters } = this;
    const { bytes, firsts } = parameters.vocabulary,
      table = parameters.unigram;
    const [tokens, costs] = kernel.scope(() => {
      kernel.call('segment', this.scorers.unigram, kernel.lend(word), word.length, row);
      return [kernel.result(0, Uint32Array), kernel.result(1, Uint8Array)];
    });
    const first = firsts.view(),
      entry = table.firsts.view(),
      languages = table.languages.view(),
      all = bytes.view();
    return Array.from(tokens, (token, i) => ({
      token: decoded(all.subarray(first[token], first[token + 1])),
      score: nats(costs[i]),
      unseen: !languages.subarray(entry[token], entry[token + 1]).includes(row),
    }));
  }

  #characters(word, rows) {
    if (this.weight === this.steps) return rows.map(() => []);
    const { kernel } = this;
    const ascending = Uint16Array.from(rows).sort();
    const [sizes, costs] = kernel.scope(() => {
      const place = kernel.lend(word.bytes);
      kernel.call(
        'explain_characters',
        this.scorers.context,
        place,
        word.bytes.length,
        word.cutLeft,
        word.cutRight,
        kernel.lend(ascending),
        ascending.length,
      );
      return [kernel.result(0, Uint8Array), kernel.result(1, Uint32Array)];
    });
    return rows.map((row) => {
      const side = ascending.indexOf(row);
      let end = 0;
      return Array.from(sizes, (size, c) => ({
        character: decoded(word.bytes.subarray(end, (end += size))),
        score: nats(costs[c * ascending.length + side]),
      }));
    });
  }
}

/** Explains a text; `language` and `instead` are codes or null. */
export function explain(explainer, text, request, language, instead) {
  const { answerer, parameters, kernel, weight, bound, steps } = explainer;
  const { languages, settings } = parameters;
  const count = languages.length;

  const decided = ({
    scorers = explainer.scorers,
    logs = request.logPrior,
    calibrated = request.calibrated,
    rate = request.rate,
    handicaps = true,
    k = 1,
  }) => answerer.answers([text], { scorers, logPrior: logs, calibrated, rate, handicaps, budget: -1 }, k)[0];
  const [answer] = decided({});
  const named = decided({ rate: null, k: Math.min(2, count) });
  const [costs, size] = kernel.scope(() => {
    const lent = kernel.lendTexts([text]);
    const [all, linguistic, letters] = [count, count, 1].map((length) => kernel.borrow(Float64Array, length));
    kernel.call('costs', explainer.scorers.scorer, ...lent, all, linguistic, letters);
    return [kernel.view(Float64Array, all, count).slice(), kernel.view(Float64Array, letters, 1)[0]];
  });
  const logs = request.logPrior,
    { handicaps } = answerer.decisions;
  const handicap = handicaps ? handicaps.view().map((nats) => nats * Math.sqrt(size)) : new Float64Array(count);
  const keys = logs.map((log, row) => log - handicap[row] - STEP * costs[row]);
  let rows = null;
  if ((named[0].reason === null && answer.reason !== 'script') || language !== null || instead !== null) {
    const best = named.filter((p) => p.reason === null).map((p) => answerer.index.rowOf.get(p.label));
    // Behind them those whose scripts do not occur: they are no answer, and may be compared with one.
    const ranked = [...keys.keys()].sort((a, b) => keys[b] - keys[a] || a - b).slice(0, 3);
    best.push(...ranked.filter((row) => !best.includes(row)));
    rows = pair(answerer.index, keys, best, language, instead);
  }

  const allowed = Float64Array.from(logs, (log) => (log > -Infinity ? 1 : 0));
  const uniform = logPrior(kernel, allowed);
  const isUniform = logs.every(
    (log, row) => !allowed[row] || Math.abs(log - uniform[row]) <= 1e-8 + 1e-5 * Math.abs(uniform[row]),
  );
  const small = (options) => ({ scorers: explainer.without(options), rate: null });
  const alternatives = [
    ['context', weight > 0 && weight < steps, () => small({ weightSteps: steps })],
    ['lexicon', parameters.lexicon !== null, () => small({ lexicon: false })],
    ['bound', bound > 0, () => small({ boundSteps: 0 })],
    ['unseen', weight > 0, () => small({ unseen: true })],
    ['prior', !isUniform, () => ({ logs: uniform })],
    ['handicaps', handicaps !== null, () => ({ handicaps: false })],
    ['languages', request.unrestricted !== null, () => ({ logs: request.unrestricted })],
    ['calibrated', request.calibrated, () => ({ scorers: answerer.scorers, calibrated: false })],
    ['abstain', request.rate !== null, () => ({ rate: null })],
  ];
  const without = alternatives
    .filter(([, isInForce]) => isInForce)
    .map(([name, , changed]) => {
      const [other] = decided(changed());
      const usual = ['context', 'lexicon', 'bound', 'unseen'].includes(name) ? named[0] : answer;
      return { name, answer: other, changed: other.label !== usual.label };
    });
  const [first, second] = rows ?? [null, null];
  const score = first === null ? 0 : nats(costs[first]),
    insteadScore = second === null ? 0 : nats(costs[second]);
  const prior = first === null || second === null ? 0 : logs[first] - logs[second];
  const ahead = first === null || second === null ? 0 : handicap[second] - handicap[first];
  return {
    text: decoded(utf8(text)),
    answer,
    language: first === null ? null : languages[first],
    instead: second === null ? null : languages[second],
    score,
    instead_score: insteadScore,
    prior,
    handicap: ahead,
    unigram_weight: settings.unigramWeight,
    bound: settings.bound,
    words: rows ? explainer.words(text, rows) : [],
    without,
    difference: score - insteadScore + prior + ahead,
  };
}

/** The rows of the two languages to compare; of what a code stands for, those that explain the text best. */
function pair(index, keys, best, language, instead) {
  const competing = (code, but) => {
    const rows = index.rowsMatching(code).filter((row) => !but.includes(row));
    if (!rows.length) throw new UnilidError(`${code} is the language that it shall be compared with; name another one`);
    const row = rows.reduce((a, b) => (keys[b] > keys[a] || (keys[b] === keys[a] && b < a) ? b : a));
    if (keys[row] === -Infinity) {
      throw new UnilidError(`${index.labels[row]} does not compete: it is not among the languages, or its prior is 0`);
    }
    return row;
  };
  const other = (but) => {
    const row = best.find((candidate) => !but.includes(candidate) && keys[candidate] > -Infinity);
    if (row === undefined) throw new UnilidError(`only ${index.labels[but[0]]} competes: there is nothing to compare`);
    return row;
  };
  if (language !== null) {
    const first = competing(language, []);
    return [first, instead === null ? other([first]) : competing(instead, [first])];
  }
  if (instead === null) return [best[0], other([best[0]])];
  const alternatives = index.rowsMatching(instead);
  const first = alternatives.length === 1 && alternatives[0] === best[0] ? other(alternatives) : best[0];
  return [first, competing(instead, [first])];
}

/** Bytes as text; what is no UTF-8 is written with backslashes, as Python does ("backslashreplace"). */
function decoded(bytes) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    let text = '';
    for (let at = 0; at < bytes.length;) {
      let size = bytes[at] < 0x80 ? 1 : bytes[at] < 0xe0 ? 2 : bytes[at] < 0xf0 ? 3 : 4;
      try {
        if (at + size > bytes.length) throw new RangeError();
        text += decoder.decode(bytes.subarray(at, at + size));
      } catch {
        text += '\\x' + bytes[at].toString(16).padStart(2, '0');
        size = 1;
      }
      at += size;
    }
    return text;
  }
}
