/** Names of languages: a language's own, and the one in the language of the reader. */

const readers = typeof navigator === 'undefined' ? ['en'] : [...navigator.languages];

/** The language that the reader's names are in, as the browser resolved it. */
export const reader = new Intl.DisplayNames(readers, { type: 'language' }).resolvedOptions().locale;
const isEnglish = reader.split('-')[0] === 'en';
const display = new Intl.DisplayNames(readers, { type: 'language', fallback: 'none', languageDisplay: 'standard' });
const scripts = new Intl.DisplayNames(readers, { type: 'script', fallback: 'none' });

/**
 * The BCP 47 tag of a label such as deu_Latn, without the script that goes without saying; null if it is none.
 * @param {string} label
 */
export function tagOf(label) {
  try {
    const [language, script] = label.split('_');
    const locale = new Intl.Locale(language);
    return !script || locale.maximize().script === script ? locale.toString() : `${locale}-${script}`;
  } catch {
    return null; // a label that a visitor made up
  }
}

/**
 * The name in the reader's language; the English one of the package where the browser has none.
 * For a reader of English the package's own names are the more exact ones (Standard Arabic, not Arabic).
 * @param {string | null} tag @param {string} english
 */
export function readersName(tag, english) {
  return (!isEnglish && tag && display.of(tag)) || english;
}

/** What a language calls itself, if anybody knows. @param {string | null} tag @param {string | null} autonym */
export function ownName(tag, autonym) {
  if (autonym || !tag || !Intl.DisplayNames.supportedLocalesOf(tag).length) return autonym;
  return new Intl.DisplayNames(tag, { type: 'language', fallback: 'none' }).of(tag) ?? null;
}

/** The name of a script in the reader's language. @param {string} script @param {string} english */
export function scriptName(script, english) {
  try {
    return (!isEnglish && scripts.of(script)) || english;
  } catch {
    return english;
  }
}

/** Fold case and accents, so that a search finds a name however it is typed. @param {string} text */
export function folded(text) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
