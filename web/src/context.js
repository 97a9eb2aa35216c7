// The context model: one trie of n-grams over all languages, with a level for each order.

/** Bytes of an entry: a language, a cost and the cost of backing off, which the longest n-grams do not have. */
export const ENTRY_BYTES = 4, LAST_ENTRY_BYTES = 3;

/** Takes the table out of a file. */
export function unpackContext(file, { order, base, languageCount }) {
  const { kernel } = file;
  const { WORD_END, MAX_CHARACTERS } = kernel.constants;
  const codePoints = file.take('context.code_points', Uint32Array, { below: WORD_END + 1 });
  const count = codePoints.length;
  if (!count || count > MAX_CHARACTERS || new Set(codePoints.view()).size !== count) {
    throw file.fail('the characters of the context model are not distinct');
  }
  const levels = [];
  for (let k = 0; k < order; ++k) {
    const name = `context.${k + 1}`;
    let characters, firstOfParent = null;
    if (k > 0) {
      characters = file.take(`${name}.characters`, Uint16Array);
      const [groups, members] = [levels[k - 1].characters.length, characters.length];
      firstOfParent = file.takeFirsts(`${name}.siblings`, { groups, members });
      file.checkKeys(`${name}.characters`, characters, 2, firstOfParent, count);
    } else {
      characters = { place: kernel.put(Uint16Array.from({ length: count }, (_, i) => i)), length: count };
    }
    const entryBytes = k + 1 === order ? LAST_ENTRY_BYTES : ENTRY_BYTES;
    const entries = file.take(`${name}.entries`, Uint8Array);
    if (entries.length % entryBytes) throw file.fail(`the array "${name}.entries" ends within an entry`);
    const members = entries.length / entryBytes;
    const firstEntry = file.takeFirsts(`${name}.sizes`, { groups: characters.length, members });
    file.checkKeys(`${name}.entries`, entries, entryBytes, firstEntry, languageCount);
    levels.push({ firstOfParent, characters, firstEntry, entries, entryBytes });
  }
  return { codePoints, levels, base, rootBackoff: file.take('context.root_backoff', Uint8Array, { length: languageCount }) };
}

/** The kernel's model of a table; `uses`: rows and the kernel's numbers of their scripts. */
export function contextKernel(kernel, table, uses) {
  const { codePoints, levels, rootBackoff, base } = table;
  const places = levels.flatMap((level, k) => [
    level.characters.place, levels[k + 1]?.firstOfParent.place ?? 0, level.firstEntry.place, level.entries.place]);
  return kernel.scope(() =>
    kernel.call(
      'make_context', codePoints.place, kernel.lend(Uint32Array.from(levels, (level) => level.characters.length)),
      kernel.lend(Uint32Array.from(places)), levels.length, rootBackoff.place, base, rootBackoff.length,
      kernel.lend(uses), uses.length / 2));
}
