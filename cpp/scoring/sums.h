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
  const uint8_t* excess;  // null in a scorer without a bound
  const uint16_t* costs;  // null in a scorer with a bound

  uint32_t of(size_t language) const { return costs != nullptr ? costs[language] : least + excess[language]; }
};

// What the words of a text cost each language: least + total + recent.
struct CostSum {
  const double* total;     // null: zeros
  const uint16_t* recent;  // null: zeros
  double least;            // the same for every language

  double operator[](size_t l) const {
    return least + (total != nullptr ? total[l] : 0) + (recent != nullptr ? recent[l] : 0);
  }
};

// What a text is, apart from its language.
struct TextFacts {
  size_t letters = 0;                 // characters of its linguistic words
  Reason reason = Reason::NONE;       // why it is no language
  const uint8_t* excluded = nullptr;  // not 0: a language none of whose scripts occurs in it; null: no language is
};

// A sum of word vectors, made of whole numbers in doubles. Vectors with a bound are first added up in 16 bits, which
// have room for FLUSH_AFTER of them.
class VectorSum {
 public:
  explicit VectorSum(size_t width) : width_(width), recent_(width), total_(width) {}
  void start(bool bounded);
  void add(const WordVector& vector) {
    if (vector.excess == nullptr) return accumulate(total_.data(), vector.costs, width_);
    accumulate(recent_.data(), vector.excess, width_);
    least_ += vector.least;
    if (++words_ == FLUSH_AFTER) flush();
  }
  // Fills `to` with the sum of both.
  void add_up(const VectorSum& other, double* to) const;
  CostSum costs() const;

 private:
  // Words: 256 times the largest excess, 255, is less than 2^16.
  static constexpr size_t FLUSH_AFTER = 256;

  void flush();

  size_t width_, words_ = 0;
  uint64_t least_ = 0;
  bool is_zero_ = true;  // total_ counts as zeros, whatever its memory holds
  Aligned<uint16_t> recent_;
  Aligned<double> total_;
};

}  // namespace unilid
