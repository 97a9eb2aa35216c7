/** What an explanation of the package says, in the shape that the page shows. */

/**
 * @typedef {object} Side what a word says of one language
 * @property {{text: string, nats: number, unseen: boolean}[]} pieces
 * @property {number[]} characters nats of each character
 * @property {number} whole nats that the language gains because it uses the whole word often
 * @property {boolean} bounded whether it is so unlikely here that not all of that counts
 * @property {boolean} foreign whether the language is not written in this script
 *
 * @typedef {object} Word
 * @property {string} text
 * @property {string} read as the model reads it
 * @property {number} start
 * @property {number} end
 * @property {boolean} counts
 * @property {string | null} noise
 * @property {string} best the language that explains it best
 * @property {number} nats for the first language, below zero for the second
 * @property {string[]} characters of which an empty one is the end of the word
 * @property {[Side, Side]} sides
 *
 * @typedef {object} Reasons
 * @property {string | null} label
 * @property {string | null} against
 * @property {number} prior
 * @property {number} handicap
 * @property {number} total
 * @property {Word[]} words
 */

/** @param {any} explanation @returns {Reasons} */
export function reasons(explanation) {
  return {
    label: explanation.language,
    against: explanation.instead,
    prior: explanation.prior,
    handicap: explanation.handicap,
    total: explanation.difference,
    words: explanation.words.map((word) => ({
      text: word.text,
      read: word.read,
      start: word.start,
      end: word.end,
      counts: word.counts,
      noise: word.noise,
      best: word.best,
      nats: word.difference,
      characters: word.language_score.characters.map(({ character }) => character),
      sides: [side(word.language_score), side(word.instead_score)],
    })),
  };
}

/** @returns {Side} */
function side(score) {
  return {
    pieces: score.tokens.map(({ token, score: nats, unseen }) => ({ text: token, nats, unseen })),
    characters: score.characters.map(({ score: nats }) => nats),
    whole: score.lexicon ?? 0,
    bounded: score.bounded,
    foreign: score.foreign,
  };
}
