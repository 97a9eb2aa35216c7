// Names the language of texts, in a page or in Node. Answers are those of the Python package, to the bit.

import { Index } from './src/codes.js';
import { Answerer, unpackDecisions } from './src/decisions.js';
import { UnilidError } from './src/errors.js';
import { Explainer, explain } from './src/explanation.js';
import { plainValue } from './src/json.js';
import { withLanguage } from './src/fitting.js';
import { Kernel } from './src/kernel.js';
import { Tables, checkLabel } from './src/labels.js';
import { wholeNumber } from './src/numbers.js';
import { unpackParameters } from './src/parameters.js';
import { Scorers } from './src/scorers.js';
import { findSpans } from './src/spans.js';
import { CheckedFile, decode } from './src/store.js';

export { ModelFileError, UnilidError, UnknownLanguageError } from './src/errors.js';

/** Texts in one call of the kernel, and the characters of these, about: answers need memory, too. */
const CHUNK_TEXTS = 4_096,
  CHUNK_CHARACTERS = 1 << 20;

/** Names the language of texts. Immutable: what changes a model returns a new one. */
export class Model {
  #kernel;
  #file;
  #answerer;
  #explainers = {};

  /** Use `Model.load`. */
  constructor(kernel, content, tables) {
    const { arrays, metadata, place } = decode(kernel, content);
    const file = new CheckedFile(kernel, arrays);
    const parameters = unpackParameters(file, metadata);
    const decisions = unpackDecisions(file, metadata.get('decisions'), parameters.languages.length);
    if (!(metadata.get('info') instanceof Map)) throw file.fail('its info cannot be understood');
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

  /**
   * Names the language of one text, or of each of many; with `k`, the k best, best first.
   *
   * @param {string | null | Iterable<string | null>} texts
   */
  identify(texts, { k = null, ...options } = {}) {
    const count = k === null ? 1 : wholeNumber('k', k);
    const request = this.#answerer.request(options);
    const isOne = texts === null || texts === undefined || typeof texts === 'string';
    if (!isOne && typeof texts[Symbol.iterator] !== 'function') {
      throw new UnilidError(`a text is a string or null, and many are a list of these, not ${typeof texts}`);
    }
    const all = [];
    for (const chunk of inChunks(isOne ? [texts] : [...texts])) {
      const answers = this.#answerer.answers(chunk, request, count);
      for (const ranked of answers) all.push(k === null ? ranked[0] : ranked);
    }
    return isOne ? all[0] : all;
  }

  /** The languages of a mixed text: which stretch is in which. */
  spans(text, options = {}) {
    return findSpans(this.#answerer, text, options);
  }

  /** Why a text is in one language rather than in another, word by word; as Python's `Explanation.record()` has it. */
  explain(text, { language = null, instead = null, k: _, ...options } = {}) {
    const request = this.#answerer.request(options);
    const { calibrated } = request;
    const explainer = (this.#explainers[calibrated] ??= new Explainer(this.#answerer, calibrated));
    return explain(explainer, text ?? '', request, language, instead);
  }

  /** The labels that a code stands for: ISO 639 of any part, BCP 47 tags, macrolanguages. */
  matching(code) {
    return this.#answerer.index.rowsMatching(code).map((row) => this.languages[row]);
  }

  /** What is known of a label of the model. */
  about(label) {
    const { index, parameters } = this.#answerer;
    const row = index.rowOf.get(label);
    if (row === undefined) throw index.unknown(label);
    const known = index.tables.meaning(label);
    const said = saidOf(this.#file.metadata.get('info'), label);
    return {
      ...known,
      ...said,
      name: said.name ?? known.name,
      autonym: said.autonym ?? known.autonym,
      lines: Number(parameters.lines.view()[row]),
      confusedWith: index.tables.confusedWith(label).filter((other) => index.rowOf.has(other.label)),
    };
  }

  /** A model that also knows a new language, learned from a few lines. No other row changes. */
  addLanguage(label, lines) {
    checkLabel(label);
    if (typeof lines === 'string' || typeof lines?.[Symbol.iterator] !== 'function') {
      throw new UnilidError(`${label}: lines must be a list of texts`);
    }
    const texts = [...lines];
    if (!texts.length) throw new UnilidError(`${label}: no lines to learn from`);
    if (texts.some((text) => typeof text !== 'string')) throw new UnilidError(`${label}: a line is a string`);
    if (this.languages.includes(label)) throw new UnilidError(`the model knows ${label} already; choose another label`);
    const content = withLanguage(this.#answerer, this.#file.metadata, label, texts);
    return new Model(this.#kernel.another(), content, this.#answerer.index.tables);
  }

  /** The bytes of a .unilid file, which Python loads. */
  save() {
    const { place, size } = this.#file;
    return this.#kernel.view(Uint8Array, place, size).slice();
  }

  /** Gives back the memory at once; it is given back, too, when nobody refers to the model any more. */
  free() {
    this.#kernel.free();
  }
}

/** What a model says of a label; it may come from anywhere, so that only what makes sense is taken. */
function saidOf(info, label) {
  const parts = ['labels', 'added'].map((name) => info.get(name)).filter((part) => part instanceof Map);
  const own = parts
    .map((part) => part.get(label))
    .filter((facts) => facts instanceof Map)
    .map(plainValue);
  const { name, autonym, f1, sources, source } = Object.assign({}, ...own);
  const isText = (value) => typeof value === 'string';
  return {
    name: isText(name) ? name : null,
    autonym: isText(autonym) ? autonym : null,
    f1: typeof f1 === 'number' ? f1 : null,
    sources: [...(Array.isArray(sources) ? sources : []), source].filter(isText),
  };
}

function* inChunks(texts) {
  let chunk = [],
    characters = 0;
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
    },
  ));
}

/** The bytes of what is given, or of what lies at an address; Node reads files, too. */
async function bytesOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof Response !== 'undefined' && source instanceof Response) {
    if (!source.ok)
      throw new UnilidError(`${source.url || 'the file'} cannot be read: ${source.status} ${source.statusText}`);
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
