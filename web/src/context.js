// The context model: one trie of n-grams over all languages, with a level for each order.

import { Entries } from './entries.js';
import { UnilidError } from './errors.js';
import { quantise } from './numbers.js';
import { Stored, packSizes } from './store.js';

/** The shortest n-grams that may be dropped. */
const PRUNE_FROM = 3;
/** In steps, of a character. */
const MAX_COST = 254;

/** Bytes of an entry: a language, a cost and the cost of backing off, which the longest n-grams do not have. */
export const ENTRY_BYTES = 4,
  LAST_ENTRY_BYTES = 3;

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
    let characters,
      firstOfParent = null;
    if (k > 0) {
      characters = file.take(`${name}.characters`, Uint16Array);
      const [groups, members] = [levels[k - 1].characters.length, characters.length];
      firstOfParent = file.takeFirsts(`${name}.siblings`, { groups, members });
      file.checkKeys(`${name}.characters`, characters, 2, firstOfParent, count);
    } else {
      characters = new Stored(kernel, Uint16Array, kernel.put(Uint16Array.from({ length: count }, (_, i) => i)), count);
    }
    const entryBytes = k + 1 === order ? LAST_ENTRY_BYTES : ENTRY_BYTES;
    const entries = file.take(`${name}.entries`, Uint8Array);
    if (entries.length % entryBytes) throw file.fail(`the array "${name}.entries" ends within an entry`);
    const members = entries.length / entryBytes;
    const firstEntry = file.takeFirsts(`${name}.sizes`, { groups: characters.length, members });
    file.checkKeys(`${name}.entries`, entries, entryBytes, firstEntry, languageCount);
    levels.push({ firstOfParent, characters, firstEntry, entries, entryBytes });
  }
  return {
    codePoints,
    levels,
    base,
    rootBackoff: file.take('context.root_backoff', Uint8Array, { length: languageCount }),
  };
}

/** The kernel's model of a table; `uses`: rows and the kernel's numbers of their scripts. */
export function contextKernel(kernel, table, uses) {
  const { codePoints, levels, rootBackoff, base } = table;
  const places = levels.flatMap((level, k) => [
    level.characters.place,
    levels[k + 1]?.firstOfParent.place ?? 0,
    level.firstEntry.place,
    level.entries.place,
  ]);
  return kernel.scope(() =>
    kernel.call(
      'make_context',
      codePoints.place,
      kernel.lend(Uint32Array.from(levels, (level) => level.characters.length)),
      kernel.lend(Uint32Array.from(places)),
      levels.length,
      rootBackoff.place,
      base,
      rootBackoff.length,
      kernel.lend(uses),
      uses.length / 2,
    ),
  );
}

/** Where each of `count` groups begins, from the ascending numbers of the groups of members, and the end. */
function firstOf(groups, count) {
  const firsts = new Uint32Array(count + 1);
  for (const group of groups) ++firsts[group + 1];
  for (let group = 0; group < count; ++group) firsts[group + 1] += firsts[group];
  return firsts;
}

/** The key of an n-gram among those of its order: numbers of parents have fewer than 32 bits, and the sum is exact. */
const keyOf = (parent, character) => parent * 0x10000 + character;

/** The n-grams of a language: a table of it alone. */
export function estimateContext(words, settings) {
  const { kernel } = words;
  const { order, discount, base, prune } = settings;
  const values = [order, discount, kernel.call('exponential', base), prune, PRUNE_FROM];
  const [[rootBackoff], estimated] = words.call('estimate_context', [], values, () => [
    kernel.result(0, Float64Array),
    Array.from({ length: order }, (_, k) =>
      [Uint32Array, Uint32Array, Float64Array, Float64Array].map((Type, i) => kernel.result(1 + 4 * k + i, Type)),
    ),
  ]);
  const codePoints = estimated[0][1];
  const place = new Map(Array.from(codePoints, (point, i) => [point, i]));
  const levels = [];
  let numbers = null; // of the nodes of the level before, among these in their order
  estimated.forEach(([parents, points, logP, logBackoff], k) => {
    const characters = Uint16Array.from(points, (point) => place.get(point));
    const keys = Float64Array.from(characters, (character, i) => (k ? keyOf(numbers[parents[i]], character) : i));
    const sorted = Uint32Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b]);
    numbers = new Uint32Array(sorted.length);
    sorted.forEach((node, number) => (numbers[node] = number));
    const entryBytes = k + 1 === order ? LAST_ENTRY_BYTES : ENTRY_BYTES;
    const costs = quantise(logP, MAX_COST),
      backoffs = quantise(logBackoff, 255);
    const entries = new Uint8Array(sorted.length * entryBytes); // its language is 0
    sorted.forEach((node, number) => {
      entries[number * entryBytes + 2] = costs[node];
      if (entryBytes === ENTRY_BYTES) entries[number * entryBytes + 3] = backoffs[node];
    });
    levels.push({
      firstOfParent: firstOf(
        Array.from(sorted, (node) => Math.floor(keys[node] / 0x10000)),
        k ? levels[k - 1].characters.length : 1,
      ),
      characters: Uint16Array.from(sorted, (node) => characters[node]),
      firstEntry: Uint32Array.from({ length: sorted.length + 1 }, (_, i) => i),
      entries,
      entryBytes,
    });
  });
  return { codePoints, levels, rootBackoff: quantise([rootBackoff], 255) };
}

/** A table with a language more; no entry changes. */
export function appendContext(table, added, { MAX_CHARACTERS }) {
  const row = table.rootBackoff.length;
  const place = new Map(Array.from(table.codePoints, (point, i) => [point, i]));
  for (const point of added.codePoints) if (!place.has(point)) place.set(point, place.size);
  if (place.size > MAX_CHARACTERS) {
    throw new UnilidError(`${place.size} distinct characters; the context model has room for ${MAX_CHARACTERS}`);
  }
  const character = Uint32Array.from(added.codePoints, (point) => place.get(point));
  const levels = [];
  let before = null,
    beforeAdded = null; // the new numbers of the nodes of the level before
  table.levels.forEach((old, k) => {
    const more = added.levels[k];
    const oldKeys = new Float64Array(old.characters.length),
      newKeys = new Float64Array(more.characters.length);
    if (k) {
      fillKeys(oldKeys, old, before, (own) => own);
      fillKeys(newKeys, more, beforeAdded, (own) => character[own]);
    } else {
      oldKeys.forEach((_, i) => (oldKeys[i] = i));
      newKeys.forEach((_, i) => (newKeys[i] = character[i]));
    }
    const sorted = Uint32Array.from(newKeys.keys()).sort((a, b) => newKeys[a] - newKeys[b]);
    [before, beforeAdded] = [new Uint32Array(oldKeys.length), new Uint32Array(newKeys.length)];
    const room = oldKeys.length + newKeys.length;
    const keys = new Float64Array(room),
      firstEntry = new Uint32Array(room + 1);
    const entries = new Entries(old.entries, old.entryBytes, newKeys.length);
    let size = 0;
    for (let i = 0, j = 0; i < oldKeys.length || j < sorted.length; ++size) {
      const fromOld = i < oldKeys.length ? oldKeys[i] : Infinity,
        fromNew = j < sorted.length ? newKeys[sorted[j]] : Infinity;
      keys[size] = Math.min(fromOld, fromNew);
      if (fromOld <= fromNew) before[i++] = size;
      if (fromNew <= fromOld) {
        const node = sorted[j++];
        const [, , ...rest] = more.entries.subarray(node * old.entryBytes, (node + 1) * old.entryBytes);
        entries.insert(old.firstEntry[i], row, ...rest);
        beforeAdded[node] = size;
      }
      firstEntry[size + 1] = old.firstEntry[i] + entries.inserted;
    }
    const all = keys.subarray(0, size);
    levels.push({
      firstOfParent: firstOf(
        all.map((key) => Math.floor(key / 0x10000)),
        k ? levels[k - 1].characters.length : 1,
      ),
      characters: Uint16Array.from(all, (key) => key % 0x10000),
      firstEntry: firstEntry.slice(0, size + 1),
      entries: entries.finish(),
      entryBytes: old.entryBytes,
    });
  });
  const rootBackoff = Uint8Array.of(...table.rootBackoff, ...added.rootBackoff);
  return { codePoints: Uint32Array.from(place.keys()), levels, rootBackoff };
}

function fillKeys(keys, level, numbers, characterOf) {
  for (let parent = 0; parent + 1 < level.firstOfParent.length; ++parent) {
    for (let node = level.firstOfParent[parent]; node < level.firstOfParent[parent + 1]; ++node) {
      keys[node] = keyOf(numbers[parent], characterOf(level.characters[node]));
    }
  }
}

/** The arrays of a file. */
export function packContext(kernel, { codePoints, levels, rootBackoff }) {
  const arrays = [
    ['context.code_points', codePoints],
    ['context.root_backoff', rootBackoff],
  ];
  levels.forEach((level, k) => {
    const name = `context.${k + 1}`;
    if (k)
      arrays.push(
        [`${name}.characters`, level.characters],
        ...packSizes(kernel, `${name}.siblings`, level.firstOfParent),
      );
    arrays.push(...packSizes(kernel, `${name}.sizes`, level.firstEntry), [`${name}.entries`, level.entries]);
  });
  return arrays;
}
