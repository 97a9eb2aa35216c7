/** What one word says, and which of its pieces say it. */

import { el, isolated, show } from './dom.js';
import { times } from './numbers.js';

/**
 * @param {import("./main.js").App} app
 * @param {import("./reasons.js").Reasons} reasons
 * @param {import("./reasons.js").Word} word
 * @param {import("./colours.js").Colours} colours
 * @returns {Node[]}
 */
export function wordCard(app, reasons, word, colours) {
  const names = [reasons.label, reasons.against].map((label) => app.catalogue.nameOf(label));
  const [winner, loser] = word.nats >= 0 ? names : [names[1], names[0]];
  const says =
    Math.abs(word.nats) < 0.05
      ? ['As likely in ', isolated(names[0]), ' as in ', isolated(names[1]), '.']
      : [el('strong', {}, `${times(word.nats)} likelier`), ' in ', isolated(winner), ' than in ', isolated(loser), '.'];
  const best = word.best !== reasons.label && word.best !== reasons.against;
  return [
    el('h3', {}, isolated(word.text)),
    el('p', {}, ...says),
    best
      ? el(
          'p',
          { class: 'note' },
          'Of all languages, ',
          isolated(app.catalogue.nameOf(word.best)),
          ' explains this word best.',
        )
      : null,
    ...word.sides.map((side, place) =>
      pieces(names[place], side, colours.strong([reasons.label, reasons.against][place])),
    ),
    strip(word, names, reasons, colours),
    word.sides[0].characters.length
      ? el(
          'p',
          { class: 'note' },
          'Each letter after those before it, in nats; ␣ is the space before the word, ⏎ its end.',
        )
      : null,
  ].filter(Boolean);
}

/** The pieces of the word under one language; a model of characters alone has none. */
function pieces(name, side, colour) {
  const said = [
    side.foreign && 'is not written in this script',
    side.whole > 0 && `uses this word often (+${side.whole.toFixed(1)})`,
    side.bounded && 'would find it so unlikely that not all of it counts',
  ].filter(Boolean);
  if (!said.length && !side.pieces.length) return null;
  return el(
    'div',
    { class: 'pieces', style: { '--mark': colour } },
    el('span', { class: 'pieces-name' }, isolated(name)),
    el(
      'span',
      { class: 'pieces-list' },
      ...side.pieces.map(({ text, nats, unseen }) =>
        el(
          'span',
          { class: unseen ? 'piece unseen' : 'piece', title: unseen ? 'This language never had this piece.' : null },
          isolated(visible(text)),
          el('span', { class: 'figure' }, nats.toFixed(1)),
        ),
      ),
      said.length ? el('span', { class: 'note' }, said.join(' and ')) : null,
    ),
  );
}

/** The characters, each after those before it, in the colour of the language that it speaks for, with how much. */
function strip(word, names, reasons, colours) {
  const [first, second] = word.sides;
  if (!first.characters.length || first.foreign || second.foreign) return null;
  const differences = word.characters.map((_, place) => first.characters[place] - second.characters[place]);
  const widest = Math.max(...differences.map(Math.abs), 1);
  const spoken = word.characters
    .map((character, place) => ({ character, nats: differences[place] }))
    .filter(({ nats }) => Math.abs(nats) >= 0.5)
    .map(
      ({ character, nats }) =>
        `${SPOKEN[character] ?? character}: ${Math.abs(nats).toFixed(1)} for ${names[nats >= 0 ? 0 : 1]}`,
    );
  return el(
    'div',
    {
      class: 'strip',
      dir: 'auto',
      role: 'img',
      'aria-label': `Letter by letter, in nats. ${spoken.join('; ') || 'No letter says much.'}`,
    },
    ...word.characters.map((character, place) => {
      const nats = differences[place];
      const colour = colours.strong(nats >= 0 ? reasons.label : reasons.against);
      const share = `${Math.round((100 * Math.abs(nats)) / widest)}%`;
      return el(
        'span',
        { class: 'letter', style: { '--mark': colour, '--share': share } },
        el('span', {}, character === '' ? '⏎' : visible(character)),
        el('span', { class: 'figure' }, Math.abs(nats) < 0.05 ? '' : Math.abs(nats).toFixed(1)),
      );
    }),
  );
}

/** What has no sound of its own. */
const SPOKEN = { '': 'the end of the word', ' ': 'the space before it' };

/** Spaces are seen, and marks stand on a circle. @param {string} text */
function visible(text) {
  return text.replace(/ /gu, '␣').replace(/^(?=\p{M})/u, '◌');
}

/** The card beside the word that it is about; it stays while the pointer is on it, and Escape closes it. */
export class Card {
  constructor() {
    this.element = el('div', { class: 'card', id: 'word-card', role: 'tooltip', hidden: true });
    this.element.addEventListener('pointerenter', () => clearTimeout(this._leaving));
    this.element.addEventListener('pointerleave', () => this.leave());
  }

  /** @param {HTMLElement} word @param {Node[]} content */
  open(word, content) {
    clearTimeout(this._leaving);
    this._word?.removeAttribute('aria-describedby');
    this._word = word;
    word.setAttribute('aria-describedby', this.element.id);
    show(this.element, ...content);
    this.element.hidden = false;
    const around = this.element.offsetParent?.getBoundingClientRect();
    const box = word.getClientRects()[0];
    if (!around || !box) return;
    const left = Math.min(Math.max(box.left - around.left, 0), around.width - this.element.offsetWidth);
    this.element.style.setProperty('left', `${Math.max(left, 0)}px`);
    // Below the word, or above it where the window ends first.
    const height = this.element.offsetHeight + 6;
    const isAbove = box.bottom + height > innerHeight && box.top > height;
    this.element.style.setProperty('top', `${(isAbove ? box.top - height : box.bottom + 6) - around.top}px`);
  }

  leave() {
    clearTimeout(this._leaving);
    this._leaving = setTimeout(() => this.close(), 200);
  }

  close() {
    clearTimeout(this._leaving);
    this._word?.removeAttribute('aria-describedby');
    this._word = null;
    this.element.hidden = true;
  }
}
