// The words of a language with their counts: all that it is learned from.

import { UnilidError } from './errors.js';
import { sum } from './numbers.js';

/** Distinct words remembered for a language; at twice as many the rarest are forgotten. */
const MAX_WORDS = 2_000_000;

/** The distinct words of a language, sorted by their bytes, and how often each occurs. */
export class Words {
  constructor(kernel, offsets, counts, bytes) {
    Object.assign(this, { kernel, offsets, counts, bytes });
  }

  /** What the kernel has counted last. */
  static #counted(kernel) {
    return new Words(
      kernel,
      kernel.result(0, Uint32Array),
      kernel.result(1, Float64Array),
      kernel.result(2, Uint8Array),
    );
  }

  static of(kernel, label, texts) {
    const words = kernel.scope(() => {
      kernel.call('count_words', ...kernel.lendTexts(texts), MAX_WORDS);
      return Words.#counted(kernel);
    });
    if (!(words.total > 0)) throw new UnilidError(`${label}: the lines have no usable text; add some or leave it out`);
    return words;
  }

  get total() {
    return sum(this.counts);
  }

  /** Calls a function of the kernel on the words, and then take(). */
  call(name, before, after, take) {
    const { kernel } = this;
    return kernel.scope(() => {
      const own = [kernel.lend(this.bytes), kernel.lend(this.offsets), kernel.lend(this.counts), this.counts.length];
      kernel.call(name, ...before, ...own, ...after);
      return take();
    });
  }

  /** The words and what is left of them where one character is lost. */
  withFragments(share) {
    return this.call('with_fragments', [], [share], () => Words.#counted(this.kernel));
  }

  /** The words that a language is estimated from: these, and their other spellings. */
  spelled({ spellings }) {
    if (!spellings) return this;
    return this.call('with_spellings', [], [spellings], () => Words.#counted(this.kernel));
  }

  /** The keys of the words in the lexicon, undefined for those that have none, and their scripts. */
  keys() {
    const { kernel } = this;
    return this.call('word_keys', [], [], () => {
      const keys = Array.from(kernel.result(0, BigUint64Array), (key) => (key === NO_KEY ? undefined : Number(key)));
      return { keys, scripts: kernel.result(1, Uint8Array) };
    });
  }
}

const NO_KEY = (1n << 64n) - 1n; // the keys of words have 48 bits
