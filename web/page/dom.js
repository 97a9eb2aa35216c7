/** Elements, made from text and from other elements only: no markup of a text is ever read. */

/**
 * Make an element. Strings among the children become text, whatever they contain.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] `on` holds listeners, `style` custom properties; true is an attribute
 *   without a value, and false, null and undefined leave one out.
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === 'style') {
      for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    } else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/** Show these children and no others. @param {Element} parent @param {...(Node | string)} children */
export function show(parent, ...children) {
  parent.replaceChildren(...children.filter((child) => child));
}

/**
 * Text of a visitor, which may run in any direction and must not turn what is around it.
 * @param {string} text @param {Record<string, any>} [attributes]
 */
export function isolated(text, attributes = {}) {
  return el('bdi', { dir: 'auto', ...attributes }, text);
}

/** A bar of a share between 0 and 1; the number stands beside it, so that it is for the eyes alone. */
export function bar(share, colour = 'var(--accent)') {
  const width = `${(100 * Math.min(Math.max(share, 0), 1)).toFixed(2)}%`;
  return el(
    'span',
    { class: 'bar', 'aria-hidden': 'true' },
    el('span', { style: { width, 'background-color': colour } }),
  );
}

/**
 * A control with its name above it and, perhaps, a note below.
 * @param {string} name @param {HTMLElement} control which has an id @param {...Node} below
 */
export function field(name, control, ...below) {
  return el('div', { class: 'field' }, el('label', { for: control.id }, name), control, ...below);
}

let ids = 0;

/** An id that no other element has. */
export function newId(prefix) {
  ids += 1;
  return `${prefix}-${ids}`;
}

/** Offer bytes or text as a file to save. @param {BlobPart} content @param {string} name @param {string} type */
export function download(content, name, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
