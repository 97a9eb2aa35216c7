/** The answer: the language in its own name and in the reader's, how sure that is, and the next four. */

import { bar, el, isolated } from './dom.js';
import { reader } from './names.js';
import { percentage } from './numbers.js';
import { sentenceFor } from './sentences.js';

/**
 * @param {import("./main.js").App} app
 * @param {import('./unilid.js').Prediction[]} ranked predictions, best first
 * @param {import("./colours.js").Colours} colours
 * @param {(label: string) => void} compare
 * @returns {HTMLElement[]}
 */
export function answerOf(app, ranked, colours, compare) {
  const [best, ...rest] = ranked;
  const sentence = sentenceFor(best);
  if (best.label === 'zxx') return [heading(app, 'No language', null), el('p', { class: 'sentence' }, sentence)];
  const named = best.label === 'und' ? rest : ranked;
  const next = named.filter((one) => one.label !== best.label).slice(0, best.label === 'und' ? 5 : 4);
  if (best.label === 'und') {
    const maybe = best.guess ? others(app, 'It might be', next, colours, compare) : null;
    return [heading(app, 'Not sure', null), el('p', { class: 'sentence' }, sentence), maybe];
  }
  return [
    heading(app, app.catalogue.nameOf(best.label), app.catalogue.get(best.label)),
    el(
      'p',
      { class: 'probability' },
      bar(best.probability, colours.strong(best.label)),
      el('span', {}, percentage(best.probability)),
    ),
    others(app, 'Then', next, colours, compare),
  ];
}

function heading(app, name, entry) {
  const own = entry?.own && entry.own !== name ? entry.own : null;
  return el(
    'div',
    { class: 'name' },
    el('h2', {}, own ? isolated(own, { lang: entry.tag }) : isolated(name, { lang: entry ? reader : null })),
    el(
      'p',
      {},
      own ? isolated(name, { lang: reader, class: 'readers-name' }) : null,
      entry
        ? el(
            'a',
            {
              class: 'code',
              ...app.address.link({ view: 'languages', language: entry.label }),
              title: 'What is known of this language',
            },
            entry.label,
          )
        : null,
    ),
  );
}

function others(app, title, next, colours, compare) {
  if (!next.length) return null;
  return el(
    'div',
    { class: 'others' },
    el('h3', {}, title),
    el(
      'ol',
      {},
      ...next.map((one) =>
        el(
          'li',
          {},
          isolated(app.catalogue.nameOf(one.label)),
          bar(one.probability, colours.strong(one.label)),
          el('span', { class: 'figure' }, percentage(one.probability)),
          el(
            'button',
            {
              type: 'button',
              class: 'quiet',
              'aria-label': `Why not ${app.catalogue.nameOf(one.label)}?`,
              on: { click: () => compare(one.label) },
            },
            'why not?',
          ),
        ),
      ),
    ),
  );
}
