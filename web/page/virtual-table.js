/** A table of any length of which only the rows in sight are elements. */

import { el, show } from './dom.js';

/** Height of a row in pixels; the style sheet has the same. */
const ROW = 44;
/** Rows beyond each edge that are there before they are seen. */
const MARGIN = 8;

/**
 * @template R
 * @typedef {object} Column
 * @property {string} name
 * @property {string} [class]
 * @property {(row: R) => (Node | string | null)[]} cell
 */

/** @template R */
export class VirtualTable {
  /** @param {{label: string, class: string, columns: Column<R>[]}} settings */
  constructor({ label, class: name, columns }) {
    this._columns = columns;
    /** @type {R[]} */
    this._rows = [];
    /** @type {Map<number, HTMLElement>} */
    this._shown = new Map();
    this._body = el('div', { class: 'rows', role: 'rowgroup' });
    const head = el(
      'div',
      { role: 'rowgroup', class: 'head' },
      el(
        'div',
        { role: 'row', class: 'row', 'aria-rowindex': 1 },
        ...columns.map((one) => el('div', { role: 'columnheader', class: one.class }, one.name)),
      ),
    );
    this.element = el(
      'div',
      { class: `table ${name}`, role: 'table', 'aria-label': label, tabindex: 0 },
      head,
      this._body,
    );
    let asked = false;
    const draw = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        this._draw();
      });
    };
    this.element.addEventListener('scroll', draw, { passive: true });
    new ResizeObserver(draw).observe(this.element);
  }

  /** Show other rows, from the top unless the place shall be kept. @param {R[]} rows */
  setRows(rows, { keepPlace = false } = {}) {
    this._rows = rows;
    this._shown.clear();
    show(this._body);
    this._body.style.setProperty('height', `${rows.length * ROW}px`);
    this.element.setAttribute('aria-rowcount', String(rows.length + 1));
    if (!keepPlace) this.element.scrollTop = 0;
    this._draw();
  }

  _draw() {
    const first = Math.max(Math.floor(this.element.scrollTop / ROW) - MARGIN, 0);
    const last = Math.min(
      Math.ceil((this.element.scrollTop + this.element.clientHeight) / ROW) + MARGIN,
      this._rows.length,
    );
    for (const [place, row] of this._shown) {
      // The row that has the focus stays, wherever it is.
      if ((place < first || place >= last) && !row.contains(document.activeElement)) {
        row.remove();
        this._shown.delete(place);
      }
    }
    /** @type {Element | null} */
    let before = null;
    for (let place = last - 1; place >= first; place -= 1) {
      let row = this._shown.get(place);
      if (!row) {
        row = this._row(place);
        this._shown.set(place, row);
        this._body.insertBefore(row, before);
      }
      before = row;
    }
  }

  _row(place) {
    const row = this._rows[place];
    return el(
      'div',
      { role: 'row', class: 'row', 'aria-rowindex': place + 2, style: { transform: `translateY(${place * ROW}px)` } },
      ...this._columns.map((one) => el('div', { role: 'cell', class: one.class }, ...one.cell(row))),
    );
  }
}
