/** Which languages compete, how frequent they are beforehand, and whether the answer may be that nobody knows. */

import { el, isolated, newId, show } from './dom.js';
import { counted, percentage } from './numbers.js';
import { picker } from './picker.js';

/** The share that a language gets when its prior is set for the first time. */
const FIRST_SHARE = 0.3;
/** What the languages that are named get together at most: the others stay possible. */
const MOST = 0.99;

export class OptionsPanel {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this._app = app;
    this._summary = el('span', { class: 'summary' });
    this._only = el('ul', { class: 'chips', 'aria-label': 'Languages that compete' });
    this._suggested = el('div', { class: 'suggested' });
    this._shares = el('ul', { class: 'shares-list', 'aria-label': 'Expected shares' });
    this._rest = el('p', { class: 'note' });
    const group = newId('prior');
    this._radios = new Map(
      [
        ['model', 'as people speak them'],
        ['uniform', 'all equally likely'],
        ['own', 'as I say'],
      ].map(([value, text]) => {
        const input = el('input', {
          type: 'radio',
          name: group,
          value,
          on: { change: () => this._choosePrior(value) },
        });
        return [value, { input: /** @type {HTMLInputElement} */ (input), element: el('label', {}, input, text) }];
      }),
    );
    const abstain = el('input', {
      type: 'checkbox',
      on: { change: () => app.address.set({ abstain: this._abstain.checked }) },
    });
    this._abstain = /** @type {HTMLInputElement} */ (abstain);
    const onlyPicker = picker({
      app,
      label: 'Only these languages may be the answer',
      choose: (label) => this._add(label),
    });
    const sharePicker = picker({
      app,
      label: 'Add a language and its share',
      choose: (label) => this._share(label, FIRST_SHARE),
    });
    this._own = el('div', {}, sharePicker.element, this._shares, this._rest);
    this.element = el(
      'details',
      { class: 'options' },
      el('summary', {}, 'Options', this._summary),
      el('fieldset', {}, el('legend', {}, 'Languages'), onlyPicker.element, this._only, this._suggested),
      el(
        'fieldset',
        {},
        el('legend', {}, 'Before the text is read, languages are'),
        el('div', { class: 'radios' }, ...[...this._radios.values()].map(({ element }) => element)),
        this._own,
      ),
      el(
        'fieldset',
        {},
        el('legend', {}, 'Doubt'),
        el('label', {}, abstain, 'The answer may be “not sure” or “no language”'),
      ),
    );
  }

  /** @param {import("./address.js").State} state @param {string[]} suggested labels that the text speaks for */
  update(state, suggested) {
    const { catalogue, address } = this._app;
    const own = typeof state.prior === 'object';
    const said = [
      state.only.length && counted(state.only.length, 'language'),
      state.prior === 'uniform' && 'equally likely',
      own && 'your shares',
      !state.abstain && 'always a language',
    ].filter(Boolean);
    show(this._summary, said.length ? `: ${said.join(', ')}` : '');
    show(this._only, ...state.only.map((label) => this._chip(label)));
    if (state.only.length)
      this._only.append(
        el(
          'li',
          {},
          el('button', { type: 'button', class: 'quiet', on: { click: () => address.set({ only: [] }) } }, 'All again'),
        ),
      );
    const more = suggested.filter((label) => !state.only.includes(label) && catalogue.has(label)).slice(0, 5);
    show(
      this._suggested,
      ...more.map((label) =>
        el(
          'button',
          { type: 'button', class: 'chip', on: { click: () => this._add(label) } },
          '+ ',
          isolated(catalogue.nameOf(label)),
        ),
      ),
    );
    this._radios.get(typeof state.prior === 'object' ? 'own' : state.prior).input.checked = true;
    this._own.hidden = !own;
    if (own) this._showShares(state.prior);
    this._abstain.checked = state.abstain;
  }

  _chip(label) {
    const { catalogue, address } = this._app;
    const remove = () => address.set({ only: address.state.only.filter((one) => one !== label) });
    const name = catalogue.nameOf(label);
    return el(
      'li',
      { class: 'chip' },
      isolated(name),
      el('button', { type: 'button', 'aria-label': `Remove ${name}`, on: { click: remove } }, '×'),
    );
  }

  _add(label) {
    const { address } = this._app;
    if (!address.state.only.includes(label)) address.set({ only: [...address.state.only, label] });
  }

  _choosePrior(value) {
    const { address } = this._app;
    const { only, pair } = address.state;
    if (value !== 'own') address.set({ prior: value });
    else {
      const labels = only.length ? only : pair.length ? pair : this._app.guesses.slice(0, 2);
      address.set({ prior: Object.fromEntries(labels.map((label) => [label, rounded(0.9 / labels.length)])) });
    }
  }

  /** Give a language a share; the others make room where they must. */
  _share(label, share) {
    const { address } = this._app;
    const before = typeof address.state.prior === 'object' ? address.state.prior : {};
    const others = Object.entries(before).filter(([one]) => one !== label);
    const taken = others.reduce((sum, [, one]) => sum + one, 0);
    const scale = taken + share > MOST ? (MOST - share) / taken : 1;
    const next = new Map(Object.entries(before));
    for (const [one, old] of others) next.set(one, Math.floor(1000 * old * scale) / 1000);
    next.set(label, rounded(share));
    address.set({ prior: Object.fromEntries(next) });
  }

  _showShares(prior) {
    const { catalogue, address } = this._app;
    const labels = Object.keys(prior);
    // While a slider is dragged it must not be replaced.
    if (labels.join() !== this._shown?.join() || !this._shares.childElementCount) {
      this._shown = labels;
      show(
        this._shares,
        ...labels.map((label) => {
          const name = catalogue.nameOf(label);
          const slider = el('input', {
            type: 'range',
            min: 0,
            max: 100 * MOST,
            step: 1,
            'aria-label': `Expected share of ${name}`,
            on: { input: (event) => this._share(label, Number(event.target.value) / 100) },
          });
          const remove = () => {
            const { [label]: _, ...rest } = /** @type {Record<string, number>} */ (address.state.prior);
            address.set({ prior: Object.keys(rest).length ? rest : 'model' });
          };
          return el(
            'li',
            {},
            isolated(name),
            slider,
            el('span', { class: 'figure' }),
            el(
              'button',
              { type: 'button', class: 'quiet', 'aria-label': `Remove ${name}`, on: { click: remove } },
              '×',
            ),
          );
        }),
      );
    }
    let sum = 0;
    labels.forEach((label, place) => {
      const row = this._shares.children[place];
      sum += prior[label];
      /** @type {HTMLInputElement} */ (row.querySelector('input')).value = String(Math.round(100 * prior[label]));
      row.querySelector('.figure').textContent = percentage(prior[label]);
    });
    show(this._rest, `All other languages share ${percentage(Math.max(1 - sum, 0))}.`);
  }
}

const rounded = (share) => Math.floor(share * 1000) / 1000;
