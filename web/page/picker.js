/** A field in which a language is found by any of its names and chosen: a combo box with a list. */

import { el, isolated, newId, show } from './dom.js';

const SHOWN = 12;

/**
 * @param {object} settings
 * @param {import("./main.js").App} settings.app
 * @param {string} settings.label what the field is for
 * @param {(label: string) => void} settings.choose
 * @param {boolean} [settings.keep] show the choice, instead of being ready for the next one
 * @param {boolean} [settings.hideLabel] for the eyes, where the place says it
 */
export function picker({ app, label, choose, keep = false, hideLabel = false }) {
  const [id, listId] = [newId('picker'), newId('list')];
  const list = el('ul', { id: listId, role: 'listbox', 'aria-label': label, hidden: true });
  const input = /** @type {HTMLInputElement} */ (
    el('input', {
      id,
      type: 'text',
      role: 'combobox',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      'aria-expanded': 'false',
      'aria-controls': listId,
      'aria-autocomplete': 'list',
      placeholder: 'Name or code',
      on: { input: open, focus: begin, keydown: key, blur: () => setTimeout(close, 150) },
    })
  );
  /** @type {import("./catalogue.js").Entry[]} */
  let matches = [];
  let active = -1;
  let chosen = '';

  /** What was chosen makes room for what is typed, and comes back if nothing is. */
  function begin() {
    input.value = '';
    offer();
  }

  function offer() {
    if (keep && chosen) input.placeholder = app.catalogue.nameOf(chosen);
  }

  function open() {
    matches = input.value.trim() ? app.catalogue.search(input.value).slice(0, SHOWN) : [];
    active = matches.length ? 0 : -1;
    render();
  }

  function render() {
    show(
      list,
      ...matches.map((one, place) =>
        el(
          'li',
          {
            id: `${listId}-${place}`,
            role: 'option',
            'aria-selected': String(place === active),
            on: { mousedown: (event) => event.preventDefault(), click: () => pick(one.label) },
          },
          isolated(one.name),
          ' ',
          isolated(one.own && one.own !== one.name ? one.own : '', { class: 'muted' }),
          ' ',
          el('code', {}, one.label),
        ),
      ),
    );
    list.hidden = !matches.length;
    input.setAttribute('aria-expanded', String(!list.hidden));
    if (active >= 0) input.setAttribute('aria-activedescendant', `${listId}-${active}`);
    else input.removeAttribute('aria-activedescendant');
    list.children[active]?.scrollIntoView({ block: 'nearest' });
  }

  function close() {
    matches = [];
    active = -1;
    render();
    if (keep && document.activeElement !== input) input.value = chosen && app.catalogue.nameOf(chosen);
  }

  function pick(found) {
    chosen = found;
    input.value = '';
    close();
    choose(found);
  }

  function key(event) {
    if (event.key === 'Escape' && matches.length) {
      event.stopPropagation();
      close();
    } else if (event.key === 'Enter' && active >= 0) {
      event.preventDefault();
      pick(matches[active].label);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!matches.length) open();
      else {
        active = (active + (event.key === 'ArrowDown' ? 1 : matches.length - 1)) % matches.length;
        render();
      }
    }
  }

  const element = el(
    'div',
    { class: 'picker' },
    el('label', { for: id, class: hideLabel ? 'hidden-label' : '' }, label),
    el('div', { class: 'picker-field' }, input, list),
  );
  return {
    element,
    /** Show a choice that was made elsewhere. @param {string} found */
    set(found) {
      chosen = found;
      if (document.activeElement === input) offer();
      else close();
    },
  };
}
