// The vector of a word, and sums of such vectors: the costs of a text.
//
// A cost is a negative log-probability in whole steps, so that sums are exact and the same in any order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/memory.h"
#include "base/simd.h"
#include "words/noise.h"

namespace unilid {

// The costs of a word under every language. A scorer with a bound has the least cost and how far each language exceeds
// it; a scorer without one has the costs themselves, and a least cost of 0.
struct WordVector {
  uint32_t least;
  const uint8_t* excess;  // null in a scorer without a bound; of the languages of `rows`
  const uint16_t* costs;  // null in a scorer with a bound
  Rows rows;
  uint8_t outside;  // the excess of all languages outside of `rows`, which are not written in the script of the word

  uint32_t of(size_t language) const {
    if (costs != nullptr) return costs[language];
    return least + (rows.contains(language) ? excess[language - rows.first] : outside);
  }
};

// What the words of a text cost each language: least + total + recent, or least + outside.
struct CostSum {
  const double* total = nullptr;     // null: zeros
  const uint16_t* recent = nullptr;  // valid within `rows`; null: zeros
  double least = 0;                  // the same for every language
  Rows rows;
  double outside = 0;  // the same for every language outside of `rows`

  double operator[](size_t l) const {
    if (!rows.contains(l)) return least + outside;
    return least + (total != nullptr ? total[l] : 0) + (recent != nullptr ? recent[l] : 0);
  }
};

// The costs of a text: those of its linguistic words, and those of the others.
struct TextCosts {
  CostSum linguistic, others;

  double operator[](size_t l) const { return linguistic[l] + others[l]; }
};

// What a text is, apart from its language.
struct TextFacts {
  size_t letters = 0;                 // characters of its linguistic words
  Reason reason = Reason::NONE;       // why it is no language
  const uint8_t* excluded = nullptr;  // not 0: a language none of whose scripts occurs in it; null: no language is
};

// A sum of word vectors, made of whole numbers in doubles. Vectors with a bound are first added up in 16 bits, which
// have room for FLUSH_AFTER of them, and over no more languages than their scripts have. From the first flush on, the
// sum is over all languages.
class VectorSum {
 public:
  explicit VectorSum(size_t width) : width_(width), recent_(width), total_(width, false) {}
  void start(bool bounded);
  void add(const WordVector& vector) {
    if (vector.excess == nullptr) return accumulate(total_.data(), vector.costs, width_);
    if (rows_ == vector.rows) {
      accumulate(recent_.data() + rows_.first, vector.excess, rows_.size());
      outside_ = static_cast<uint16_t>(outside_ + vector.outside);
    } else {
      add_other(vector);
    }
    least_ += vector.least;
    if (++words_ == FLUSH_AFTER) flush();
  }
  // Makes the sum one over all of these languages, too; the rest of them cost what those outside cost.
  void extend(const Rows& rows);
  bool is_empty() const { return words_ == 0 && is_zero_; }
  CostSum costs() const;

 private:
  // Words: 256 times the largest excess, 255, is less than 2^16.
  static constexpr size_t FLUSH_AFTER = 256;

  void add_other(const WordVector& vector);  // of other rows
  void flush();

  size_t width_, words_ = 0;
  uint64_t least_ = 0;
  bool is_zero_ = true;  // total_ counts as zeros, whatever its memory holds
  Rows rows_;
  uint16_t outside_ = 0;
  Aligned<uint16_t> recent_;
  Aligned<double> total_;
};

}  // namespace unilid
