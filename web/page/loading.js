/** How far the model is loaded, and what went wrong if it was not. */

import { el, show } from './dom.js';
import { megabytes } from './numbers.js';

export class Loading {
  /** @param {import("./engine.js").Engine} engine */
  constructor(engine) {
    this._bar = /** @type {HTMLProgressElement} */ (el('progress', { max: 1, 'aria-label': 'Loading the model' }));
    this._text = el('span', {}, 'Loading the model …');
    this.element = el('p', { class: 'loading' }, this._bar, this._text);
    engine.addEventListener('progress', (event) => {
      const { loaded, total } = /** @type {CustomEvent} */ (event).detail;
      if (total) this._bar.value = loaded / total;
      this._text.textContent =
        loaded === total
          ? 'Preparing the model …'
          : `Loading the model, ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ''} MB; next time it is here already.`;
    });
  }

  done() {
    this.element.remove();
  }

  /** @param {string} sentence */
  fail(sentence) {
    this.element.className = 'loading error';
    this.element.setAttribute('role', 'alert');
    show(
      this.element,
      sentence,
      ' ',
      el('button', { type: 'button', on: { click: () => location.reload() } }, 'Reload'),
    );
  }
}
