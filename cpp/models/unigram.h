// The word model of the paper: the cost of a word is the cost of its most probable segmentation into tokens.
//
// clang-format off
//   cost_l(word) = min over the segmentations t_1 ... t_n of the word of  sum of cost_l(t_i)          (Viterbi)
// clang-format on
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/memory.h"
#include "base/simd.h"
#include "models/vocabulary.h"
#include "models/word_model.h"

namespace unilid {

// Sparse token costs, token by token: token t has the entries [offsets[t], offsets[t + 1]), with their languages in
// ascending order. A language without an entry pays its `unseen` cost, which is at least as high as any of its entries.
// All pointers are views of memory that the caller keeps.
struct TokenCosts {
  const int64_t* offsets;
  const uint16_t* languages;
  const uint8_t* costs;
  const uint8_t* unseen;
  size_t language_count;
};

class UnigramModel : public WordModel {
 public:
  UnigramModel(std::shared_ptr<const Vocabulary> vocabulary, TokenCosts table);

  size_t scratch() const override { return (WORD_CAPACITY + 1) * padded(table_.language_count); }
  void prepare(const Word* const*, const Rows*, size_t, uint16_t*) const override {}
  void costs(const Word& word, size_t place, const Rows& rows, uint16_t* scratch, uint16_t* out) const override;
  void costs_of(const Word& word, const uint16_t* rows, size_t count, uint16_t* out) const override;

  // The forward algorithm instead of Viterbi: -log of the sum over all segmentations, in steps of `step` nats.
  struct Marginal {
    explicit Marginal(double nats);
    double step;
    std::vector<double> weights;  // weights[d] = exp(-step d)
    std::vector<double> sums;     // the forward sums of every prefix of the word, [prefixes, languages]
  };
  void marginal(const uint8_t* word, size_t size, Marginal& marginal, uint16_t* scratch, double* out) const;

  struct Piece {
    uint32_t token;
    size_t begin, end;  // bytes of the word
    uint8_t cost;
  };
  // The most probable segmentation under one language. Ties go to the segmentation with the longest last tokens.
  std::vector<Piece> segment(const uint8_t* word, size_t size, size_t language) const;

 private:
  // Fills best[j * padded + l] with the least cost of the first j bytes under language l.
  void viterbi(const uint8_t* word, size_t size, const Rows& rows, uint16_t* best) const;
  void prefetch_costs(uint32_t token, const Rows& rows) const;
  void relax_edge(uint32_t token, const uint16_t* from, uint16_t* to, bool first, const Rows& rows) const;
  uint8_t cost(uint32_t token, size_t language) const;

  // The row number of a token that has no row.
  static constexpr uint32_t SPARSE = 0xFFFFFFFF;
  // A token has a row over all languages if more than one language in this many uses it. Below that, the list is both
  // smaller and faster: one entry of a list takes about as long as 32 lanes of a row.
  static constexpr size_t LANGUAGES_PER_ENTRY = 32;

  std::shared_ptr<const Vocabulary> vocabulary_;
  TokenCosts table_;
  size_t width_;
  std::vector<uint32_t> row_of_;
  Aligned<uint8_t> rows_;
  Aligned<uint8_t> unseen_;
};

}  // namespace unilid
