// The parameters of a model: its languages, and the word models that score them, as arrays in the memory of a kernel.

import { unpackContext } from './context.js';
import { UnilidError } from './errors.js';
import { checkLabel } from './labels.js';
import { unpackLexicon } from './lexicon.js';
import { quantise } from './numbers.js';
import { unpackScripts } from './scripts.js';
import { Settings } from './settings.js';
import { unpackUnigram, unpackVocabulary } from './unigram.js';

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
