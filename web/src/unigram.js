// The unigram model: costs of tokens under languages, token-major and sparse.

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
    'make_unigram', vocabulary, firsts.place, languages.place, costs.place, unseen, table.unseen.length);
}

/** Takes the vocabulary out of a file. */
export function unpackVocabulary(file) {
  const { MAX_TOKENS } = file.kernel.constants;
  const bytes = file.take('vocabulary.bytes', Uint8Array);
  const lengths = file.take('vocabulary.lengths', Uint8Array);
  const firsts = file.takeFirsts('vocabulary.lengths', { groups: lengths.length, members: bytes.length });
  const tokens = tokensOf(bytes.view(), firsts.view());
  if (tokens.length > MAX_TOKENS) throw file.fail(`a vocabulary has at most ${MAX_TOKENS} tokens, not ${tokens.length}`);
  tokens.forEach((token, t) => {
    if (token.length < 1 || token.length > MAX_TOKEN_BYTES) throw file.fail(`a token must have 1 to ${MAX_TOKEN_BYTES} bytes`);
    if (t && !isBefore(tokens[t - 1], token)) throw file.fail('the tokens of a vocabulary must be sorted and distinct');
  });
  if (tokens.filter((token) => token.length === 1).length < 256) {
    throw file.fail('a vocabulary must contain all 256 single bytes');
  }
  return { bytes, firsts, size: tokens.length };
}

const MAX_TOKEN_BYTES = 64;

const tokensOf = (bytes, firsts) => Array.from({ length: firsts.length - 1 }, (_, t) => bytes.subarray(firsts[t], firsts[t + 1]));

function isBefore(a, b) {
  for (let i = 0; i < a.length && i < b.length; ++i) if (a[i] !== b[i]) return a[i] < b[i];
  return a.length < b.length;
}
