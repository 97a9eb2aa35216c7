// The kernel's word models and scorers, made of a model's parameters when they are first needed.

import { contextKernel } from './context.js';
import { lexiconKernel } from './lexicon.js';
import { usesOf } from './scripts.js';
import { unigramKernel } from './unigram.js';

/** Room for the vectors of words seen before. A page has less memory than a server, and fewer texts. */
const CACHE_BYTES = 16 << 20;

/** What scores texts: the weighted sum over word models. */
export class Scorers {
  #made = new Map();

  /** @param unseen where other costs of unseen tokens lie; the word models that do not know of them are shared */
  constructor(kernel, parameters, unseen = undefined, shared = undefined) {
    Object.assign(this, { kernel, parameters, unseen, shared });
    this.uses = shared?.uses ?? usesOf(parameters.scripts, kernel.constants);
  }

  #once(name, make) {
    if (!this.#made.has(name)) this.#made.set(name, make());
    return this.#made.get(name);
  }

  get vocabulary() {
    return (
      this.shared?.vocabulary ??
      this.#once('vocabulary', () => {
        const { bytes, firsts, size } = this.parameters.vocabulary;
        return this.kernel.call('make_vocabulary', bytes.place, firsts.place, size);
      })
    );
  }

  get unigram() {
    return this.#once('unigram', () =>
      unigramKernel(this.kernel, this.vocabulary, this.parameters.unigram, this.unseen),
    );
  }

  get context() {
    return (
      this.shared?.context ??
      this.#once('context', () => contextKernel(this.kernel, this.parameters.context, this.uses))
    );
  }

  get lexicon() {
    if (!this.parameters.lexicon) return 0;
    return this.shared?.lexicon ?? this.#once('lexicon', () => lexiconKernel(this.kernel, this.parameters.lexicon));
  }

  /** The scorer with the weights, the bound and the cache of the model. */
  get scorer() {
    return this.#once('scorer', () => this.make({}));
  }

  /** A scorer with another weight of the unigram model, bound or cache, or without the lexicon. */
  make({ weightSteps, boundSteps, cacheBytes = CACHE_BYTES, lexicon = true }) {
    const { kernel, parameters, uses } = this;
    const { settings, languages } = parameters;
    const { WEIGHT_STEPS } = kernel.constants;
    const weight = weightSteps ?? settings.weightSteps;
    const unigram = weight ? this.unigram : 0,
      context = weight < WEIGHT_STEPS ? this.context : 0;
    const words = lexicon ? this.lexicon : 0;
    return kernel.scope(() =>
      kernel.call(
        'make_scorer',
        unigram,
        context,
        weight,
        words,
        languages.length,
        boundSteps ?? settings.boundSteps,
        cacheBytes,
        settings.signs,
        kernel.lend(uses),
        uses.length / 2,
      ),
    );
  }

  /** The scorers in which unseen tokens have other costs; all else is shared with these. */
  withUnseen(unseen) {
    const own = this.parameters.unigram.unseen.view();
    if (own.every((cost, row) => cost === unseen[row])) return this;
    return new Scorers(this.kernel, this.parameters, this.kernel.put(unseen), this.shared ?? this);
  }
}
