// What a language is learned from: its words, and what is estimated from them.
#include <limits>
#include <string>

#include "corpus/counts.h"
#include "models/context_estimation.h"
#include "models/lexicon.h"
#include "models/unigram_estimation.h"
#include "models/vocabulary.h"
#include "web/exports.h"
#include "words/words.h"

namespace unilid::web {

namespace {

void give_table(WordCounts::Table table) {
  results.clear();
  give(std::vector<uint32_t>(table.offsets.begin(), table.offsets.end()));
  give(table.counts);
  results.push_back(std::move(table.blob));
}

// Words that lie one after the other, as give_table gave them.
struct LanguageWords {
  LanguageWords(const char* bytes, const uint32_t* offset_of, const double* count_of, size_t words)
      : blob(bytes, offset_of[words]), offsets(offset_of, offset_of + words + 1), counts(count_of), size(words) {}
  std::string_view word(size_t w) const {
    return blob.substr(static_cast<size_t>(offsets[w]), static_cast<size_t>(offsets[w + 1] - offsets[w]));
  }

  std::string_view blob;
  std::vector<int64_t> offsets;
  const double* counts;
  size_t size;
};

}  // namespace

// The words of texts with their counts: offsets (32 bits), counts and bytes.
UNILID_EXPORT("count_words")
void count_words(const char* bytes, const uint32_t* ends, size_t texts, size_t max_words) {
  WordCounts words;
  for (const std::string_view text : views(bytes, ends, texts)) words.add_text(text, 1);
  words.keep_most_common(max_words);
  give_table(words.table());
}

UNILID_EXPORT("with_fragments")
void with_fragments(const char* bytes, const uint32_t* offsets, const double* counts, size_t count, double share) {
  const LanguageWords words(bytes, offsets, counts, count);
  give_table(WordCounts::with_fragments(words.blob, words.offsets.data(), counts, count, share));
}

UNILID_EXPORT("with_spellings")
void with_spellings(const char* bytes, const uint32_t* offsets, const double* counts, size_t count, double share) {
  const LanguageWords words(bytes, offsets, counts, count);
  give_table(WordCounts::with_spellings(words.blob, words.offsets.data(), counts, count, share));
}

// Whether a text has a word that is not noise.
UNILID_EXPORT("has_words") bool has_words(const char* text, size_t size) {
  WordReader reader({text, size});
  for (Word word; reader.next(word);) {
    if (word.noise == Reason::NONE) return true;
  }
  return false;
}

// The expected counts of tokens: tokens (32 bits), their counts, and the sum of all.
UNILID_EXPORT("estimate_unigram")
void estimate_unigram(const std::shared_ptr<Vocabulary>* vocabulary, const char* bytes, const uint32_t* offsets,
                      const double* counts, size_t count, int rounds, double tolerance) {
  const LanguageWords words(bytes, offsets, counts, count);
  const Estimate estimated = estimate(**vocabulary, words.blob, words.offsets.data(), counts, count, rounds, tolerance);
  results.clear(), give(estimated.tokens), give(estimated.counts), give(std::vector<double>{estimated.total});
}

// The back-off of the root, and for each level: parents, characters (32 bits), log_p and log_backoff.
UNILID_EXPORT("estimate_context")
void estimate_context(const char* bytes, const uint32_t* offsets, const double* counts, size_t count, size_t order,
                      double discount, double base, double prune, size_t prune_from) {
  const LanguageWords words(bytes, offsets, counts, count);
  const ContextEstimate estimated = unilid::estimate_context(words.blob, words.offsets.data(), counts, count, order,
                                                             discount, base, prune, prune_from);
  results.clear(), give(std::vector<double>{estimated.root_backoff});
  for (const ContextLevelEstimate& level : estimated.levels) {
    give(level.parents), give(level.characters), give(level.log_p), give(level.log_backoff);
  }
}

// What words cost the only language of one or two word models, in steps (32 bits); see make_scorer.
UNILID_EXPORT("word_costs")
void word_costs(const ModelHandle* unigram, const ModelHandle* context, uint32_t unigram_weight, const char* bytes,
                const uint32_t* offsets, const double* counts, size_t count) {
  const LanguageWords words(bytes, offsets, counts, count);
  const std::vector<WeightedModel> models = weighted(unigram, context, unigram_weight);
  std::vector<uint32_t> costs(count);
  for (size_t w = 0; w < count; ++w) {
    WordReader reader(words.word(w));
    if (Word word; reader.next(word)) costs[w] = weighted_cost(models, word, 0);
  }
  results.clear(), give(costs);
}

// The keys of words in the lexicon (64 bits) and their scripts (a byte each): a word is read as if it stood alone.
UNILID_EXPORT("word_keys")
void word_keys(const char* bytes, const uint32_t* offsets, const double* counts, size_t count) {
  const LanguageWords words(bytes, offsets, counts, count);
  std::vector<uint64_t> keys(count, NO_KEY);
  std::vector<uint8_t> scripts(count, unicode::SIGN);
  for (size_t w = 0; w < count; ++w) {
    WordReader reader(words.word(w));
    Word word;
    if (reader.next(word) && word.kind == unicode::LETTER) keys[w] = lexicon_key(word), scripts[w] = word.script;
  }
  results.clear(), give(keys), give(scripts);
}

}  // namespace unilid::web
