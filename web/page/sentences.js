/** The two answers that are not languages, said in a sentence. */

/** `zxx`, by its reason. */
const NOTHING = {
  empty: 'There is nothing but spaces.',
  digits: 'There are only numbers, which are written alike in many languages.',
  signs: 'There are only signs.',
  emoji: 'There are only emoji, which everybody understands.',
  address: 'There are only addresses of pages or files.',
  'e-mail': 'There are only e-mail addresses.',
  identifier: 'There are only identifiers: hashes, serial numbers or user names.',
  markup: 'There is only markup, with no text inside it.',
  code: 'This is program code or data, with no sentence in it.',
  mojibake: 'This text was read in the wrong encoding, so its letters are not the ones that were written.',
};

/** `und`, by its reason. */
const UNSURE = {
  unsure: 'Several languages explain this text about equally well. A few more words would help.',
  unlike: 'This is unlike the text of any language that the model knows. It may be in one that it was never taught.',
  script: 'None of the languages that may compete is written in this script.',
};

/** @param {{label: string, reason: string | null}} answer @returns {string | null} null for a language */
export function sentenceFor({ label, reason }) {
  if (label === 'zxx')
    return `${NOTHING[reason] ?? 'There are no words in this text.'} (zxx is the code for “no linguistic content”.)`;
  if (label === 'und') return `${UNSURE[reason] ?? 'The model cannot tell.'} (und is the code for “undetermined”.)`;
  return null;
}
