/** Teaching: a model that also knows a new language, and what became of the answers. */

/** Every so many lines, one is held out to see how well the others taught. */
const HELD_OUT = 5;

/**
 * @typedef {import('./unilid.js').Model} Model
 * @typedef {import('./unilid.js').Prediction} Prediction
 * @typedef {{text: string, before: Prediction, after: Prediction}} Change
 *
 * @typedef {object} Lesson
 * @property {string} label
 * @property {Change[]} lines
 * @property {{asked: number, right: number, confused: [string, number][]} | null} trial null: too few lines
 * @property {Change[]} changed of other texts, those with another answer
 * @property {number} others how many other texts were asked
 */

/**
 * Teach a language and compare the answers before and after.
 * @param {Model} model it is left as it is
 * @param {string} label @param {string[]} lines @param {string[]} others texts that should not change
 * @returns {{model: Model, lesson: Lesson}}
 */
export function teach(model, label, lines, others) {
  const before = model.identify(lines);
  const trial = held(model, label, lines);
  const taught = model.addLanguage(label, lines);
  const after = taught.identify(lines);
  const old = model.identify(others);
  const changed = taught
    .identify(others)
    .map((answer, place) => ({ text: others[place], before: old[place], after: answer }))
    .filter(({ before: was, after: is }) => was.label !== is.label);
  const compared = lines.map((text, place) => ({ text, before: before[place], after: after[place] }));
  return { model: taught, lesson: { label, lines: compared, trial, changed, others: others.length } };
}

/** Teach most of the lines and ask for the rest: lines that a model has learned say little. */
function held(model, label, lines) {
  const asked = lines.filter((_, place) => place % HELD_OUT === HELD_OUT - 1);
  if (!asked.length) return null;
  const taught = model.addLanguage(
    label,
    lines.filter((_, place) => place % HELD_OUT !== HELD_OUT - 1),
  );
  const confused = new Map();
  for (const answer of taught.identify(asked)) confused.set(answer.label, (confused.get(answer.label) ?? 0) + 1);
  taught.free();
  const right = confused.get(label) ?? 0;
  confused.delete(label);
  return { asked: asked.length, right, confused: [...confused].sort((a, b) => b[1] - a[1]) };
}
