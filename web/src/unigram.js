// The unigram model: costs of tokens under languages, token-major and sparse.

import { quantise } from './numbers.js';
import { narrow, packSizes } from './store.js';

const ROUNDS = 20,
  FRAGMENT_ROUNDS = 6; // of EM; fewer where fragments are among the words
const TOLERANCE = 1e-6;
/** What the paper's base system adds to every count. */
const ADDED = 0.1;
/** Expected counts below this are taken for unseen. */
const MIN_COUNT = 0.1;

/** Takes the table out of a file. */
export function unpackUnigram(file, { tokens, languageCount }) {
  const costs = file.take('unigram.costs', Uint8Array);
  const firsts = file.takeFirsts('unigram.sizes', { groups: tokens, members: costs.length });
  const languages = file.take('unigram.languages', Uint16Array, { length: costs.length });
  file.checkKeys('unigram.languages', languages, 2, firsts, languageCount);
  return { firsts, languages, costs, unseen: file.take('unigram.unseen', Uint8Array, { length: languageCount }) };
}

/** The kernel's model of a table; `unseen` is where other costs of unseen tokens lie, if they are not the table's. */
export function unigramKernel(kernel, vocabulary, table, unseen = table.unseen.place) {
  const { firsts, languages, costs } = table;
  return kernel.call(
    'make_unigram',
    vocabulary,
    firsts.place,
    languages.place,
    costs.place,
    unseen,
    table.unseen.length,
  );
}

/** Takes the vocabulary out of a file. */
export function unpackVocabulary(file) {
  const { MAX_TOKENS } = file.kernel.constants;
  const bytes = file.take('vocabulary.bytes', Uint8Array);
  const lengths = file.take('vocabulary.lengths', Uint8Array);
  const firsts = file.takeFirsts('vocabulary.lengths', { groups: lengths.length, members: bytes.length });
  const tokens = tokensOf(bytes.view(), firsts.view());
  if (tokens.length > MAX_TOKENS)
    throw file.fail(`a vocabulary has at most ${MAX_TOKENS} tokens, not ${tokens.length}`);
  tokens.forEach((token, t) => {
    if (token.length < 1 || token.length > MAX_TOKEN_BYTES)
      throw file.fail(`a token must have 1 to ${MAX_TOKEN_BYTES} bytes`);
    if (t && !isBefore(tokens[t - 1], token)) throw file.fail('the tokens of a vocabulary must be sorted and distinct');
  });
  if (tokens.filter((token) => token.length === 1).length < 256) {
    throw file.fail('a vocabulary must contain all 256 single bytes');
  }
  return { bytes, firsts, size: tokens.length };
}

const MAX_TOKEN_BYTES = 64;

const tokensOf = (bytes, firsts) =>
  Array.from({ length: firsts.length - 1 }, (_, t) => bytes.subarray(firsts[t], firsts[t + 1]));

function isBefore(a, b) {
  for (let i = 0; i < a.length && i < b.length; ++i) if (a[i] !== b[i]) return a[i] < b[i];
  return a.length < b.length;
}

/** What a language makes of the vocabulary: a table of it alone, and the expected number of its tokens. */
export function estimateUnigram(words, vocabulary, size, settings) {
  const { kernel } = words;
  const read = settings.fragments ? words.withFragments(settings.fragments) : words;
  const rounds = settings.fragments ? FRAGMENT_ROUNDS : ROUNDS;
  const [tokens, counts, [total]] = read.call('estimate_unigram', [vocabulary], [rounds, TOLERANCE], () => [
    kernel.result(0, Uint32Array),
    kernel.result(1, Float64Array),
    kernel.result(2, Float64Array),
  ]);
  let unseen, logs;
  if (settings.unseen === 'additive') {
    const mass = total + ADDED * size;
    [unseen] = quantise(kernel.logarithms([ADDED / mass]), 255);
    logs = kernel.logarithms(counts.map((count) => (count + ADDED) / mass));
  } else {
    [unseen] = quantise([settings.unseen_log_p], 255);
    logs = kernel.logarithms(counts.map((count) => (count >= MIN_COUNT ? count / total : 0)));
  }
  const costs = quantise(logs, 255);
  const used = [...tokens.keys()].filter((i) => costs[i] < unseen);
  const firsts = new Uint32Array(size + 1);
  for (const i of used) ++firsts[tokens[i] + 1];
  for (let token = 0; token < size; ++token) firsts[token + 1] += firsts[token];
  const table = {
    firsts,
    languages: new Uint16Array(used.length),
    costs: Uint8Array.from(used, (i) => costs[i]),
    unseen: Uint8Array.of(unseen),
  };
  return { table, total };
}

/** A table with a language more; no entry changes. */
export function appendUnigram(table, added) {
  const row = table.unseen.length;
  const size = table.costs.length + added.costs.length;
  const languages = new Uint16Array(size),
    costs = new Uint8Array(size),
    firsts = new Uint32Array(table.firsts.length);
  let at = 0;
  for (let token = 0; token + 1 < firsts.length; ++token) {
    const [first, last] = [table.firsts[token], table.firsts[token + 1]];
    languages.set(table.languages.subarray(first, last), at);
    costs.set(table.costs.subarray(first, last), at);
    at += last - first;
    for (let entry = added.firsts[token]; entry < added.firsts[token + 1]; ++entry, ++at) {
      languages[at] = row;
      costs[at] = added.costs[entry];
    }
    firsts[token + 1] = at;
  }
  return { firsts, languages, costs, unseen: Uint8Array.of(...table.unseen, ...added.unseen) };
}

/** The arrays of a file. */
export function packUnigram(kernel, table) {
  return [
    ...packSizes(kernel, 'unigram.sizes', table.firsts),
    ['unigram.languages', narrow(table.languages)],
    ['unigram.costs', table.costs],
    ['unigram.unseen', table.unseen],
  ];
}
