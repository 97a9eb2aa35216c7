// What a model was made with: the constants of its word models and of their sum.

import { UnilidError } from './errors.js';
import { Float } from './json.js';
import { STEP, rint, shown } from './numbers.js';
import { isNumber } from './store.js';

const DEFAULTS = {
  unseen: 'shared',
  unseen_log_p: -11,
  order: null,
  discount: 0.8,
  base: Math.log(1e-4),
  prune: 0.005,
  bound: null,
  fragments: 0,
  spellings: 0,
  signs: true,
  scripts: false,
  lexicon_size: 0,
  lexicon_least: 1,
};
const NUMBERS = ['unseen_log_p', 'discount', 'base', 'prune', 'fragments', 'spellings', 'lexicon_least'];

/** The settings that a model file has; what a later version added is passed over. */
export class Settings {
  /** @param {Map<string, any>} stored */
  constructor(stored, kernel) {
    const { WEIGHT_STEPS, MAX_ORDER } = kernel.constants;
    const check = (condition, problem) => {
      if (!condition) throw new UnilidError(problem);
    };
    check(stored instanceof Map, 'the settings are no object');
    const given = (name) => (stored.has(name) ? stored.get(name) : DEFAULTS[name]);
    const plain = (value) => (value instanceof Float || typeof value === 'bigint' ? Number(value) : value);
    for (const name of Object.keys(DEFAULTS)) {
      const value = given(name);
      const isOptional = name === 'bound' && value === null;
      if ((NUMBERS.includes(name) || name === 'bound') && stored.has(name) && !isOptional) {
        check(isNumber(value), `${name} must be a number, not ${shown(value)}`);
      }
      this[name] = plain(value);
    }
    // A number that Python takes for a float counts nothing.
    for (const name of ['order', 'lexicon_size']) {
      check(!(given(name) instanceof Float), `${name} must be a whole number, not ${shown(this[name])}`);
    }
    const weight = stored.has('unigram_weight') ? stored.get('unigram_weight') : BigInt(WEIGHT_STEPS);
    check(typeof weight === 'bigint', 'unigram_weight must be a whole number of sixteenths');
    this.weightSteps = Number(weight);
    check(this.weightSteps >= 0 && this.weightSteps <= WEIGHT_STEPS, 'unigram_weight must be from 0 to 1');
    check(
      this.order !== null || this.weightSteps === WEIGHT_STEPS,
      'without a context model, tokens have all the weight',
    );
    check(
      this.order === null || (Number.isInteger(this.order) && this.order >= 2 && this.order <= MAX_ORDER),
      `the order of the context model must be 2 to ${MAX_ORDER}, not ${shown(this.order)}`,
    );
    check(
      this.discount > 0 && this.discount < 1 && this.base < 0 && this.unseen_log_p < 0,
      'the discount must lie between 0 and 1, and log-probabilities below 0',
    );
    check(
      this.unseen === 'shared' || this.unseen === 'additive',
      `unseen must be shared or additive, not ${shown(this.unseen)}`,
    );
    check(this.prune >= 0 && this.prune < 1000, `prune must be 0 or more and less than 1000, not ${this.prune}`);
    for (const name of ['fragments', 'spellings']) {
      check(this[name] >= 0 && this[name] <= 10, `${name} must be a share from 0 to 10, not ${this[name]}`);
    }
    check(
      typeof this.signs === 'boolean' && typeof this.scripts === 'boolean',
      'signs and scripts must be true or false',
    );
    check(
      Number.isInteger(this.lexicon_size) && this.lexicon_size >= 0,
      'lexicon_size must be a whole number, 0 or more',
    );
    check(this.lexicon_least > 0 && this.lexicon_least < 32, 'lexicon_least must be more than 0 and less than 32 nats');
    check(this.bound === null || (this.bound >= STEP && this.bound < 1000), `the bound must be ${STEP} to 1000 nats`);
    // A file of before there were other spellings says nothing of them; what is written does, as in Python.
    this.stored = new Map([['spellings', new Float(0)], ...stored]);
    this.unigramWeight = this.weightSteps / WEIGHT_STEPS;
  }

  /** The bound in whole steps, 0 for none. */
  get boundSteps() {
    return this.bound === null ? 0 : rint(this.bound / STEP);
  }
}
