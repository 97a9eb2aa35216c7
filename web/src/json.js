// JSON as Python's json module reads and writes it.
//
// A model file's checksum covers what Python makes of its JSON again, and a file that is written here should have the
// bytes that Python would write. So numbers keep what they are: 1.0 is not 1, and 1e-05 is not 0.00001.

import { floatText } from './numbers.js';

/** A number that Python takes for a float. */
export class Float {
  constructor(value) {
    this.value = value;
  }
  valueOf() {
    return this.value;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const LONGEST = 1000; // characters of a number: more take long to read and mean nothing
const DEEPEST = 200; // levels of a document: no model needs more, and more would overflow the stack

/** Reads JSON: objects are Maps, floats are `Float`, whole numbers are BigInt. */
export function parse(text) {
  let at = 0;
  const fail = () => {
    throw new SyntaxError(`not JSON at character ${at}`);
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) fail();
    at = pattern.lastIndex;
    return found[0];
  };
  const skip = () => match(SPACE);
  const literal = (word, value) => {
    if (!text.startsWith(word, at)) fail();
    at += word.length;
    return value;
  };
  const string = () => JSON.parse(match(STRING));
  const items = (close, item) => {
    ++at;
    skip();
    if (text[at] === close) return ++at;
    for (;;) {
      item();
      skip();
      if (text[at] === close) return ++at;
      if (text[at] !== ',') fail();
      ++at;
      skip();
    }
  };
  const value = (depth) => {
    if (depth > DEEPEST) fail();
    switch (text[at]) {
      case '{': {
        const object = new Map();
        items('}', () => {
          const key = string();
          skip();
          if (text[at++] !== ':') fail();
          skip();
          object.set(key, value(depth + 1));
        });
        return object;
      }
      case '[': {
        const array = [];
        items(']', () => array.push(value(depth + 1)));
        return array;
      }
      case '"':
        return string();
      case 't':
        return literal('true', true);
      case 'f':
        return literal('false', false);
      case 'n':
        return literal('null', null);
      default: {
        const number = match(NUMBER);
        if (number.length > LONGEST) fail();
        return /[.eE]/.test(number) ? new Float(Number(number)) : BigInt(number);
      }
    }
  };
  skip();
  const result = value(0);
  skip();
  if (at < text.length) fail();
  return result;
}

/** Writes what `parse` reads; as `json.dumps` does with `sort_keys`, `ensure_ascii` and `separators`. */
export function stringify(value, { sorted = false, ascii = false, comma = ', ', colon = ': ' } = {}) {
  const string = (text) => {
    const quoted = JSON.stringify(text);
    return ascii ? quoted.replace(/[\u007f-\uffff]/g, escaped) : quoted;
  };
  const write = (item) => {
    if (item === null) return 'null';
    if (typeof item === 'string') return string(item);
    if (typeof item === 'boolean' || typeof item === 'bigint') return String(item);
    if (item instanceof Float) return floatText(item.value);
    if (Array.isArray(item)) return `[${item.map(write).join(comma)}]`;
    const entries = [...item];
    if (sorted) entries.sort(([a], [b]) => compare(a, b));
    return `{${entries.map(([key, own]) => string(key) + colon + write(own)).join(comma)}}`;
  };
  return write(value);
}

const escaped = (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0');

/** The order of Python's strings: by code points, not by the units of UTF-16, of which surrogates are not the last. */
export function compare(a, b) {
  const rank = (unit) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; ++i) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
    if (difference) return difference;
  }
  return a.length - b.length;
}

/** Plain objects, arrays and numbers instead of Maps, `Float` and BigInt. */
export function plainValue(value) {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, own]) => [key, plainValue(own)]));
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Float) return value.value;
  return typeof value === 'bigint' ? Number(value) : value;
}
