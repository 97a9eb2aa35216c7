// The lexicon: how frequent whole words are in each language.

import { LAST_ENTRY_BYTES as ENTRY_BYTES } from './context.js';

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
  const first = buckets.view(), values = fingerprints.view();
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
