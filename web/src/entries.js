// Entries of a table with others among them: old ones are copied in long runs, for there are millions.

/** An entry begins with the two bytes of its language, the lower one first. */
export class Entries {
  #old;
  #size;
  #copied = 0;
  #inserted = 0;

  /** @param {Uint8Array} old @param {number} size bytes of an entry @param {number} more entries that will be inserted */
  constructor(old, size, more) {
    this.#old = old;
    this.#size = size;
    this.all = new Uint8Array(old.length + more * size);
  }

  /** How many were inserted so far: by so much the old ones have moved. */
  get inserted() {
    return this.#inserted;
  }

  /** Puts an entry of a language behind the first `before` old ones; ascending. */
  insert(before, row, ...rest) {
    this.#copy(before * this.#size);
    this.all.set([row & 0xff, row >> 8, ...rest], this.#copied + this.#inserted++ * this.#size);
  }

  /** All of them, once nothing is to be inserted any more. */
  finish() {
    this.#copy(this.#old.length);
    return this.all;
  }

  #copy(end) {
    this.all.set(this.#old.subarray(this.#copied, end), this.#copied + this.#inserted * this.#size);
    this.#copied = end;
  }
}
