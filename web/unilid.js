// Names the language of texts, in a page or in Node. Answers are those of the Python package, to the bit.

import { Index } from './src/codes.js';
import { Answerer, unpackDecisions } from './src/decisions.js';
import { UnilidError } from './src/errors.js';
import { Kernel } from './src/kernel.js';
import { Tables } from './src/labels.js';
import { wholeNumber } from './src/numbers.js';
import { unpackParameters } from './src/parameters.js';
import { Scorers } from './src/scorers.js';
import { CheckedFile, decode } from './src/store.js';

export { ModelFileError, UnilidError, UnknownLanguageError } from './src/errors.js';

/** Texts in one call of the kernel, and the characters of these, about: answers need memory, too. */
const CHUNK_TEXTS = 4_096, CHUNK_CHARACTERS = 1 << 20;

/** Names the language of texts. Immutable: what changes a model returns a new one. */
export class Model {
  #kernel;
  #file;
  #answerer;

  /** Use `Model.load`. */
  constructor(kernel, content, tables) {
    const { arrays, metadata, place } = decode(kernel, content);
    const file = new CheckedFile(kernel, arrays);
    const parameters = unpackParameters(file, metadata);
    const decisions = unpackDecisions(file, metadata.get('decisions'), parameters.languages.length);
    const index = new Index(parameters.languages, tables);
    this.#kernel = kernel;
    this.#file = { place, size: content.length, metadata };
    this.#answerer = new Answerer(kernel, parameters, decisions, index, new Scorers(kernel, parameters));
    /** The labels, in the order of the rows. */
    this.languages = Object.freeze([...parameters.languages]);
  }

  /**
   * Loads a model file.
   *
   * @param {ArrayBuffer | ArrayBufferView | Response | string | URL} model its bytes, or where they are
   * @param {string | URL | BufferSource | WebAssembly.Module} [wasm] the kernel, if it is not beside this module
   */
  static async load(model, wasm = new URL('./unilid.wasm', import.meta.url)) {
    const [content, module, tables] = await Promise.all([
      bytesOf(model),
      wasm instanceof WebAssembly.Module ? wasm : bytesOf(wasm).then((bytes) => WebAssembly.compile(bytes)),
      languageTables(),
    ]);
    return new Model(new Kernel(module), content, tables);
  }

  identify(texts, { k = null, ...options } = {}) {
    const count = k === null ? 1 : wholeNumber('k', k);
    const request = this.#answerer.request(options);
    const isOne = texts === null || texts === undefined || typeof texts === 'string';
    const all = [];
    for (const chunk of inChunks(isOne ? [texts] : [...texts])) {
      const answers = this.#answerer.answers(chunk, request, count);
      for (const ranked of answers) all.push(k === null ? ranked[0] : ranked);
    }
    return isOne ? all[0] : all;
  }

  /** The bytes of a .unilid file, which Python loads. */
  save() {
    const { place, size } = this.#file;
    if (!this.#kernel.memory) throw new UnilidError('the model was freed');
    return this.#kernel.view(Uint8Array, place, size).slice();
  }

  /** Gives back the memory at once; it is given back, too, when nobody refers to the model any more. */
  free() {
    this.#kernel.free();
  }
}

function* inChunks(texts) {
  let chunk = [], characters = 0;
  for (const text of texts) {
    const length = text?.length ?? 0;
    if (chunk.length && (chunk.length === CHUNK_TEXTS || characters + length > CHUNK_CHARACTERS)) {
      yield chunk;
      [chunk, characters] = [[], 0];
    }
    chunk.push(text);
    characters += length;
  }
  if (chunk.length) yield chunk;
}

let tables = null;

/** What is known of languages; read once. */
function languageTables() {
  return (tables ??= bytesOf(new URL('./languages.json', import.meta.url)).then(
    (bytes) => new Tables(JSON.parse(new TextDecoder().decode(bytes))),
    (error) => {
      tables = null;
      throw error;
    }));
}

/** The bytes of what is given, or of what lies at an address; Node reads files, too. */
async function bytesOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof Response !== 'undefined' && source instanceof Response) {
    if (!source.ok) throw new UnilidError(`${source.url || 'the file'} cannot be read: ${source.status} ${source.statusText}`);
    return new Uint8Array(await source.arrayBuffer());
  }
  if (typeof source !== 'string' && !(source instanceof URL)) {
    throw new UnilidError('expected bytes, a Response or an address');
  }
  const isNode = typeof process !== 'undefined' && Boolean(process.versions?.node);
  if (isNode && !/^(https?|data|blob):/.test(String(source))) {
    const { readFile } = await import('node:fs/promises');
    const isFileUrl = source instanceof URL || source.startsWith('file:');
    return new Uint8Array(await readFile(isFileUrl ? new URL(source) : source));
  }
  let response;
  try {
    response = await fetch(source);
  } catch (error) {
    throw new UnilidError(`${source} cannot be read: ${error.message}`);
  }
  return bytesOf(response);
}
