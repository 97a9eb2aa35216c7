/** The first view: a text, its language while it is typed, and the reasons. */

import { LONGEST, optionsOf } from './address.js';
import { answerOf } from './answer.js';
import { Colours } from './colours.js';
import { el, isolated, newId, show } from './dom.js';
import { latest } from './engine.js';
import { EXAMPLES } from './examples.js';
import { count, percentage } from './numbers.js';
import { OptionsPanel } from './options-panel.js';
import { picker } from './picker.js';
import { reading } from './reading.js';
import { versusChart } from './versus.js';

/** Characters of a text whose words are shown one by one; a longer text is read as a whole for the answer alone. */
const READ = 5000;

export class TextView {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this._app = app;
    this._ask = latest((text, options) => app.engine.ask('identify', text, { ...options, k: 6 }));
    this._read = latest((text, state, ranked) => this._readText(text, state, ranked));
    const id = newId('text');
    this._input = /** @type {HTMLTextAreaElement} */ (
      el('textarea', {
        id,
        dir: 'auto',
        rows: 5,
        spellcheck: 'false',
        autocapitalize: 'off',
        placeholder: 'Type or paste a text in any language',
        on: { input: () => app.address.set({ text: this._input.value, pair: [] }) },
      })
    );
    this._options = new OptionsPanel(app);
    this._lead = el('p', { class: 'lead' });
    this._answer = el('section', { class: 'answer', 'aria-label': 'The answer' });
    this._tools = el('div', { class: 'tools' });
    this._reading = el('section', { class: 'reading', 'aria-labelledby': 'reading-heading' });
    this._why = el('section', { class: 'why', 'aria-labelledby': 'why-heading' });
    this._pickers = [0, 1].map((place) =>
      picker({ app, keep: true, label: place ? 'Rather than' : 'Why', choose: (label) => this._choose(place, label) }),
    );
    const swap = () => this._reasons?.label && app.address.set({ pair: [this._reasons.against, this._reasons.label] });
    this._chart = el('div', {});
    this._whyHead = [
      el('h2', { id: 'why-heading' }, 'Why not the other language?'),
      el(
        'div',
        { class: 'pair' },
        this._pickers[0].element,
        el(
          'button',
          { type: 'button', class: 'quiet', 'aria-label': 'Swap the two languages', on: { click: swap } },
          '⇄',
        ),
        this._pickers[1].element,
      ),
      this._chart,
    ];
    this.element = el(
      'div',
      { class: 'text-view' },
      el('h1', {}, 'What language is this?'),
      this._lead,
      el(
        'div',
        { class: 'ask' },
        el(
          'div',
          { class: 'asked' },
          el('label', { for: id, class: 'hidden-label' }, 'Text'),
          this._input,
          this._tools,
          this._options.element,
        ),
        this._answer,
      ),
      this._reading,
      this._why,
    );
  }

  /** @param {import("./address.js").State} state */
  async update(state) {
    if (this._input.value !== state.text) this._input.value = state.text;
    this._showTools(state);
    const known = this._app.catalogue.entries.length;
    show(
      this._lead,
      known
        ? `It knows ${count(known)} languages and scripts, and computes on your machine.`
        : 'It computes on your machine.',
    );
    this._options.update(state, this._app.guesses);
    if (!state.text.trim()) {
      this._empty();
      return;
    }
    try {
      if (!this._app.isReady) {
        show(this._answer, el('p', { class: 'muted' }, 'The answer comes as soon as the model is here.'));
        await this._app.ready;
      }
      const options = optionsOf(state);
      const ranked = await this._ask(state.text, options);
      if (!ranked || this._app.address.state !== state) return;
      this._app.guesses = ranked.map(({ label }) => label).filter((label) => this._app.catalogue.has(label));
      this._options.update(state, this._app.guesses);
      const colours = new Colours(this._app.guesses);
      show(this._answer, ...answerOf(this._app, ranked, colours, (label) => this._compare(label)));
      this._app.announce(`${this._app.catalogue.nameOf(ranked[0].label)}, ${percentage(ranked[0].probability)}`);
      const read = await this._read(state.text, state, ranked);
      if (read && this._app.address.state === state) this._showReading(read, ranked);
    } catch (error) {
      this._fail(error);
    }
  }

  /** Spans and reasons; two languages that share a mixed text are the two that one wants to see compared. */
  async _readText(text, state, ranked) {
    const { engine } = this._app;
    const cut = text.length > READ ? beginning(text, READ) : text;
    const { abstain, ...options } = optionsOf(state);
    const spans = await engine.ask('spans', cut, options);
    let [label, against] = state.pair;
    if (!state.pair.length) {
      const spoken = [...new Set(spans.map((span) => span.label))].filter((one) => one !== 'und' && one !== 'zxx');
      const first = ranked.find((one) => this._app.catalogue.has(one.label))?.label;
      if (spoken.length > 1)
        [label, against] = [spoken.includes(first) ? first : spoken[0], spoken.find((one) => one !== first)];
    }
    try {
      return { text: cut, spans, reasons: await engine.ask('explain', cut, { ...options, abstain, label, against }) };
    } catch (error) {
      return { text: cut, spans, reasons: { label: null, words: [] }, sentence: error.message }; // such as: only one competes
    }
  }

  _showReading(read, ranked) {
    const { reasons, spans, text, sentence } = read;
    this._reasons = reasons;
    const order = [...spans.map(({ label }) => label), reasons.label, reasons.against];
    const colours = new Colours(
      order.includes(ranked[0].label)
        ? [ranked[0].label, ...order, ...this._app.guesses]
        : [...order, ...this._app.guesses],
    );
    show(this._answer, ...answerOf(this._app, ranked, colours, (label) => this._compare(label)));
    const cut = text.length < this._input.value.length;
    show(
      this._reading,
      el('h2', { id: 'reading-heading' }, 'Word by word'),
      el(
        'p',
        { class: 'note' },
        reasons.label
          ? 'Point at a word or tap it, or go through them with the arrow keys, to see what it says. The stronger its line, the more it decides.'
          : '',
        cut ? ` The first ${count(text.length)} characters are shown.` : '',
      ),
      ...reading(this._app, read, colours),
    );
    if (!reasons.label && !sentence) {
      show(this._why); // nothing linguistic, nothing to compare
      return;
    }
    if (!this._why.childElementCount) show(this._why, ...this._whyHead);
    const pair = reasons.label ? [reasons.label, reasons.against] : this._app.address.state.pair;
    this._pickers.forEach((one, place) => one.set(pair[place] ?? ''));
    if (reasons.label) show(this._chart, ...versusChart(this._app, reasons, colours));
    else show(this._chart, el('p', { class: 'error' }, sentence));
  }

  /** Choose one of the two languages; where it is the other one already, they change places. */
  _choose(place, label) {
    const { pair: asked } = this._app.address.state;
    const pair = this._reasons?.label ? [this._reasons.label, this._reasons.against] : [...asked];
    const [before, other] = [pair[place], pair[1 - place] ?? this._app.guesses.find((one) => one !== label)];
    pair[place] = label;
    pair[1 - place] = other === label ? before : other;
    this._app.address.set({ pair });
  }

  _compare(label) {
    const first = this._app.guesses.find((one) => one !== label);
    this._app.address.set({ pair: [first, label] });
    this._why.scrollIntoView({
      block: 'nearest',
      behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
    });
    this._app.announce(
      `${this._app.catalogue.nameOf(first)} is compared with ${this._app.catalogue.nameOf(label)} below.`,
    );
  }

  _empty() {
    this._reasons = null;
    show(this._reading);
    show(this._why);
    show(
      this._answer,
      el('h2', { class: 'quiet-heading' }, 'Or begin with one of these'),
      el(
        'ul',
        { class: 'examples' },
        ...EXAMPLES.map(({ title, text }) =>
          el(
            'li',
            {},
            el(
              'button',
              {
                type: 'button',
                on: {
                  click: () => {
                    this._app.address.set({ text, pair: [] });
                    this._input.focus();
                  },
                },
              },
              el('span', { class: 'example-title' }, title),
              isolated(text),
            ),
          ),
        ),
      ),
    );
  }

  _showTools({ text }) {
    if (!text) {
      show(this._tools);
      return;
    }
    if (this._tools.childElementCount) {
      this._tools.lastElementChild.textContent = this._tooLong(text);
      return;
    }
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        this._app.announce('The link is copied.', true);
      } catch {
        this._app.announce('The browser does not let this page copy; the link stands in the address bar.', true);
      }
    };
    const clear = () => {
      this._app.address.set({ text: '', pair: [] });
      this._input.focus();
    };
    show(
      this._tools,
      el('button', { type: 'button', class: 'quiet', on: { click: clear } }, 'Clear'),
      el('button', { type: 'button', class: 'quiet', on: { click: copy } }, 'Copy a link to this view'),
      el('span', { class: 'note' }, this._tooLong(text)),
    );
  }

  _tooLong(text) {
    return text.length > LONGEST
      ? `The text is too long for a link (over ${count(LONGEST)} characters), so a link has the options alone.`
      : '';
  }

  _fail(error) {
    show(this._answer, el('p', { class: 'error', role: 'alert' }, error.message));
    show(this._reading);
    show(this._why);
  }
}

/** The first characters of a text, up to the end of a word if there is one, and with no half of a character. */
function beginning(text, most) {
  const cut = text.slice(0, most);
  return cut.replace(/\S*$/u, '') || cut.replace(/[\uD800-\uDBFF]$/, '');
}
