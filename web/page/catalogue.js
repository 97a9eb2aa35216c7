/** The languages of the model: what they are called, and how one is found. */

import { folded, ownName, readersName, scriptName, tagOf } from './names.js';

/**
 * @typedef {object} Entry
 * @property {string} label
 * @property {string} name in the reader's language
 * @property {string | null} own what the language calls itself
 * @property {string | null} tag
 * @property {string} script
 * @property {string} scriptName
 * @property {number} lines
 * @property {string[]} sources
 * @property {number | null} f1
 * @property {{label: string, lines?: number, share?: number}[]} confusedWith
 * @property {string[]} takenForIt labels that are taken for this one
 * @property {boolean} taught by the visitor
 * @property {string} found what a search looks at
 */

export class Catalogue {
  /** @param {import('./unilid.js').Language[]} languages as the package has them @param {Set<string>} taught */
  constructor(languages, taught = new Set()) {
    /** @type {Entry[]} */
    this.entries = languages.map((language) => entry(language, taught.has(language.label)));
    this.entries.sort((a, b) => a.name.localeCompare(b.name) || a.label.localeCompare(b.label));
    this.byLabel = new Map(this.entries.map((one) => [one.label, one]));
    this._distinguish();
    for (const one of this.entries)
      for (const { label } of one.confusedWith) this.byLabel.get(label)?.takenForIt.push(one.label);
  }

  /** Names that several labels have are told apart by their scripts; the usual one, which no tag names, is not said. */
  _distinguish() {
    const named = new Map();
    for (const one of this.entries) named.set(one.name, (named.get(one.name) ?? 0) + 1);
    for (const one of this.entries) {
      if (named.get(one.name) > 1 && one.scriptName && one.tag?.includes('-'))
        one.name = `${one.name} (${one.scriptName})`;
    }
  }

  /** The name of a label, of und and zxx too. @param {string} label */
  nameOf(label) {
    if (label === 'und') return 'Not sure';
    if (label === 'zxx') return 'No language';
    return this.byLabel.get(label)?.name ?? label;
  }

  /** @param {string} label */
  get(label) {
    return this.byLabel.get(label);
  }

  /** @param {string} label */
  has(label) {
    return this.byLabel.has(label);
  }

  /**
   * Entries whose names, codes or label have all words of a query; those that begin with it first.
   * @param {string} query
   */
  search(query) {
    const words = folded(query).split(/\s+/u).filter(Boolean);
    if (!words.length) return this.entries;
    const found = this.entries.filter((one) => words.every((word) => one.found.includes(word)));
    const rank = (/** @type {Entry} */ one) => {
      const exact = [one.label, one.tag, one.label.split('_')[0]].some((code) => code?.toLowerCase() === words[0]);
      if (exact) return 0;
      return folded(one.name).startsWith(words[0]) || folded(one.own ?? '').startsWith(words[0]) ? 1 : 2;
    };
    return found
      .map((one) => ({ one, place: rank(one) }))
      .sort((a, b) => a.place - b.place)
      .map(({ one }) => one);
  }
}

/** @returns {Entry} */
function entry(language, taught) {
  const tag = taught ? null : tagOf(language.label);
  const name = taught ? language.label : readersName(tag, language.name);
  const own = ownName(tag, language.autonym);
  return {
    label: language.label,
    name,
    own,
    tag,
    script: language.script ?? '',
    scriptName: language.script ? scriptName(language.script, language.scriptName ?? language.script) : '',
    lines: language.lines,
    sources: language.sources ?? [],
    f1: language.f1 ?? null,
    confusedWith: language.confusedWith ?? [],
    takenForIt: [],
    taught,
    found: folded([name, own, language.name, language.label, tag].filter(Boolean).join(' ')),
  };
}
