// The scripts that languages are written in.

import { shown } from './numbers.js';

/** Of a language's words of letters that a script has at least. What is rarer is quoted, not written. */
const SHARE = 0.1;

/** Takes the scripts out of the metadata of a file, which older files do not have. */
export function unpackScripts(file, stored, languageCount) {
  if (stored === undefined || stored === null) return null;
  const known = new Set(file.kernel.constants.SCRIPTS);
  if (!Array.isArray(stored) || stored.length !== languageCount) {
    throw file.fail('its scripts are not a list with an entry for each language');
  }
  for (const own of stored) {
    if (!Array.isArray(own) || !own.every((name) => typeof name === 'string')) {
      throw file.fail('its scripts are not lists of codes');
    }
    const unknown = own.find((name) => !known.has(name));
    if (unknown !== undefined)
      throw file.fail(`it names the script ${shown(unknown)}, which this version does not know`);
  }
  return stored;
}

/** Rows of languages with the kernel's numbers of their scripts; where none is known, they may be written in any. */
export function usesOf(scripts, { SCRIPTS, FIRST_SCRIPT }) {
  const number = new Map(SCRIPTS.map((name, i) => [name, FIRST_SCRIPT + i]));
  const every = [...new Set((scripts ?? []).flat())];
  const pairs = [];
  (scripts ?? []).forEach((own, row) => {
    for (const name of [...new Set(own.length ? own : every)].sort()) pairs.push(row, number.get(name));
  });
  return Uint16Array.from(pairs);
}

/** The scripts that a language is written in, most frequent first, from the scripts of its words and their counts. */
export function scriptsOf(scriptOfWord, counts, { SCRIPTS, FIRST_SCRIPT }) {
  const totals = new Float64Array(SCRIPTS.length);
  scriptOfWord.forEach((script, word) => {
    if (script >= FIRST_SCRIPT) totals[script - FIRST_SCRIPT] += counts[word];
  });
  const all = totals.reduce((sum, total) => sum + total, 0);
  return [...totals.keys()]
    .sort((a, b) => totals[b] - totals[a] || a - b)
    .filter((script) => totals[script] >= SHARE * all && totals[script] > 0)
    .map((script) => SCRIPTS[script]);
}
