/**
 * What the page shows, and the fragment of its address. The two always agree, so a view can be sent to someone; a
 * fragment is not sent to the server.
 */

/**
 * @typedef {object} State
 * @property {"text" | "file" | "teach" | "languages"} view
 * @property {string} text
 * @property {string[]} only labels that compete; empty: all
 * @property {"model" | "uniform" | Record<string, number>} prior
 * @property {boolean} abstain
 * @property {string[]} pair the two languages that are compared; empty: those that the text suggests
 * @property {string} search in the list of languages
 * @property {string} script
 * @property {string} source
 * @property {string} language whose details are open
 */

/** Characters of a text that an address holds: more is cut off by programs that people send links with. */
export const LONGEST = 4000;

/** @type {State} */
const start = {
  view: 'text',
  text: '',
  only: [],
  prior: 'model',
  abstain: true,
  pair: [],
  search: '',
  script: '',
  source: '',
  language: '',
};
const views = ['text', 'file', 'teach', 'languages'];

/** @param {string} fragment @returns {State} */
export function parse(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/u, ''));
  const list = (name) => (fields.get(name) ?? '').split(',').filter(Boolean);
  const view = fields.get('view') ?? 'text';
  return {
    ...start,
    view: /** @type {State["view"]} */ (views.includes(view) ? view : 'text'),
    text: fields.get('text') ?? '',
    only: [...new Set(list('only'))],
    prior: priorOf(fields.get('prior')),
    abstain: fields.get('abstain') !== 'no',
    pair: list('pair').length === 2 ? list('pair') : [],
    search: fields.get('search') ?? '',
    script: fields.get('script') ?? '',
    source: fields.get('source') ?? '',
    language: fields.get('language') ?? '',
  };
}

/** @param {State} state */
export function format(state) {
  const fields = new URLSearchParams();
  if (state.view !== 'text') fields.set('view', state.view);
  if (state.text && state.text.length <= LONGEST) fields.set('text', state.text);
  if (state.only.length) fields.set('only', state.only.join(','));
  if (state.prior === 'uniform') fields.set('prior', 'uniform');
  else if (typeof state.prior === 'object') {
    fields.set(
      'prior',
      Object.entries(state.prior)
        .map(([label, share]) => `${label}:${share}`)
        .join(','),
    );
  }
  if (!state.abstain) fields.set('abstain', 'no');
  if (state.pair.length) fields.set('pair', state.pair.join(','));
  for (const name of ['search', 'script', 'source', 'language']) if (state[name]) fields.set(name, state[name]);
  return `#${fields}`;
}

/** Shares such as deu_Latn:0.5,nld_Latn:0.2; what cannot be read is left out. @param {string | null} text */
function priorOf(text) {
  if (!text) return 'model';
  if (text === 'uniform') return 'uniform';
  const shares = text.split(',').map((part) => ({ label: part.split(':')[0], share: Number(part.split(':')[1]) }));
  const sound = shares.filter(({ label, share }) => label && share >= 0 && share <= 1);
  return sound.length ? Object.fromEntries(sound.map(({ label, share }) => [label, share])) : 'model';
}

/** Milliseconds without a change after which the address is written: browsers refuse to write it with every letter. */
const PAUSE = 250;

/** The state of the page; whoever listens hears of every change. */
export class Address extends EventTarget {
  constructor() {
    super();
    /** @type {State} */
    this.state = parse(location.hash);
    // A link within the page, the back button, or an address that was changed by hand.
    addEventListener('hashchange', () => this._arrive());
    // Whatever is clicked, a link or a button that copies one, finds the address as it should be.
    for (const event of ['click', 'pagehide']) addEventListener(event, () => this.write(), { capture: true });
  }

  /** Write the address, if it waits to be written. */
  write() {
    if (this._waiting === undefined) return;
    clearTimeout(this._waiting);
    this._waiting = undefined;
    history.replaceState(null, '', format(this.state));
  }

  /** @param {Partial<State>} change */
  set(change) {
    const before = this.state;
    this.state = { ...before, ...change };
    clearTimeout(this._waiting);
    if (change.view !== undefined && change.view !== before.view) {
      this._waiting = undefined;
      history.pushState(null, '', format(this.state));
    } else this._waiting = setTimeout(() => this.write(), PAUSE);
    this.dispatchEvent(new CustomEvent('change', { detail: { before } }));
  }

  /** Attributes of a link to another view of the same state. @param {Partial<State>} change */
  link(change) {
    const click = (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab, which the browser opens
      event.preventDefault();
      this.set(change);
    };
    return { href: format({ ...this.state, ...change }), on: { click } };
  }

  _arrive() {
    clearTimeout(this._waiting);
    this._waiting = undefined;
    const before = this.state;
    const next = parse(location.hash);
    if (!next.text && before.text.length > LONGEST) next.text = before.text; // no address could hold it
    // A link to a view names the view alone; what was typed stays.
    const bare = /^#(view=\w+)?$/u.test(location.hash);
    this.state = bare ? { ...before, view: next.view, language: '' } : next;
    if (bare) history.replaceState(null, '', format(this.state));
    this.dispatchEvent(new CustomEvent('change', { detail: { before } }));
  }
}

/** The options of a state as the package takes them. @param {State} state */
export function optionsOf({ only, prior, abstain }) {
  return { ...(only.length && { languages: only }), prior, abstain };
}
