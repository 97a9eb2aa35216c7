// The lexicon: how frequent whole words are in each language.

import { LAST_ENTRY_BYTES as ENTRY_BYTES } from './context.js';
import { Entries } from './entries.js';
import { STEP, rint } from './numbers.js';
import { packSizes } from './store.js';

/** Of the difference between what a word costs and what its frequency is worth: the two are interpolated. */
const SHARE = 0.75;
/** Subtracted from the count of a word: what was seen once is rarer than it looks. */
const DISCOUNT = 0.75;
/** In steps. */
const MAX_GAIN = 255;

/** Takes the table out of a file. */
export function unpackLexicon(file, { languageCount }) {
  const { LEXICON_BUCKETS } = file.kernel.constants;
  const fingerprints = file.take('lexicon.fingerprints', Uint32Array);
  const buckets = file.takeFirsts('lexicon.buckets', { groups: LEXICON_BUCKETS, members: fingerprints.length });
  const entries = file.take('lexicon.entries', Uint8Array);
  if (entries.length % ENTRY_BYTES) throw file.fail('the array "lexicon.entries" ends within an entry');
  const members = entries.length / ENTRY_BYTES;
  const firstEntry = file.takeFirsts('lexicon.sizes', { groups: fingerprints.length, members });
  file.checkKeys('lexicon.entries', entries, ENTRY_BYTES, firstEntry, languageCount);
  const first = buckets.view(),
    values = fingerprints.view();
  for (let bucket = 0; bucket < LEXICON_BUCKETS; ++bucket) {
    for (let word = first[bucket] + 1; word < first[bucket + 1]; ++word) {
      if (!(values[word] > values[word - 1])) {
        throw file.fail('the array "lexicon.fingerprints" does not ascend within a bucket');
      }
    }
  }
  return { buckets, fingerprints, firstEntry, entries };
}

export function lexiconKernel(kernel, { buckets, fingerprints, firstEntry, entries }) {
  return kernel.call('make_lexicon', buckets.place, fingerprints.place, firstEntry.place, entries.place);
}

/** The gains of a language, from its words and what these cost it: keys, ascending, with gains in steps. */
export function estimateLexicon(words, keys, costs, { lexicon_size: size, lexicon_least: least }) {
  const { counts, kernel } = words;
  // The forms of a word ("the", "The", with and without a space) are one; it costs what its most frequent form does.
  const forms = new Map();
  keys.forEach((key, word) => {
    if (key === undefined) return;
    const form = forms.get(key) ?? { key, count: 0, most: -1, cost: 0 };
    form.count += counts[word];
    if (counts[word] > form.most) [form.most, form.cost] = [counts[word], costs[word]];
    forms.set(key, form);
  });
  const all = [...forms.values()].sort((a, b) => a.key - b.key);
  const total = words.total;
  const logs = kernel.logarithms(all.map(({ count }) => Math.max(count - DISCOUNT, DISCOUNT / 4) / total));
  all.forEach((form, i) => {
    form.gain = Math.min(Math.max(rint(SHARE * (form.cost - -logs[i] / STEP)), 0), MAX_GAIN);
  });
  return all
    .filter(({ gain }) => gain * STEP >= least)
    .sort((a, b) => b.count * b.gain - a.count * a.gain || a.key - b.key)
    .slice(0, size)
    .sort((a, b) => a.key - b.key);
}

/** A table with a language more; no entry changes. */
export function appendLexicon(table, gains, row, { LEXICON_BUCKETS }) {
  const room = table.fingerprints.length + gains.length;
  const fingerprints = new Uint32Array(room),
    firstEntry = new Uint32Array(room + 1);
  const buckets = new Uint32Array(LEXICON_BUCKETS + 1);
  const entries = new Entries(table.entries, ENTRY_BYTES, gains.length);
  let size = 0,
    next = 0,
    word = 0;
  for (let bucket = 0; bucket < LEXICON_BUCKETS; ++bucket) {
    const end = table.buckets[bucket + 1],
      first = bucket * 2 ** 32;
    for (;;) {
      const own = word < end ? first + table.fingerprints[word] : Infinity;
      const added = next < gains.length ? gains[next].key : Infinity;
      const key = Math.min(own, added);
      if (key >= first + 2 ** 32) break;
      if (own === key) ++word;
      if (added === key) entries.insert(table.firstEntry[word], row, gains[next++].gain);
      fingerprints[size++] = key - first;
      firstEntry[size] = table.firstEntry[word] + entries.inserted;
    }
    buckets[bucket + 1] = size;
  }
  return {
    buckets,
    fingerprints: fingerprints.slice(0, size),
    firstEntry: firstEntry.slice(0, size + 1),
    entries: entries.finish(),
  };
}

/** The arrays of a file. */
export function packLexicon(kernel, { buckets, fingerprints, firstEntry, entries }) {
  return [
    ...packSizes(kernel, 'lexicon.buckets', buckets),
    ['lexicon.fingerprints', fingerprints],
    ...packSizes(kernel, 'lexicon.sizes', firstEntry),
    ['lexicon.entries', entries],
  ];
}
