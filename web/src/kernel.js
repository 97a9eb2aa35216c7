// The kernel in WebAssembly: its memory, its functions, and texts on their way to it.

import { UnilidError } from './errors.js';

const encoder = new TextEncoder();

/** An instance of the kernel. It has a memory of its own, which is gone when nobody refers to it any more. */
export class Kernel {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
    const imports = {};
    // The C++ library writes a message to the console before it gives up; that is all that it wants from outside.
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = () => {
        throw new UnilidError('out of memory');
      };
    }
    const { exports } = new WebAssembly.Instance(module, imports);
    exports._initialize?.();
    this.exports = exports;
    this.memory = exports.memory;
    exports.constants();
    this.constants = JSON.parse(new TextDecoder().decode(this.result(0, Uint8Array)));
    this._temporary = [];
  }

  /** Another instance, of the same code, that holds nothing. */
  another() {
    return new Kernel(this.module);
  }

  /** Calls a function of the kernel. Memory is all that can fail: what it is given was checked. */
  call(name, ...values) {
    if (!this.exports) throw new UnilidError('the model was freed');
    try {
      return this.exports[name](...values);
    } catch (error) {
      this.free(); // what it was about to do is half done
      throw new UnilidError(`the kernel stopped, probably for want of memory (${error.message}); load the model again`);
    }
  }

  /** Room for so many values of a type: where it lies. */
  allocate(Type, length) {
    // The kernel reads a few bytes beyond the end of short words, so there are some.
    return this.call('allocate', length * Type.BYTES_PER_ELEMENT + 64) >>> 0;
  }

  /** Values at a place, as a view that is valid until the kernel allocates anything. */
  view(Type, place, length) {
    if (!this.memory) throw new UnilidError('the model was freed');
    return new Type(this.memory.buffer, place, length);
  }

  /** Copies an array into the memory of the kernel, to stay there. */
  put(array) {
    const place = this.allocate(array.constructor, array.length);
    this.view(array.constructor, place, array.length).set(array);
    return place;
  }

  /** Calls work(), and releases what `lend` and `borrow` took meanwhile. */
  scope(work) {
    const outer = this._temporary;
    this._temporary = [];
    try {
      return work();
    } finally {
      if (this.exports) for (const place of this._temporary) this.exports.release(place);
      this._temporary = outer;
    }
  }

  /** Copies an array into the memory of the kernel until the scope ends. */
  lend(array) {
    const place = this.put(array);
    this._temporary.push(place);
    return place;
  }

  /** Room until the scope ends. */
  borrow(Type, length) {
    const place = this.allocate(Type, length);
    this._temporary.push(place);
    return place;
  }

  /** Texts as the kernel takes them, one after the other, until the scope ends. */
  lendTexts(texts) {
    const encoded = texts.map(utf8);
    const ends = new Uint32Array(encoded.length);
    let size = 0;
    encoded.forEach((bytes, i) => (ends[i] = size += bytes.length));
    const place = this.borrow(Uint8Array, size);
    let at = place;
    for (const bytes of encoded) {
      this.view(Uint8Array, at, bytes.length).set(bytes);
      at += bytes.length;
    }
    return [place, this.lend(ends), encoded.length];
  }

  /** A copy of an array of the last result whose size nobody knew beforehand. */
  result(index, Type) {
    const place = this.exports.result_data(index) >>> 0;
    const size = this.exports.result_size(index) >>> 0;
    return new Type(this.memory.buffer.slice(place, place + size));
  }

  /** Logarithms that have the same bits everywhere, which those of JavaScript need not have. */
  logarithms(values) {
    return this.scope(() => {
      const place = this.lend(Float64Array.from(values));
      this.call('logarithms', place, values.length);
      return this.view(Float64Array, place, values.length).slice();
    });
  }

  free() {
    this.exports = this.memory = null;
  }
}

/**
 * A text as bytes, as Python's `unilid.texts.utf8` makes them; no text never raises.
 *
 * Lone surrogates that stand for bytes (U+DC80 to U+DCFF) become these bytes; in a text with other ones, all are kept.
 */
export function utf8(text) {
  if (text === null || text === undefined) return new Uint8Array(0);
  if (typeof text !== 'string') throw new UnilidError(`a text is a string or null, not ${typeof text}`);
  if (isWellFormed(text)) return encoder.encode(text);
  const escapes = standsForBytes(text);
  const bytes = [];
  for (const character of text) {
    const point = character.codePointAt(0);
    if (point < 0xd800 || point > 0xdfff) bytes.push(...encoder.encode(character));
    else if (escapes) bytes.push(point & 0xff);
    else bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
  }
  return Uint8Array.from(bytes);
}

/** The units of UTF-16 before each of some ascending offsets in the bytes of a text. */
export function unitsBefore(text, offsets) {
  const units = new Uint32Array(offsets.length);
  const escapes = !isWellFormed(text) && standsForBytes(text);
  let unit = 0,
    byte = 0;
  offsets.forEach((offset, i) => {
    while (byte < offset) {
      const point = text.codePointAt(unit);
      const isLone = point >= 0xd800 && point <= 0xdfff;
      byte += point < 0x80 || (isLone && escapes) ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      unit += point < 0x10000 ? 1 : 2;
    }
    units[i] = unit;
  });
  return units;
}

const LONE = /\p{Surrogate}/u; // with the flag u, a pair is one character
const OTHER = /[\ud800-\udc7f\udd00-\udfff]/u;

const isWellFormed = (text) => !LONE.test(text);
const standsForBytes = (text) => !OTHER.test(text);
