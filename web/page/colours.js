/** Colours of languages: the first languages of a text have one each, all others share a grey. */

const COLOURS = 8;

export class Colours {
  /** @param {Iterable<string>} labels the most important first; `und` and `zxx` are grey */
  constructor(labels) {
    const named = [...new Set(labels)].filter((label) => label && label !== 'und' && label !== 'zxx');
    this._places = new Map(named.slice(0, COLOURS).map((label, place) => [label, place + 1]));
  }

  /** The colour of a line or a bar. @param {string} label */
  strong(label) {
    return `var(--strong-${this._places.get(label) ?? 0})`;
  }

  /** The colour behind text. @param {string} label */
  tint(label) {
    return `var(--tint-${this._places.get(label) ?? 0})`;
  }
}
