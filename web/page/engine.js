/** The model, as the page sees it: questions to a worker, so that typing never waits for an answer. */

/** An error that is a sentence for the visitor. */
export class EngineError extends Error {}

export class Engine extends EventTarget {
  constructor() {
    super();
    this._open = new Map();
    this._ids = 0;
    this._worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module', name: 'unilid' });
    this._worker.addEventListener('message', ({ data }) => this._hear(data));
    this._worker.addEventListener('error', (event) => {
      event.preventDefault();
      this._fail(
        `The part of the page that computes could not be started${event.message ? `: ${event.message}` : ''}. Reload to try again.`,
      );
    });
    /** Resolves when the model is loaded. @type {Promise<void>} */
    this.ready = this.ask('start');
  }

  /**
   * Ask the worker; see the methods of worker.js.
   * @param {string} question @param {...any} details
   * @returns {Promise<any>}
   */
  ask(question, ...details) {
    if (this._failure) return Promise.reject(new EngineError(this._failure));
    this._ids += 1;
    const id = this._ids;
    return new Promise((resolve, reject) => {
      this._open.set(id, { resolve, reject });
      this._worker.postMessage({ id, question, details });
    });
  }

  _hear({ id, progress, answer, error }) {
    if (progress) {
      this.dispatchEvent(new CustomEvent('progress', { detail: progress }));
      return;
    }
    const waiting = this._open.get(id);
    this._open.delete(id);
    if (error === undefined) waiting?.resolve(answer);
    else waiting?.reject(new EngineError(error));
  }

  _fail(sentence) {
    this._failure = sentence;
    for (const { reject } of this._open.values()) reject(new EngineError(sentence));
    this._open.clear();
  }
}

/**
 * Wrap a question of which only the last asking matters: while one is answered, the newest waits and the others are
 * dropped. A dropped one resolves to undefined.
 * @template {any[]} A, R
 * @param {(...details: A) => Promise<R>} ask
 * @returns {(...details: A) => Promise<R | undefined>}
 */
export function latest(ask) {
  let running = false;
  /** @type {{details: A, resolve: (value?: any) => void, reject: (reason: any) => void} | null} */
  let waiting = null;

  async function run({ details, resolve, reject }) {
    running = true;
    try {
      const answer = await ask(...details);
      resolve(waiting ? undefined : answer); // a newer question makes this answer old
    } catch (error) {
      if (waiting) resolve();
      else reject(error);
    }
    running = false;
    const next = waiting;
    waiting = null;
    if (next) run(next);
  }

  return (...details) =>
    new Promise((resolve, reject) => {
      waiting?.resolve();
      if (running) waiting = { details, resolve, reject };
      else run({ details, resolve, reject });
    });
}
