// Labels: how they are written, which ones are reserved, and what is known of the language that one names.

import { UnilidError } from './errors.js';
import { shown } from './numbers.js';

/** The answer for a text with nothing linguistic in it, and the one where the model cannot tell (ISO 639). */
export const NO_LANGUAGE = 'zxx',
  UNDETERMINED = 'und';

/** Scripts that are part of another one of ISO 15924. */
export const WIDER = { Aran: 'Arab', Hang: 'Kore', Hans: 'Hani', Hant: 'Hani' };

// RFC 5646: language, extended language, script, region, variants, extensions.
const BCP47 = new RegExp(
  '^([a-z]{2,3})(?:-([a-z]{3}))?(?:-([a-z]{4}))?(?:-([a-z]{2}|[0-9]{3}))?' +
    '((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)(?:-[a-z0-9](?:-[a-z0-9]{2,8})+)*$',
);

/** Refuses what cannot be a label of a model: one must survive a line of TSV. */
export function checkLabel(label) {
  if (typeof label !== 'string') throw new UnilidError(`${shown(label)} cannot be a label: expected a string`);
  const problem =
    label === NO_LANGUAGE || label === UNDETERMINED
      ? 'is the answer for a text that is no language'
      : !label
        ? 'is empty'
        : /[\p{C}\p{Z}]/u.test(label)
          ? 'has whitespace or control characters'
          : null;
  if (problem) throw new UnilidError(`${shown(label)} cannot be a label: it ${problem}`);
}

/** The language and the script of a label. */
export function split(label) {
  const at = Math.max(label.lastIndexOf('_'), label.lastIndexOf('-'));
  const script = label.slice(at + 1);
  return at > 0 && /^\p{Lu}\p{Ll}{3}$/u.test(script) ? [label.slice(0, at), script] : [label, null];
}

/** The languages of ISO 639, the scripts of ISO 15924, and what a code means in practice; from languages.json. */
export class Tables {
  /** @param {{languages: string, scripts: string, usual: string}} tables the tables of the Python package, as TSV */
  constructor(tables) {
    this.rows = new Map();
    this.others = new Map();
    for (const line of tables.languages.split('\n')) {
      const [code, name, autonym, twoLetters, bibliographic, macrolanguage, script, instead] = line.split('\t');
      if (instead) {
        this.others.set(code, instead);
        continue;
      }
      const or = (cell) => cell || null;
      this.rows.set(code, {
        code,
        name,
        autonym: or(autonym),
        twoLetters: or(twoLetters),
        macrolanguage: or(macrolanguage),
        script: or(script),
      });
      for (const other of [twoLetters, bibliographic])
        if (other && !this.others.has(other)) this.others.set(other, code);
    }
    this.scripts = new Map(tables.scripts.split('\n').map((line) => line.split('\t')));
    this.confused = new Map(Object.entries(tables.confused ?? {}));
    const words = (cell) => cell.split(' ').filter(Boolean);
    this.usual = new Map(
      tables.usual.split('\n').map((line) => {
        const [code, languages, scripts] = line.split('\t');
        return [code, { languages: words(languages), scripts: words(scripts) }];
      }),
    );
  }

  /** The language of an ISO 639 code of any part, old ones included; undefined if there is none. */
  language(code) {
    return this.rows.get(this.rows.has(code) ? code : this.others.get(code));
  }

  /** What lines of a label are taken for, most frequent first, with their shares of its lines. */
  confusedWith(label) {
    return (this.confused.get(label) ?? []).map(([other, share]) => ({ label: other, share }));
  }

  /** The languages that a code is used for, or is used for in a region; none where the table says nothing. */
  usualLanguages(code, region = null) {
    return this.usual.get(region === null ? code : `${code}-${region}`)?.languages ?? [];
  }

  /** The scripts that a language is usually written in; none where nobody says so. */
  usualScripts(code, region = null) {
    const language = this.language(code);
    if (!language) return [];
    const names = [code];
    const macro = language.macrolanguage;
    if (macro && this.usualLanguages(macro).includes(code)) names.push(macro);
    const tags = [...(region ? names.map((name) => `${name}-${region}`) : []), ...names];
    for (const tag of tags) if (this.usual.get(tag)?.scripts.length) return this.usual.get(tag).scripts;
    for (const name of names) if (this.language(name)?.script) return [this.language(name).script];
    return [];
  }

  /** The parts of a label or of a BCP 47 tag; of what is neither, what `split` makes of it. */
  parse(label) {
    const match = BCP47.exec(label.replaceAll('_', '-').toLowerCase());
    if (match) {
      const [, base, extended, small, region, variants] = match;
      let language = this.language(base);
      if (extended) {
        // written behind the macrolanguage that it is part of
        const member = this.language(extended);
        language = language && member && member.macrolanguage === language.code ? member : undefined;
      }
      const script = small ? small[0].toUpperCase() + small.slice(1) : null;
      if ((language || !extended) && (script === null || this.scripts.has(script))) {
        const code = language ? language.code : base;
        return { code, script, region: region ? region.toUpperCase() : null, variants: variants.split('-').slice(1) };
      }
    }
    const [code, script] = split(label);
    return { code, script, region: null, variants: [] };
  }

  /** What is known of a label: the language in English and in itself, its script, its macrolanguage. */
  meaning(label) {
    const tag = this.parse(label);
    const language = this.language(tag.code);
    const scriptName = this.scripts.get(tag.script) ?? null;
    const macro = language?.macrolanguage ?? null;
    return {
      label,
      code: tag.code,
      name: language?.name ?? label,
      autonym: language?.autonym ?? null,
      script: tag.script,
      scriptName,
      macrolanguage: macro,
      macrolanguageName: macro && (this.language(macro)?.name ?? null),
    };
  }
}
