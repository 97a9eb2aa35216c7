/** Why not the other language: the words that decide between two, as bars that go to either side. */

import { el, isolated } from './dom.js';
import { counted, times } from './numbers.js';

/** Words that have a bar of their own; what the others say is added up. */
const WORDS = 12;

/**
 * Words by weight, the same word once, the rest added up; with the prior and the handicap they are the whole difference.
 * @param {import("./reasons.js").Reasons} reasons
 * @returns {{word: string | null, name: string, nats: number}[]}
 */
export function deciding(reasons) {
  const sums = new Map();
  for (const { text, nats, counts } of reasons.words) {
    if (!counts) continue;
    const known = sums.get(text) ?? { nats: 0, often: 0 };
    sums.set(text, { nats: known.nats + nats, often: known.often + 1 });
  }
  const words = [...sums].sort((a, b) => Math.abs(b[1].nats) - Math.abs(a[1].nats));
  const rows = words
    .slice(0, WORDS)
    .map(([word, { nats, often }]) => ({ word, name: often > 1 ? ` × ${often}` : '', nats }));
  const rest = words.slice(WORDS);
  if (rest.length) {
    const nats = rest.reduce((sum, [, one]) => sum + one.nats, 0);
    rows.push({ word: null, name: `${counted(rest.length, 'other word')}`, nats });
  }
  if (Math.abs(reasons.prior) > 1e-9) rows.push({ word: null, name: 'expected beforehand', nats: reasons.prior });
  if (Math.abs(reasons.handicap) > 1e-9) rows.push({ word: null, name: 'handicap', nats: reasons.handicap });
  return rows;
}

/**
 * @param {import("./main.js").App} app
 * @param {import("./reasons.js").Reasons} reasons
 * @param {import("./colours.js").Colours} colours
 */
export function versusChart(app, reasons, colours) {
  const rows = deciding(reasons);
  const [first, second] = [reasons.label, reasons.against].map((label) => app.catalogue.nameOf(label));
  const widest = Math.max(...rows.map(({ nats }) => Math.abs(nats)), 1);
  const winner = reasons.total >= 0 ? first : second;
  const loser = reasons.total >= 0 ? second : first;
  const total = el(
    'p',
    { class: 'sentence' },
    'Together: the text is ',
    el('strong', {}, `${times(reasons.total)} likelier`),
    ' as ',
    isolated(winner),
    ' than as ',
    isolated(loser),
    '.',
  );
  const table = el(
    'table',
    { class: 'versus' },
    el('caption', { class: 'hidden-label' }, `Words that speak for ${first} or for ${second}, in nats`),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', { scope: 'col', class: 'against' }, '← ', isolated(second)),
        el('th', { scope: 'col', class: 'middle' }, el('span', { class: 'hidden-label' }, 'Word')),
        el('th', { scope: 'col', class: 'for' }, isolated(first), ' →'),
      ),
    ),
    el(
      'tbody',
      {},
      ...rows.map(({ word, name, nats }) => {
        const side = (mine, colour) =>
          el(
            'td',
            { class: mine > 0 ? 'side' : 'side empty' },
            mine > 0
              ? el(
                  'span',
                  { class: 'nats' },
                  el('span', { style: { width: `${(78 * mine) / widest}%`, 'background-color': colour } }),
                  el('span', {}, mine.toFixed(1)),
                )
              : null,
          );
        return el(
          'tr',
          {},
          side(-nats, colours.strong(reasons.against)),
          el('th', { scope: 'row', class: word === null ? 'rest' : '' }, word === null ? null : isolated(word), name),
          side(nats, colours.strong(reasons.label)),
        );
      }),
    ),
  );
  return [
    total,
    table,
    el('p', { class: 'note' }, 'Bars are in nats: 2.3 nats are ten times likelier, 4.6 a hundred times.'),
  ];
}
