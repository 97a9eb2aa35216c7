// Words to vectors, vectors to texts.
//
// A word is a vector of costs, one per language: a cost is a negative log-probability in whole steps, so sums are exact
// and the same in any order. The vector of a word is a weighted sum over word models; the vector of a text is the sum
// over its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "decide.h"
#include "memory.h"
#include "simd.h"
#include "vocabulary.h"
#include "words.h"

namespace unilid {

// One way to score a word under every language.
class WordModel {
 public:
  virtual ~WordModel() = default;
  // Room that costs() may use, in 16-bit entries.
  virtual size_t scratch() const = 0;
  // Fills padded(languages) costs; what stands behind the last language means nothing.
  virtual void costs(const Word& word, uint16_t* scratch, uint16_t* out) const = 0;
  // The same for a few languages only; `rows` ascending.
  virtual void costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const = 0;
};

// Token-major sparse weights: the entries of token t are [offsets[t], offsets[t + 1]), languages ascending. A language
// without an entry pays its `unseen` cost, which is at least as high as any of its entries. Views of mapped memory.
struct TokenCosts {
  const int64_t* offsets;
  const uint16_t* languages;
  const uint8_t* costs;
  const uint8_t* unseen;
  size_t language_count;
};

// The paper's model: the cost of a word is that of its most probable segmentation (Viterbi).
class UnigramModel : public WordModel {
 public:
  UnigramModel(std::shared_ptr<const Vocabulary> vocabulary, TokenCosts table);

  size_t scratch() const override { return (WORD_CAPACITY + 1) * padded(table_.language_count); }
  void costs(const Word& word, uint16_t* scratch, uint16_t* out) const override;
  void costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const override;

  // The forward algorithm instead: -log of the sum over all segmentations, in steps of `step` nats.
  struct Marginal {
    explicit Marginal(double step);
    double step;
    std::vector<double> weights, sums;
  };
  void marginal(const uint8_t* word, size_t size, Marginal& marginal, uint16_t* scratch, double* out) const;

  struct Piece {
    uint32_t token;
    size_t begin, end;  // bytes of the word
    uint8_t cost;
  };
  // The most probable segmentation under one language; of equally probable ones, that with the longest last tokens.
  std::vector<Piece> segment(const uint8_t* word, size_t size, size_t language) const;

 private:
  // The best cost of every prefix under every language: best[j * padded + l].
  void viterbi(const uint8_t* word, size_t size, uint16_t* best) const;
  uint8_t cost(uint32_t token, size_t language) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  TokenCosts table_;
  size_t width_;
  // Tokens that many languages use have a row over all languages, the others a short list.
  static constexpr uint32_t SPARSE = 0xFFFFFFFF;
  std::vector<uint32_t> row_of_;
  Aligned<uint8_t> rows_;
  Aligned<uint8_t> unseen_;
};

// The vectors of words seen before; four places for a word, the oldest gives way.
class WordCache {
 public:
  static constexpr size_t MAX_KEY = 31;

  WordCache(size_t bytes, size_t width);
  // The place of a word's vector, and whether it is there already; null for words that are not cached.
  uint16_t* find(const Word& word, bool& known);

 private:
  static constexpr size_t WAYS = 4;
  struct Key {
    uint8_t size = 0;  // 0: empty; the upper bits say on which sides the word is cut
    uint8_t bytes[MAX_KEY];
  };
  size_t width_, mask_;
  std::vector<Key> keys_;
  std::vector<uint8_t> oldest_;
  Aligned<uint16_t> vectors_;
};

struct WeightedModel {
  std::shared_ptr<const WordModel> model;
  uint32_t weight;  // sixteenths; the weights of a scorer add up to 16
};

class Scorer {
 public:
  // `bound`: a word counts in full against a language up to this many steps beyond the best language's cost, and a
  // quarter of what goes further; and a lone letter that no space precedes counts a quarter: what noise leaves of a
  // word. 0 for neither. `cache_bytes`: for each concurrent caller.
  Scorer(std::vector<WeightedModel> models, size_t languages, uint32_t bound, size_t cache_bytes);

  size_t languages() const { return languages_; }

  struct Workspace {
    Workspace(const Scorer& scorer);
    Aligned<uint16_t> scratch, vector, part;
    Aligned<uint32_t> sums, letters, others;
    Aligned<double> keys;
    WordCache cache;
  };

  // The costs of a text, over all of its words and over its words of letters alone. Addresses and identifiers do not
  // count, unless there is nothing else.
  struct Totals {
    uint64_t *all, *spoken;
  };
  TextFacts add_text(std::string_view text, Workspace& workspace, Totals totals) const;

  // For label sets so large that the full vector is too slow: this scorer, of one word model and unbounded, names
  // `count` candidates, and only they are scored with the second model too. Other languages get no total.
  struct SecondStage {
    const WordModel* model;
    uint32_t weight;  // of this scorer's model, sixteenths; the rest is the second's
    uint32_t bound;   // relative to the best candidate
    size_t count;
    const double* log_prior;
    double step;
  };
  TextFacts add_text(std::string_view text, Workspace& workspace, const SecondStage& second, Totals totals) const;

  // Adds the costs of a word to those of padded(languages) languages.
  void add_word(const Word& word, Workspace& workspace, uint32_t* to) const {
    accumulate(to, word_vector(word, workspace), width_);
  }

  // Borrowed from a pool. Never waits: when the pool is busy, or was locked by another thread at the moment of a fork,
  // a new workspace is made.
  std::unique_ptr<Workspace> borrow() const;
  void give_back(std::unique_ptr<Workspace> workspace) const;

 private:
  const uint16_t* word_vector(const Word& word, Workspace& workspace) const;
  void compute(const Word& word, Workspace& workspace, uint16_t* out) const;

  std::vector<WeightedModel> models_;
  size_t languages_, width_;
  uint32_t bound_;
  size_t cache_bytes_;
  mutable std::mutex pool_mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> pool_;
};

}  // namespace unilid
