/** The languages that the model knows: found by name, script or source, with how well each is known. */

import { bar, el, field, isolated, newId, show } from './dom.js';
import { reader } from './names.js';
import { count, counted, percentage } from './numbers.js';
import { VirtualTable } from './virtual-table.js';

/** What the sources of the model's text are. */
const SOURCES = {
  tatoeba: 'Tatoeba: sentences and their translations',
  common_voice: 'Common Voice: sentences to read aloud',
  oldi_seed: 'OLDI Seed: translated encyclopedia',
  ebible: 'eBible: translations of the Bible',
  wili: 'WiLI: paragraphs of Wikipedia',
  nusax: 'NusaX: reviews in languages of Indonesia',
  gatitos: 'GATITOS: translated words and phrases',
  wikimedia_ui: 'Wikimedia: texts of menus and messages',
  firefox_ui: 'Firefox: texts of menus and messages',
  unilex: 'UNILEX: word frequencies',
  frequency_words: 'FrequencyWords: words of subtitles',
  wordfreq: 'wordfreq: word frequencies',
  flores: 'FLORES+: translated news and travel guides',
  udhr: 'UDHR: the Universal Declaration of Human Rights',
};

const ORDERS = {
  name: { title: 'name', by: null },
  worst: { title: 'least well known first', by: (a, b) => (a.f1 ?? 2) - (b.f1 ?? 2) },
  best: { title: 'best known first', by: (a, b) => (b.f1 ?? -1) - (a.f1 ?? -1) },
  lines: { title: 'most text first', by: (a, b) => b.lines - a.lines },
};

/** How well a language is known, in words. @param {number | null} f1 */
export function knownHow(f1) {
  if (f1 === null) return 'not measured';
  if (f1 >= 0.97) return 'very well';
  if (f1 >= 0.9) return 'well';
  return f1 >= 0.6 ? 'fairly well' : 'poorly';
}

export class LanguagesView {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this._app = app;
    const { address } = app;
    const ids = ['find', 'script', 'source', 'order'].map(newId);
    this._search = /** @type {HTMLInputElement} */ (
      el('input', {
        id: ids[0],
        type: 'search',
        placeholder: 'Name or code',
        dir: 'auto',
        on: { input: () => address.set({ search: this._search.value, language: '' }) },
      })
    );
    this._script = this._select(ids[1], 'script');
    this._source = this._select(ids[2], 'source');
    this._order = /** @type {HTMLSelectElement} */ (
      el(
        'select',
        { id: ids[3], on: { change: () => this.update(address.state) } },
        ...Object.entries(ORDERS).map(([value, { title }]) => el('option', { value }, title)),
      )
    );
    /** @type {import('./catalogue.js').Entry[] | undefined} */
    this._rows = undefined;
    this._count = el('p', { class: 'note', role: 'status' });
    this._detail = el('section', { class: 'detail', 'aria-label': 'The language', tabindex: -1 });
    this._table = new VirtualTable({
      label: 'Languages',
      class: 'languages',
      columns: [
        {
          name: 'Language',
          class: 'language',
          cell: (one) => [
            el(
              'button',
              { type: 'button', class: 'link', on: { click: () => this._open(one.label) } },
              isolated(one.name, { lang: reader }),
            ),
          ],
        },
        { name: 'Calls itself', class: 'own', cell: (one) => [one.own ? isolated(one.own, { lang: one.tag }) : ''] },
        { name: 'Label', class: 'code', cell: (one) => [one.label] },
        { name: 'Script', class: 'script', cell: (one) => [isolated(one.scriptName)] },
        {
          name: 'Known (F1)',
          class: 'share',
          cell: (one) =>
            one.f1 === null ? ['not measured'] : [bar(one.f1), el('span', { class: 'figure' }, one.f1.toFixed(2))],
        },
        {
          name: 'Mixed up with',
          class: 'mixed',
          cell: (one) => [
            isolated(
              neighboursOf(one)
                .map((label) => app.catalogue.nameOf(label))
                .join(', '),
            ),
          ],
        },
      ],
    });
    this._lead = el('p', { class: 'lead' });
    this.element = el(
      'div',
      { class: 'languages-view' },
      el('h1', {}, 'Languages'),
      this._lead,
      el(
        'div',
        { class: 'filters' },
        field('Find', this._search),
        field('Script', this._script),
        field('Source of the text', this._source),
        field('Order', this._order),
      ),
      this._detail,
      this._count,
      this._table.element,
    );
  }

  _select(id, name) {
    return /** @type {HTMLSelectElement} */ (
      el('select', {
        id,
        on: { change: (event) => this._app.address.set({ [name]: event.target.value, language: '' }) },
      })
    );
  }

  /** @param {import("./address.js").State} state */
  update(state) {
    const { catalogue } = this._app;
    this._fill(catalogue);
    if (this._search.value !== state.search) this._search.value = state.search;
    this._script.value = state.script;
    this._source.value = state.source;
    const found = catalogue
      .search(state.search)
      .filter(
        (one) =>
          (!state.script || one.script === state.script) && (!state.source || one.sources.includes(state.source)),
      );
    const { by } = ORDERS[this._order.value];
    const rows = by ? [...found].sort(by) : found;
    const key = [state.search, state.script, state.source, this._order.value].join('\n');
    if (rows.length !== this._rows?.length || key !== this._key) this._table.setRows(rows);
    [this._rows, this._key] = [rows, key];
    this._count.textContent = catalogue.entries.length
      ? `${counted(rows.length, 'language')}.${rows.length ? '' : ' Try another name, or fewer filters.'}`
      : '';
    this._showDetail(catalogue.get(state.language));
  }

  /** The scripts and sources that occur, once the model is here. */
  _fill(catalogue) {
    if (this._catalogue === catalogue) return;
    this._catalogue = catalogue;
    this._key = null;
    const labels = catalogue.entries.length;
    show(
      this._lead,
      labels
        ? `The model knows ${count(labels)} languages and scripts. How well is measured on lines that it was not taught with; 1 is best.`
        : 'The list comes with the model.',
    );
    const scripts = new Map(catalogue.entries.filter((one) => one.script).map((one) => [one.script, one.scriptName]));
    const sources = new Set(catalogue.entries.flatMap((one) => one.sources));
    const options = (all, pairs) => [
      el('option', { value: '' }, all),
      ...pairs.sort((a, b) => a[1].localeCompare(b[1])).map(([value, name]) => el('option', { value }, name)),
    ];
    show(this._script, ...options('any', [...scripts]));
    show(
      this._source,
      ...options(
        'any',
        [...sources].map((one) => [one, SOURCES[one] ?? one]),
      ),
    );
  }

  _open(label) {
    this._app.address.set({ language: label });
    this._detail.focus({ preventScroll: false });
  }

  /** @param {import("./catalogue.js").Entry | undefined} one */
  _showDetail(one) {
    this._detail.hidden = !one;
    if (!one) {
      show(this._detail);
      return;
    }
    const { address, catalogue } = this._app;
    const neighbours = neighboursOf(one);
    const link = (label) => el('a', address.link({ language: label }), isolated(catalogue.nameOf(label)));
    const only = () => address.set({ view: 'text', only: [one.label, ...neighbours], language: '', pair: [] });
    show(
      this._detail,
      el('h2', {}, isolated(one.own ?? one.name, { lang: one.own ? one.tag : reader })),
      el(
        'dl',
        {},
        ...fact('Name', isolated(one.name)),
        ...fact('Label', el('code', {}, one.label), one.tag ? ` (BCP 47: ${one.tag})` : ''),
        ...fact('Script', one.scriptName || 'unknown'),
        ...fact(
          'Known',
          one.taught
            ? 'from your lines, in this tab'
            : `${knownHow(one.f1)}${one.f1 === null ? '' : `: F1 ${one.f1.toFixed(2)} on held-out lines`}`,
        ),
        ...fact('From', one.lines ? counted(one.lines, 'line') : 'no whole lines'),
        ...(one.sources.length
          ? fact('Sources', el('ul', {}, ...one.sources.map((source) => el('li', {}, SOURCES[source] ?? source))))
          : []),
        ...fact(
          'Often taken for',
          one.confusedWith.length
            ? el(
                'ul',
                {},
                ...one.confusedWith.map(({ label, share }) =>
                  el(
                    'li',
                    {},
                    link(label),
                    share === undefined ? '' : ` (${percentage(share)} of the lines that were tried)`,
                  ),
                ),
              )
            : 'no other language',
        ),
        ...(one.takenForIt.length
          ? fact('Taken for it', el('ul', {}, ...one.takenForIt.map((label) => el('li', {}, link(label)))))
          : []),
      ),
      el(
        'div',
        { class: 'tools' },
        el(
          'button',
          { type: 'button', on: { click: only } },
          neighbours.length ? 'Ask for it and its neighbours alone' : 'Ask for it alone',
        ),
        el('button', { type: 'button', class: 'quiet', on: { click: () => address.set({ language: '' }) } }, 'Close'),
      ),
    );
  }
}

/** The languages that one is mixed up with, either way. @param {import("./catalogue.js").Entry} one */
function neighboursOf(one) {
  return [...new Set([...one.confusedWith.map(({ label }) => label), ...one.takenForIt])];
}

function fact(name, ...content) {
  return [el('dt', {}, name), el('dd', {}, ...content)];
}
