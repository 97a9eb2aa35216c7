// Which labels of a model a code stands for: ISO 639 of any part, BCP 47 tags, macrolanguages.

import { UnilidError, UnknownLanguageError } from './errors.js';
import { WIDER } from './labels.js';
import { shown } from './numbers.js';

/** Labels that are offered where a code is unknown, at most. */
const NEAR = 3;

/** The labels of a model by what they mean; a code means what it means to Python's `unilid.languages.codes.Index`. */
export class Index {
  #tags = null;
  #own = null;
  #families = null;

  constructor(labels, tables) {
    Object.assign(this, { labels, tables });
    this.rowOf = new Map(labels.map((label, row) => [label, row]));
  }

  /** The rows that a code stands for, in their order; at least one. */
  rowsMatching(code) {
    const rows = typeof code !== 'string' ? [] : this.rowOf.has(code) ? [this.rowOf.get(code)] : this.#meant(code);
    if (!rows.length) throw this.unknown(code);
    return rows;
  }

  /** The distinct rows that some codes stand for, in the order of the codes. */
  rowsOfAll(codes) {
    if (typeof codes === 'string' || typeof codes?.[Symbol.iterator] !== 'function') {
      throw new UnilidError(`languages must be a list of labels or codes, not ${shown(codes)}`);
    }
    return [...new Set([...codes].flatMap((code) => this.rowsMatching(code)))];
  }

  /** The error for a code that stands for nothing, with what may have been meant. */
  unknown(code) {
    const text = String(code);
    const tag = this.tables.parse(withoutStars(text));
    const language = this.tables.language(tag.code);
    const near = this.#near(text, tag.code).map(
      (row) => `${this.labels[row]} (${this.tables.meaning(this.labels[row]).name})`,
    );
    const named = language ? ` (${language.name})` : '';
    const hint = near.length ? `did you mean ${near.join(' or ')}?` : 'model.languages lists what it knows';
    return new UnknownLanguageError(`the model does not know the language ${shown(text)}${named}; ${hint}`);
  }

  #near(text, code) {
    this.#prepare();
    if (this.tables.language(code) || this.#own.has(code)) {
      return [...new Set([...this.#meant(code), ...this.#spoken(code)])].slice(0, NEAR);
    }
    const query = folded(text);
    const names = (row) => {
      const { label, name, autonym } = this.tables.meaning(this.labels[row]);
      return [label, name, autonym ?? ''].map(folded);
    };
    return [...this.labels.keys()]
      .filter((row) => names(row).some((name) => query && name.startsWith(query)))
      .slice(0, NEAR);
  }

  #prepare() {
    if (this.#tags) return;
    this.#tags = this.labels.map((label) => this.tables.parse(label));
    this.#own = new Map();
    this.#tags.forEach(({ code }, row) => this.#own.set(code, [...(this.#own.get(code) ?? []), row]));
    this.#families = new Map([...this.#own].map(([code, rows]) => [code, [...rows]]));
    for (const [code, rows] of this.#own) {
      const macro = this.tables.language(code)?.macrolanguage;
      if (macro)
        this.#families.set(
          macro,
          [...(this.#families.get(macro) ?? []), ...rows].sort((a, b) => a - b),
        );
    }
  }

  /** The rows of all that a language can stand for, in any script. */
  #spoken(code) {
    const others = [this.tables.language(code)?.macrolanguage ?? '', ...this.tables.usualLanguages(code)];
    return this.#families.get(code) ?? others.flatMap((other) => this.#own.get(other) ?? []);
  }

  /** The rows that a code stands for, which is no label of the model. */
  #meant(code) {
    this.#prepare();
    const plain = withoutStars(code);
    const tag = this.tables.parse(plain);
    const all = this.#spoken(tag.code);
    if (plain !== code) return this.#narrowed(all, tag);
    const regional = tag.region ? this.tables.usualLanguages(tag.code, tag.region) : [];
    let rows = [];
    for (const languages of [regional, [tag.code], this.tables.usualLanguages(tag.code)]) {
      rows = this.#narrowed(
        all.filter((row) => languages.includes(this.#tags[row].code)),
        tag,
      );
      if (rows.length) break;
    }
    if (!rows.length) rows = this.#narrowed(all, tag);
    return tag.script ? rows : this.#usuallyWritten(rows, tag.region);
  }

  /** The rows in the usual scripts of their languages; of a language that has none of these, all. */
  #usuallyWritten(rows, region) {
    const isUsual = (row) => {
      const { code, script } = this.#tags[row];
      return this.tables.usualScripts(code, region).some((usual) => script === usual || areRelated(script, usual));
    };
    const kept = new Set(rows.filter(isUsual));
    const found = new Set([...kept].map((row) => this.#tags[row].code));
    return rows.filter((row) => kept.has(row) || !found.has(this.#tags[row].code));
  }

  /** The rows that have the script, the region and the variants of a tag. */
  #narrowed(rows, { script, region, variants }) {
    const of = (row) => this.#tags[row];
    const orElse = (...choices) => choices.find((choice) => choice.length) ?? [];
    if (script) {
      rows = orElse(
        rows.filter((row) => of(row).script === script),
        rows.filter((row) => areRelated(of(row).script, script)),
      );
    }
    if (region) {
      rows = orElse(
        rows.filter((row) => of(row).region === region),
        rows.filter((row) => of(row).region === null),
        rows,
      );
    }
    return rows.filter((row) => variants.every((variant) => of(row).variants.includes(variant)));
  }
}

/** A code without what asks for everything. */
const withoutStars = (code) => code.replace(/[-_]\*(?=[-_]|$)/g, '');

const areRelated = (script, other) => script === null || WIDER[script] === other || WIDER[other] === script;

/** A text without case and accents. */
const folded = (text) => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').trim();
