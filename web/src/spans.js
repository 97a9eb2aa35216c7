// The languages of a mixed text: which stretch is in which.

import { UnilidError } from './errors.js';
import { unitsBefore } from './kernel.js';
import { NO_LANGUAGE, UNDETERMINED } from './labels.js';
import { STEP, rint, shown, wholeNumber } from './numbers.js';

/** Penalty in nats for switching language. */
const SWITCH = 12;
/** Up to this many words of letters a switch costs `switch`; beyond, the cost grows, to at most twice. */
const SHORT = 10;
/** Visible characters in a row without a word of letters from which on they are a span of their own. */
const APART = 16;
/** Nats: what the kernel's costs have room for. */
const MAX_SWITCH = 1_000_000;

/** The spans of a text, from its beginning to its end, without gaps; offsets are in units of UTF-16. */
export function findSpans(
  answerer,
  text,
  { switch: penalty = SWITCH, least = 1, most = null, languages = null, prior = 'model', ...unknown } = {},
) {
  const { kernel, parameters, scorers } = answerer;
  if (typeof text !== 'string') throw new UnilidError(`a text with spans is a string, not ${typeof text}`);
  const [strange] = Object.keys(unknown);
  if (strange !== undefined) {
    throw new UnilidError(
      `there is no option ${shown(strange)}; the options are switch, least, most, languages, prior`,
    );
  }
  if (typeof penalty !== 'number' || !(penalty >= 0 && penalty <= MAX_SWITCH)) {
    throw new UnilidError(`switch must be a number of nats from 0 to ${MAX_SWITCH}, not ${shown(penalty)}`);
  }
  const size = parameters.languages.length;
  // No span has more letters, and no text more languages, than the kernel can count.
  const count = (name, value) => Math.min(wholeNumber(name, value), 0xffffffff);
  const fewest = count('least', least),
    many = most === null ? size : count('most', most);
  const request = answerer.request({ languages, prior, calibrated: false, abstain: false });
  const costs = (request.kept.entry ??= entryCosts(request.logPrior, kernel.constants));
  const [begins, letters, rows, probabilities] = answerer.decide(request, (decision) =>
    kernel.scope(() => {
      const [place, ends] = kernel.lendTexts([text]);
      const [length] = kernel.view(Uint32Array, ends, 1);
      const entry = kernel.lend(costs),
        change = rint(penalty / STEP);
      kernel.call('spans', scorers.scorer, decision, place, length, entry, change, SHORT, fewest, many, APART);
      return [Uint32Array, Uint32Array, Int32Array, Float64Array].map((Type, i) => kernel.result(i, Type));
    }),
  );
  const starts = unitsBefore(text, begins);
  return Array.from(rows, (row, i) => ({
    label: row >= 0 ? parameters.languages[row] : row === -1 ? NO_LANGUAGE : UNDETERMINED,
    start: starts[i],
    end: i + 1 < starts.length ? starts[i + 1] : text.length,
    probability: probabilities[i],
    letters: letters[i],
  }));
}

/** What entering each language costs, in steps beyond that of the likeliest one. */
function entryCosts(logs, { NO_ENTRY }) {
  const most = logs.reduce((a, b) => Math.max(a, b));
  return Uint32Array.from(logs, (log) => rint(Math.min((most - log) / STEP, NO_ENTRY)));
}
