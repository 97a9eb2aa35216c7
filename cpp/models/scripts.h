// Which languages are written in which script.
//
// A word in a script that a language is not written in says nothing about the language. It costs all such languages the
// same, and a language none of whose scripts occurs in a text is never the answer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.h"
#include "base/simd.h"
#include "words/words.h"

namespace unilid {

// What a letter of a word costs the languages that are not written in its script, in steps beyond the best language's
// cost: 2 nats. A word of five letters then weighs as much as one that a language of its script does not know.
constexpr uint32_t FOREIGN_LETTER = 16;
constexpr uint8_t foreign_excess(size_t letters) {
  return static_cast<uint8_t>(letters * FOREIGN_LETTER < 0xFF ? letters * FOREIGN_LETTER : 0xFF);
}

class ScriptTable {
 public:
  struct Use {
    uint16_t language;
    uint8_t script;  // a class from FIRST_SCRIPT on
  };

  // Without any uses the table is empty: then all languages are written in all scripts.
  ScriptTable(const std::vector<Use>& uses, size_t languages);

  bool is_empty() const { return masks_.size() == 0; }
  // 0xFF for the languages that are not written in a script, and 0 for the others. Null if the letters of the word are
  // common to all scripts, or the table is empty.
  const uint8_t* foreign(uint8_t script) const {
    return script < unicode::FIRST_SCRIPT || is_empty() ? nullptr : masks_.data() + row_of_[script] * width_;
  }
  bool is_written(uint8_t script) const { return row_of_[script] != 0; }
  // The range of the languages that are written in a script; all, if foreign() is null.
  const Rows& rows(uint8_t script) const { return rows_[script]; }

 private:
  size_t width_;
  std::vector<uint16_t> row_of_;  // of each class; 0: nobody's
  std::vector<Rows> rows_;        // likewise
  Aligned<uint8_t> masks_;
};

// The scripts of a text.
class ScriptSet {
 public:
  void add(uint8_t script) { bits_[script / 64] |= uint64_t{1} << script % 64; }
  template <class Visit>
  void each(Visit&& visit) const {
    for (size_t i = 0; i < 4; ++i) {
      for (uint64_t rest = bits_[i]; rest != 0; rest &= rest - 1) {
        visit(static_cast<uint8_t>(64 * i + static_cast<size_t>(std::countr_zero(rest))));
      }
    }
  }

 private:
  uint64_t bits_[4] = {};
};

}  // namespace unilid
