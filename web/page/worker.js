/**
 * The worker: it holds the model and answers one question after another. A question names a method below; the answer,
 * or the sentence that says what went wrong, is sent back under the same number.
 */

import { teach } from './lesson.js';
import { fetchModel } from './model-file.js';
import { reasons } from './reasons.js';
import { Model } from './unilid.js';

/** Languages that a visitor can add: each is a model of its own until the tab is closed. */
const MOST_TAUGHT = 8;

/**
 * The model of the page, and what the visitor made of it: the model in use, and the one before the last lesson.
 * @type {{first: Model, before: Model, current: Model}}
 */
const models = { first: null, before: null, current: null };
/** @type {string[]} */
const taught = [];

/** Use a model from now on; models that nobody asks any more are given back. @param {Model} model */
function use(model, before = model) {
  const { first, ...old } = models;
  Object.assign(models, { first: first ?? model, before, current: model });
  const used = new Set(Object.values(models));
  for (const one of new Set(Object.values(old))) if (one && !used.has(one)) one.free();
}

const methods = {
  async start() {
    const bytes = await fetchModel(new URL('compact.unilid', import.meta.url), (loaded, total) =>
      postMessage({ progress: { loaded, total } }),
    );
    postMessage({ progress: { loaded: bytes.length, total: bytes.length } });
    use(await Model.load(bytes));
  },

  /** All that is known of all languages, and which of them the visitor taught. */
  languages: () => ({
    languages: models.current.languages.map((label) => models.current.about(label)),
    taught: [...taught],
  }),

  identify: (text, options) => models.current.identify(text, options),
  spans: (text, { languages, prior }) => models.current.spans(text, { languages, prior }),
  explain: (text, { label, against, ...options }) =>
    reasons(models.current.explain(text, { ...options, language: label, instead: against })),

  teach(label, lines, others) {
    if (taught.length >= MOST_TAUGHT)
      throw new Error(
        `This tab has learned ${MOST_TAUGHT} languages, which is all that it has room for. Forget them to go on.`,
      );
    const { model, lesson } = teach(models.current, label, lines, others);
    use(model, models.current);
    taught.push(label);
    return lesson;
  },

  /** A text before the last lesson and after it. */
  compare: (text) => ({ before: models.before.identify(text), after: models.current.identify(text) }),

  forget() {
    use(models.first);
    taught.length = 0;
  },

  save: () => models.current.save(),
};

addEventListener('message', async ({ data: { id, question, details } }) => {
  try {
    postMessage({ id, answer: await methods[question](...details) });
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
