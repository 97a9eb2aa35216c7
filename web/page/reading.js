/** The text as it was read: its stretches in the colours of their languages, its words to point at, and a legend. */

import { el, isolated } from './dom.js';
import { percentage } from './numbers.js';
import { Card, wordCard } from './word-card.js';

/**
 * @param {import("./main.js").App} app
 * @param {object} read
 * @param {string} read.text
 * @param {{start: number, end: number, label: string, probability: number}[]} read.spans
 * @param {import("./reasons.js").Reasons} read.reasons
 * @param {import("./colours.js").Colours} colours
 * @returns {Node[]}
 */
export function reading(app, { text, spans, reasons }, colours) {
  const card = new Card();
  const several = new Set(spans.map(({ label }) => label)).size > 1;
  const words = reasons.words.filter((word) => word.counts);
  const widest = Math.max(...words.map(({ nats }) => Math.abs(nats)), 1);
  /** @type {Map<HTMLElement, import("./reasons.js").Word>} */
  const shown = new Map();

  function stretch({ start, end, label }) {
    const parts = [];
    const tag = app.catalogue.get(label)?.tag; // for voices and fonts
    let at = start;
    for (const word of words) {
      if (word.start < at || word.end > end) continue;
      const colour = colours.strong(word.nats >= 0 ? reasons.label : reasons.against);
      const element = el(
        'span',
        {
          class: 'word',
          lang: tag,
          role: 'button',
          tabindex: shown.size ? '-1' : '0',
          style: { '--mark': colour, '--weight': (Math.abs(word.nats) / widest).toFixed(2) },
        },
        text.slice(word.start, word.end),
      );
      shown.set(element, word);
      parts.push(text.slice(at, word.start), element);
      at = word.end;
    }
    parts.push(text.slice(at, end));
    return el(
      'span',
      {
        class: 'stretch',
        role: 'group',
        'aria-label': app.catalogue.nameOf(label),
        'data-label': label,
        style: { '--tint': colours.tint(label), '--mark': colours.strong(label) },
      },
      // Drawn by the style sheet: a code in Latin letters would decide the direction of the text.
      several ? el('span', { class: 'tag', 'data-code': label.split('_')[0], 'aria-hidden': 'true' }) : null,
      ...parts,
    );
  }

  const open = (element) => card.open(element, wordCard(app, reasons, shown.get(element), colours));
  const wordOf = (event) => /** @type {HTMLElement | null} */ (event.target.closest?.('.word'));

  /** One word is in the order of the tab key; arrows go on from there. */
  function key(event) {
    const element = wordOf(event);
    if (!element) return;
    const all = [...shown.keys()];
    const here = all.indexOf(element);
    const forward = getComputedStyle(element).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const to = { [forward]: here + 1, [backward]: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined && all[to]) {
      event.preventDefault();
      element.setAttribute('tabindex', '-1');
      all[to].setAttribute('tabindex', '0');
      all[to].focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      open(element);
    } else if (event.key === 'Escape') card.close();
  }

  const block = el(
    'div',
    {
      class: 'read',
      dir: 'auto',
      role: 'group',
      'aria-label': 'The text, word by word. Arrow keys go from word to word.',
      on: {
        pointerover: (event) => wordOf(event) && open(wordOf(event)),
        pointerout: (event) => wordOf(event) && card.leave(),
        focusin: (event) => wordOf(event) && open(wordOf(event)),
        focusout: () => card.leave(),
        click: (event) => wordOf(event) && open(wordOf(event)),
        keydown: key,
      },
    },
    ...spans.map(stretch),
  );
  return [el('div', { class: 'read-frame' }, block, card.element), legend(app, spans, colours)];
}

function legend(app, spans, colours) {
  const letters = new Map();
  for (const { start, end, label } of spans) letters.set(label, (letters.get(label) ?? 0) + end - start);
  const all = [...letters.values()].reduce((sum, one) => sum + one, 0);
  return el(
    'ul',
    { class: 'legend', 'aria-label': 'Languages of the text' },
    ...[...letters]
      .sort((a, b) => b[1] - a[1])
      .map(([label, size]) =>
        el(
          'li',
          { style: { '--tint': colours.tint(label), '--mark': colours.strong(label) } },
          el('span', { class: 'swatch', 'aria-hidden': 'true' }),
          isolated(app.catalogue.nameOf(label)),
          el('span', { class: 'figure' }, percentage(size / all)),
        ),
      ),
  );
}
