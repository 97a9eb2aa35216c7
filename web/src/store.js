// The model file: arrays behind a JSON header (safetensors), read and checked, and written.

import { ModelFileError } from './errors.js';
import { Float, compare, parse, stringify } from './json.js';
import { shown } from './numbers.js';

const FORMAT = 4n;
const KEY = 'unilid'; // of the metadata: one JSON text, because safetensors values are strings
const TYPES = { U8: Uint8Array, U16: Uint16Array, U32: Uint32Array, I64: BigInt64Array, F64: Float64Array };
const MAX_HEADER = 32_000_000; // bytes: what a model of 65,535 labels needs, and no more than memory has

/** An array of a file in the memory of a kernel. */
export class Stored {
  constructor(kernel, Type, place, length) {
    Object.assign(this, { kernel, Type, place, length });
  }
  /** The values, valid until the kernel allocates anything. */
  view() {
    return this.kernel.view(this.Type, this.place, this.length);
  }
}

/**
 * Puts a file into the memory of a kernel and returns its arrays and its metadata.
 *
 * @param {import('./kernel.js').Kernel} kernel
 * @param {Uint8Array} content
 * @returns {{arrays: Map<string, Stored>, metadata: Map<string, any>, place: number}}
 */
export function decode(kernel, content) {
  const fail = (problem) => new ModelFileError(`the model: ${problem}`);
  const sizes = new DataView(content.buffer, content.byteOffset, Math.min(content.length, 8));
  const headerSize = content.length < 8 ? Infinity : Number(sizes.getBigUint64(0, true));
  if (headerSize > Math.min(content.length - 8, MAX_HEADER)) {
    throw fail('not a unilid model, or cut short: the header is incomplete');
  }
  let header, metadata, version, checksum;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content.subarray(8, 8 + headerSize));
    header = parse(text);
    metadata = parse(header.get('__metadata__').get(KEY));
    header.delete('__metadata__');
    version = metadata.get('format');
    checksum = metadata.get('crc32');
    if (version === undefined || typeof checksum !== 'bigint') throw new TypeError('no format or no checksum');
    metadata.delete('crc32');
  } catch (error) {
    throw fail(`not a unilid model: its header cannot be understood (${error.message})`);
  }
  if (version !== FORMAT) {
    const remedy =
      version > FORMAT ? 'install a newer unilid' : 'train the model again, or use the unilid that wrote it';
    throw fail(`written in format ${shown(version)}, and this version of unilid reads format ${FORMAT}: ${remedy}`);
  }
  const place = kernel.put(content);
  const arrays = new Map();
  const bodyAt = 8 + headerSize,
    bodySize = content.length - bodyAt;
  let endBefore = 0;
  for (const [key, entry] of inOrder(header, fail)) {
    const Type = TYPES[entry.get('dtype')];
    const size = Type.BYTES_PER_ELEMENT;
    const [length, begin, end] = [...entry.get('shape'), ...entry.get('data_offsets')].map(Number);
    if (begin !== endBefore || length < 0 || end - begin !== length * size) {
      throw fail(`the array ${shown(key)} does not lie where the header says`);
    }
    if (end > bodySize) throw fail(`cut short: ${shown(key)} ends at byte ${end} of ${bodySize}`);
    if ((bodyAt + begin) % size) throw fail(`the array ${shown(key)} is not aligned`);
    arrays.set(key, new Stored(kernel, Type, place + bodyAt + begin, length));
    endBefore = end;
  }
  if (endBefore !== bodySize) throw fail(`${bodySize - endBefore} bytes too many behind the last array`);
  const head = checksumOf(kernel, metadata, header);
  if (kernel.call('crc32', place + bodyAt, bodySize, head) >>> 0 !== Number(checksum)) {
    throw fail('damaged: its checksum is wrong');
  }
  return { arrays, metadata, place };
}

/** The entries of a header by their places, each of them well formed. */
function inOrder(header, fail) {
  const entries = [...header];
  for (const [key, entry] of entries) {
    const isWhole = (value) => typeof value === 'bigint';
    const shape = entry instanceof Map && entry.get('shape'),
      offsets = entry instanceof Map && entry.get('data_offsets');
    const isWell =
      Array.isArray(shape) &&
      shape.length === 1 &&
      shape.every(isWhole) &&
      Array.isArray(offsets) &&
      offsets.length === 2 &&
      offsets.every(isWhole) &&
      Object.hasOwn(TYPES, entry.get('dtype'));
    if (!isWell) throw fail(`not a unilid model: its header cannot be understood (${shown(key)})`);
  }
  const offset = (entry, i) => Number(entry[1].get('data_offsets')[i]);
  return entries.sort((a, b) => offset(a, 0) - offset(b, 0) || offset(a, 1) - offset(b, 1));
}

/** The checksum of what stands before the arrays; it covers everything, whatever order and spacing the JSON has. */
function checksumOf(kernel, metadata, header) {
  const text = new TextEncoder().encode(stringify([metadata, header], { sorted: true, ascii: true }));
  return kernel.scope(() => kernel.call('crc32', kernel.lend(text), text.length, 0) >>> 0);
}

const NAMES = new Map(Object.entries(TYPES).map(([name, Type]) => [Type, name]));

/**
 * The bytes of a file; those that Python writes for the same content.
 *
 * @param {import('./kernel.js').Kernel} kernel
 * @param {Map<string, ArrayLike<any>>} arrays typed arrays
 * @param {Map<string, any>} metadata
 */
export function encode(kernel, arrays, metadata) {
  const size = (name) => arrays.get(name).constructor.BYTES_PER_ELEMENT;
  // Wide types first: everything is then aligned to its own size.
  const names = [...arrays.keys()].sort((a, b) => size(b) - size(a) || compare(a, b));
  const header = new Map();
  let end = 0;
  for (const name of names) {
    const array = arrays.get(name);
    const offsets = [BigInt(end), BigInt((end += array.byteLength))];
    const entry = { dtype: NAMES.get(array.constructor), shape: [BigInt(array.length)], data_offsets: offsets };
    header.set(name, new Map(Object.entries(entry)));
  }
  const body = new Uint8Array(end);
  for (const name of names) {
    const { buffer, byteOffset, byteLength } = arrays.get(name);
    body.set(new Uint8Array(buffer, byteOffset, byteLength), Number(header.get(name).get('data_offsets')[0]));
  }
  const content = new Map([['format', FORMAT], ...metadata]);
  const head = checksumOf(kernel, content, header);
  const crc32 = kernel.scope(() => kernel.call('crc32', kernel.lend(body), body.length, head) >>> 0);
  const stored = stringify(new Map([...content, ['crc32', BigInt(crc32)]]), { sorted: true });
  const all = new Map([['__metadata__', new Map([[KEY, stored]])], ...header]);
  const text = new TextEncoder().encode(stringify(all, { comma: ',', colon: ':' }));
  const headerSize = text.length + ((64 - ((8 + text.length) % 64)) % 64);
  const file = new Uint8Array(8 + headerSize + body.length).fill(0x20, 0, 8 + headerSize);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerSize), true);
  file.set(text, 8);
  file.set(body, 8 + headerSize);
  return file;
}

/** The arrays of a file; whatever is taken from it keeps what it promises, or an error names it. */
export class CheckedFile {
  constructor(kernel, arrays) {
    Object.assign(this, { kernel, arrays });
  }

  fail(problem) {
    return new ModelFileError(`the model: damaged: ${problem}`);
  }

  /** An array of a type, or of a narrower one, with `length` values, none of them negative, all smaller than `below`. */
  take(key, Type, { length = null, below = null } = {}) {
    const array = this.arrays.get(key);
    if (!array) throw this.fail(`the array ${shown(key)} is missing`);
    const isNarrower = array.Type.BYTES_PER_ELEMENT < Type.BYTES_PER_ELEMENT && isUnsigned(array.Type);
    if (array.Type !== Type && !isNarrower) throw this.fail(`the array ${shown(key)} has type ${array.Type.name}`);
    if (length !== null && array.length !== length) {
      throw this.fail(`the array ${shown(key)} has ${array.length} values instead of ${length}`);
    }
    const values = array.view();
    if (!isUnsigned(Type) && !values.every((value) => value >= 0)) {
      throw this.fail(`the array ${shown(key)} has a value that is negative or no number`);
    }
    if (below !== null && !values.every((value) => value < below)) {
      throw this.fail(`the array ${shown(key)} has a value beyond ${below - 1}`);
    }
    if (!isNarrower) return array;
    const widened = Type === BigInt64Array ? BigInt64Array.from(values, BigInt) : Type.from(values);
    return new Stored(this.kernel, Type, this.kernel.put(widened), array.length);
  }

  /** Where each group begins, and the end, from what `packSizes` made of the groups' sizes. */
  takeFirsts(key, { groups, members }) {
    const { kernel } = this;
    const large = this.take(`${key}.large`, Uint32Array);
    const sizes = this.take(key, Uint8Array, { length: groups });
    const firsts = new Stored(kernel, Uint32Array, kernel.allocate(Uint32Array, groups + 1), groups + 1);
    const [end, largeCount] = kernel.scope(() => {
      const out = kernel.borrow(Float64Array, 2);
      kernel.call('sum_up_sizes', sizes.place, groups, large.place, large.length, firsts.place, out);
      return kernel.view(Float64Array, out, 2).slice();
    });
    if (largeCount !== large.length) {
      throw this.fail(`the array ${shown(key + '.large')} has ${large.length} values instead of ${largeCount}`);
    }
    if (end !== members) throw this.fail(`the sizes in ${shown(key)} add up to ${end}, and there are ${members}`);
    return firsts;
  }

  /** Refuses a table whose keys, the first two bytes of its members, do not ascend within a group, or are too large. */
  checkKeys(key, members, memberBytes, firsts, below) {
    const { kernel } = this;
    const count = (members.length * members.Type.BYTES_PER_ELEMENT) / memberBytes;
    const [largest, ascend] = kernel.scope(() => {
      const out = kernel.borrow(Float64Array, 2);
      kernel.call('check_keys', members.place, memberBytes, count, firsts.place, firsts.length - 1, out);
      return kernel.view(Float64Array, out, 2).slice();
    });
    if (count && !(largest < below)) throw this.fail(`the array ${shown(key)} names ${largest}, beyond ${below - 1}`);
    if (!ascend) throw this.fail(`the array ${shown(key)} is not sorted`);
  }
}

const isUnsigned = (Type) => [Uint8Array, Uint16Array, Uint32Array].includes(Type);

/** The sizes of groups as bytes with an escape: large ones go to `key.large`, in their order. */
export function packSizes(kernel, key, firsts) {
  const { LARGE } = kernel.constants;
  const sizes = new Uint8Array(firsts.length - 1);
  const large = [];
  for (let group = 0; group < sizes.length; ++group) {
    const size = firsts[group + 1] - firsts[group];
    sizes[group] = Math.min(size, LARGE);
    if (size >= LARGE) large.push(size);
  }
  return [
    [key, sizes],
    [`${key}.large`, Uint32Array.from(large)],
  ];
}

/** The narrowest of 8, 16 and 32 bits that unsigned values fit into. */
export function narrow(values) {
  let largest = 0;
  for (const value of values) if (value > largest) largest = value;
  return (largest < 1 << 8 ? Uint8Array : largest < 1 << 16 ? Uint16Array : Uint32Array).from(values);
}

/** Whether a value of the metadata is a finite number. */
export const isNumber = (value) =>
  (value instanceof Float || typeof value === 'bigint') && Number.isFinite(Number(value));
