/** A file: its lines with their languages, how much each has, and what is left after a filter. */

import { optionsOf } from './address.js';
import { toCsv } from './csv.js';
import { bar, download, el, field, isolated, newId, show } from './dom.js';
import { EXAMPLES } from './examples.js';
import { readLines } from './lines.js';
import { folded } from './names.js';
import { count, counted, percentage } from './numbers.js';
import { VirtualTable } from './virtual-table.js';

/** Lines that are answered at once: few enough that typing in another view hardly waits. */
const BATCH = 250;
/** Languages that have a bar of their own. */
const BARS = 12;

/** @typedef {{number: number, text: string, label: string, probability: number, reason: string | null}} Line */

export class FileView {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this._app = app;
    /** @type {Line[]} */
    this._lines = [];
    this._label = '';
    this._run = 0;
    this._table = new VirtualTable({
      label: 'Lines of the file',
      class: 'lines',
      columns: [
        { name: 'Line', class: 'number', cell: (line) => [count(line.number)] },
        { name: 'Language', class: 'language', cell: (line) => [isolated(app.catalogue.nameOf(line.label))] },
        {
          name: 'Probability',
          class: 'share',
          cell: (line) =>
            line.label === 'zxx'
              ? []
              : [bar(line.probability), el('span', { class: 'figure' }, percentage(line.probability))],
        },
        {
          name: 'Text',
          class: 'text',
          cell: (line) => [
            el(
              'button',
              {
                type: 'button',
                class: 'link',
                title: 'Look at this line',
                on: { click: () => app.address.set({ view: 'text', text: line.text, pair: [] }) },
              },
              isolated(line.text),
            ),
          ],
        },
      ],
    });
    const [fileId, searchId, leastId] = ['file', 'search', 'least'].map(newId);
    this._chooser = /** @type {HTMLInputElement} */ (
      el('input', {
        id: fileId,
        type: 'file',
        on: {
          change: () => {
            if (this._chooser.files[0]) this.open(this._chooser.files[0]);
          },
        },
      })
    );
    this._search = /** @type {HTMLInputElement} */ (
      el('input', {
        id: searchId,
        type: 'search',
        dir: 'auto',
        placeholder: 'in the text',
        on: { input: () => this._filter() },
      })
    );
    this._least = /** @type {HTMLSelectElement} */ (
      el(
        'select',
        { id: leastId, on: { change: () => this._filter() } },
        ...[0, 0.5, 0.8, 0.9, 0.99].map((least) =>
          el('option', { value: least }, least ? `at least ${percentage(least)}` : 'any'),
        ),
      )
    );
    this._status = el('div', { class: 'file-status', role: 'status' });
    this._progress = el('div', {});
    this._shares = el('ul', { class: 'shares', 'aria-label': 'Lines by language' });
    this._count = el('p', { class: 'note', role: 'status' });
    this._stale = el('div', {});
    const save = el('button', { type: 'button', on: { click: () => this._download() } }, 'Download as CSV');
    this._results = el(
      'div',
      { class: 'results', hidden: true },
      el('section', { 'aria-label': 'Shares' }, el('h2', {}, 'Languages'), this._shares),
      el(
        'section',
        { 'aria-label': 'Lines' },
        el('h2', {}, 'Lines'),
        el('div', { class: 'filters' }, field('Find', this._search), field('Probability', this._least), save),
        this._count,
        this._table.element,
      ),
    );
    this.element = el(
      'div',
      { class: 'file-view' },
      el('h1', {}, 'The languages of a file'),
      el(
        'p',
        { class: 'lead' },
        'Drop a text file anywhere on this page, or choose one. Each line gets its language. The file is read here and sent nowhere.',
      ),
      el(
        'div',
        { class: 'choose' },
        el('label', { for: fileId, class: 'button' }, 'Choose a file'),
        this._chooser,
        el(
          'button',
          { type: 'button', class: 'quiet', on: { click: () => this._sample() } },
          'Or try it with some lines',
        ),
      ),
      this._status,
      this._progress,
      this._stale,
      this._results,
    );
  }

  /** @param {import("./address.js").State} state */
  update(state) {
    const isStale = this._lines.length && !this._isRunning && this._asked !== this._question(state);
    show(
      this._stale,
      isStale &&
        el(
          'p',
          { class: 'note' },
          'The options or the model have changed since. ',
          el('button', { type: 'button', class: 'quiet', on: { click: () => this._identify() } }, 'Answer again'),
        ),
    );
  }

  /** @param {File} file */
  async open(file) {
    this._run += 1;
    const run = this._run;
    this._chooser.value = ''; // the same file may be chosen again
    this._results.hidden = true;
    show(this._status, el('p', {}, 'Reading ', isolated(file.name), ' …'));
    try {
      const { lines, note } = await readLines(file);
      if (run !== this._run) return;
      this._name = file.name;
      this._lines = lines.map((line) => ({ ...line, label: '', probability: 0, reason: null }));
      show(
        this._status,
        el('p', {}, isolated(file.name, { class: 'file-name' }), `: ${counted(lines.length, 'line')}. `, note),
      );
      await this._identify();
    } catch (error) {
      if (run === this._run) show(this._status, el('p', { class: 'error', role: 'alert' }, error.message));
    }
  }

  _sample() {
    const lines = EXAMPLES.flatMap(({ text }) => text.split(/(?<=[.?!؟।]”?) /u));
    this.open(new File([lines.join('\n')], 'examples.txt'));
  }

  _question(state) {
    return JSON.stringify([optionsOf(state), this._app.taught]);
  }

  async _identify() {
    this._run += 1;
    const run = this._run;
    const { state } = this._app.address;
    const options = optionsOf(state);
    this._label = '';
    this._isRunning = true;
    show(this._stale);
    const meter = /** @type {HTMLProgressElement} */ (
      el('progress', { max: this._lines.length, value: 0, 'aria-label': 'Lines answered' })
    );
    const said = el('span', {});
    const cancel = () => {
      this._run += 1;
      this._finish(this._done, 'Cancelled');
    };
    show(
      this._progress,
      el('p', { class: 'loading' }, meter, said, el('button', { type: 'button', on: { click: cancel } }, 'Cancel')),
    );
    this._done = 0;
    let drawn = 0;
    try {
      await this._app.ready;
      while (this._done < this._lines.length && run === this._run) {
        const batch = this._lines.slice(this._done, this._done + BATCH);
        const answers = await this._app.engine.ask(
          'identify',
          batch.map(({ text }) => text),
          options,
        );
        if (run !== this._run) return;
        answers.forEach(({ label, probability, reason }, place) =>
          Object.assign(batch[place], { label, probability, reason }),
        );
        this._done += batch.length;
        meter.value = this._done;
        said.textContent = `${count(this._done)} of ${counted(this._lines.length, 'line')}`;
        if (performance.now() - drawn > 300) {
          this._show(true);
          drawn = performance.now();
        }
      }
    } catch (error) {
      show(this._status, el('p', { class: 'error', role: 'alert' }, error.message));
    }
    if (run === this._run) {
      this._asked = this._question(state);
      this._finish(this._done, '');
    }
  }

  _finish(done, word) {
    this._isRunning = false;
    this._lines = this._lines.slice(0, done);
    show(this._progress, word && el('p', { class: 'note' }, `${word}: ${counted(done, 'line')} were answered.`));
    this._show(false);
  }

  _show(keepPlace) {
    this._results.hidden = !this._done;
    this._showShares();
    this._filter(keepPlace);
  }

  _showShares() {
    const sums = new Map();
    const lines = this._lines.slice(0, this._done);
    for (const { label } of lines) sums.set(label, (sums.get(label) ?? 0) + 1);
    const sorted = [...sums].sort((a, b) => b[1] - a[1]);
    const [shown, rest] = [sorted.slice(0, BARS), sorted.slice(BARS)];
    const most = shown[0]?.[1] ?? 1;
    const had = document.activeElement?.getAttribute('data-label');
    show(
      this._shares,
      ...shown.map(([label, often]) =>
        el(
          'li',
          {},
          el(
            'button',
            {
              type: 'button',
              'data-label': label,
              'aria-pressed': String(label === this._label),
              on: { click: () => this._choose(label) },
            },
            isolated(this._app.catalogue.nameOf(label)),
            bar(often / most),
            el('span', { class: 'figure' }, `${count(often)} (${percentage(often / lines.length)})`),
          ),
        ),
      ),
      rest.length &&
        el(
          'li',
          { class: 'note' },
          `${counted(rest.length, 'other language')}: ${counted(
            rest.reduce((sum, [, often]) => sum + often, 0),
            'line',
          )}`,
        ),
    );
    if (had) /** @type {HTMLElement} */ (this._shares.querySelector(`[data-label="${CSS.escape(had)}"]`))?.focus();
  }

  _choose(label) {
    this._label = label === this._label ? '' : label;
    this._showShares();
    this._filter();
  }

  _filter(keepPlace = false) {
    const part = folded(this._search.value);
    const least = Number(this._least.value);
    const lines = this._lines.slice(0, this._done);
    this._left = lines.filter(
      (line) =>
        (!this._label || line.label === this._label) &&
        line.probability >= least &&
        (!part || folded(line.text).includes(part)),
    );
    this._table.setRows(this._left, { keepPlace });
    this._count.textContent =
      this._left.length === lines.length
        ? ''
        : `${count(this._left.length)} of ${counted(lines.length, 'line')} ${this._label ? `in ${this._app.catalogue.nameOf(this._label)} ` : ''}are shown.`;
  }

  _download() {
    const rows = this._left.map(({ number, label, probability, reason, text }) => [
      number,
      label,
      this._app.catalogue.nameOf(label),
      Number(probability.toFixed(4)),
      reason ?? '',
      text,
    ]);
    const name = this._name.replace(/(\.gz)?$/u, '').replace(/\.\w{1,5}$/u, '');
    download(
      toCsv([['line', 'label', 'language', 'probability', 'reason', 'text'], ...rows]),
      `${name}-languages.csv`,
      'text/csv;charset=utf-8',
    );
  }
}
