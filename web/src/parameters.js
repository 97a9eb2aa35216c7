// The parameters of a model: its languages, and the word models that score them, as arrays in the memory of a kernel.

import { appendContext, contextKernel, estimateContext, packContext, unpackContext } from './context.js';
import { UnilidError } from './errors.js';
import { checkLabel } from './labels.js';
import { appendLexicon, estimateLexicon, packLexicon, unpackLexicon } from './lexicon.js';
import { quantise } from './numbers.js';
import { scriptsOf, unpackScripts } from './scripts.js';
import { Settings } from './settings.js';
import { packSizes } from './store.js';
import {
  appendUnigram,
  estimateUnigram,
  packUnigram,
  unigramKernel,
  unpackUnigram,
  unpackVocabulary,
} from './unigram.js';
import { Words } from './words.js';

/** Takes the parameters out of a file. */
export function unpackParameters(file, metadata) {
  const { MAX_LANGUAGES } = file.kernel.constants;
  const languages = metadata.get('languages');
  if (!Array.isArray(languages) || !languages.length || !languages.every((label) => typeof label === 'string')) {
    throw file.fail('its languages are not a list of labels');
  }
  const languageCount = languages.length;
  if (languageCount > MAX_LANGUAGES) {
    throw file.fail(`it has ${languageCount} labels; a model has room for ${MAX_LANGUAGES}`);
  }
  if (new Set(languages).size < languageCount) throw file.fail('the labels are not distinct');
  let settings;
  try {
    languages.forEach(checkLabel);
    settings = new Settings(metadata.get('settings'), file.kernel);
  } catch (error) {
    if (error instanceof UnilidError) throw file.fail(`its settings cannot be understood (${error.message})`);
    throw error;
  }
  const vocabulary = unpackVocabulary(file);
  const unigram = unpackUnigram(file, { tokens: vocabulary.size, languageCount });
  const [base] = quantise([settings.base], 255);
  const context = settings.order === null ? null : unpackContext(file, { order: settings.order, base, languageCount });
  const lines = file.take('languages.lines', BigInt64Array, { length: languageCount });
  const tokens = file.take('languages.tokens', Float64Array, { length: languageCount });
  if (!tokens.view().every(Number.isFinite)) throw file.fail('the expected tokens of a language are no number');
  const lexicon = settings.lexicon_size ? unpackLexicon(file, { languageCount }) : null;
  const scripts = unpackScripts(file, metadata.get('scripts'), languageCount);
  return { languages, settings, vocabulary, unigram, context, lexicon, scripts, lines, tokens };
}

/**
 * The arrays and the metadata of a file for parameters with a language more, learned from texts. No entry of another
 * language changes.
 */
export function appendParameters(scorers, label, texts) {
  const { kernel, parameters } = scorers;
  const { constants } = kernel;
  const { settings, languages, vocabulary } = parameters;
  if (languages.length === constants.MAX_LANGUAGES) {
    throw new UnilidError(`${languages.length + 1} labels; a model has room for ${constants.MAX_LANGUAGES}`);
  }
  const words = Words.of(kernel, label, texts);
  const { keys, scripts } = words.keys();
  const spelled = words.spelled(settings);
  const unigram = estimateUnigram(spelled, scorers.vocabulary, vocabulary.size, settings);
  const context = parameters.context && estimateContext(spelled, settings);
  const gains =
    parameters.lexicon && estimateLexicon(words, keys, wordCosts(scorers, words, unigram.table, context), settings);
  // From here on nothing is allocated in the kernel's memory, so that views of it are valid.
  const row = languages.length;
  const arrays = new Map([
    ['languages.lines', BigInt64Array.of(...parameters.lines.view(), BigInt(texts.length))],
    ['languages.tokens', Float64Array.of(...parameters.tokens.view(), unigram.total)],
    ['vocabulary.bytes', vocabulary.bytes.view().slice()],
    ...packSizes(kernel, 'vocabulary.lengths', vocabulary.firsts.view()),
    ...packUnigram(kernel, appendUnigram(viewed(parameters.unigram), unigram.table)),
    ...(context ? packContext(kernel, appendContext(viewedContext(parameters.context), context, constants)) : []),
    ...(gains ? packLexicon(kernel, appendLexicon(viewed(parameters.lexicon), gains, row, constants)) : []),
  ]);
  const metadata = new Map([
    ['languages', [...languages, label]],
    ['settings', settings.stored],
  ]);
  if (parameters.scripts) {
    const own = settings.scripts ? scriptsOf(scripts, words.counts, constants) : null;
    if (own) metadata.set('scripts', [...parameters.scripts, own]);
  }
  return { arrays, metadata };
}

const viewed = (table) => Object.fromEntries(Object.entries(table).map(([name, stored]) => [name, stored.view()]));

function viewedContext({ codePoints, levels, rootBackoff }) {
  return {
    codePoints: codePoints.view(),
    rootBackoff: rootBackoff.view(),
    levels: levels.map(({ firstOfParent, characters, firstEntry, entries, entryBytes }) => ({
      firstOfParent: firstOfParent?.view(),
      characters: characters.view(),
      firstEntry: firstEntry.view(),
      entries: entries.view(),
      entryBytes,
    })),
  };
}

/** What the words of a language cost it under the weighted sum of its word models, in steps. */
function wordCosts(scorers, words, unigram, context) {
  const { kernel, parameters } = scorers;
  const { WEIGHT_STEPS } = kernel.constants;
  const weight = parameters.settings.weightSteps;
  return kernel.scope(() => {
    const lent = (array) => ({ place: kernel.lend(array), length: array.length });
    const tables = (table) => Object.fromEntries(Object.entries(table).map(([name, array]) => [name, lent(array)]));
    const models = [
      weight ? unigramKernel(kernel, scorers.vocabulary, tables(unigram)) : 0,
      weight < WEIGHT_STEPS
        ? contextKernel(
            kernel,
            {
              codePoints: lent(context.codePoints),
              rootBackoff: lent(context.rootBackoff),
              base: parameters.context.base,
              levels: context.levels.map(({ entryBytes, ...arrays }) => tables(arrays)),
            },
            new Uint16Array(0),
          )
        : 0,
    ];
    try {
      return words.call('word_costs', [...models, weight], [], () => kernel.result(0, Uint32Array));
    } finally {
      for (const model of models) if (model) kernel.call('release_model', model);
    }
  });
}
