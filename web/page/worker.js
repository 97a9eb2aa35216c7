/**
 * The worker: it holds the model and answers one question after another. A question names a method below; the answer,
 * or the sentence that says what went wrong, is sent back under the same number.
 */

import { teach } from "./lesson.js";
import { fetchModel } from "./model-file.js";
import { reasons } from "./reasons.js";
import { Model } from "./unilid.js";

/** Languages that a visitor can add: each is a model of its own until the tab is closed. */
const MOST_TAUGHT = 8;

/** The model of the page, and those that the visitor made of it, the last one in use. @type {Model[]} */
const models = [];
/** @type {string[]} */
const taught = [];
const current = () => models[models.length - 1];

const methods = {
  async start() {
    const bytes = await fetchModel(new URL("compact.unilid", import.meta.url), (loaded, total) =>
      postMessage({ progress: { loaded, total } }),
    );
    postMessage({ progress: { loaded: bytes.length, total: bytes.length } });
    models.push(await Model.load(bytes));
  },

  /** All that is known of all languages, and which of them the visitor taught. */
  languages: () => ({ languages: current().languages.map((label) => current().about(label)), taught: [...taught] }),

  identify: (text, options) => current().identify(text, options),
  spans: (text, { languages, prior }) => current().spans(text, { languages, prior }),
  explain: (text, options) => reasons(current().explain(text, options)),

  teach(label, lines, others) {
    if (taught.length >= MOST_TAUGHT) throw new Error(`This tab has learned ${MOST_TAUGHT} languages, which is all that it has room for. Forget them to go on.`);
    const { model, lesson } = teach(current(), label, lines, others);
    models.push(model);
    taught.push(label);
    return lesson;
  },

  /** A text before the last lesson and after it. */
  compare: (text) => ({ before: models[Math.max(models.length - 2, 0)].identify(text), after: current().identify(text) }),

  forget() {
    for (const model of models.splice(1)) model.free();
    taught.length = 0;
  },

  save: () => current().save(),
};

addEventListener("message", async ({ data: { id, question, details } }) => {
  try {
    postMessage({ id, answer: await methods[question](...details) });
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
