// The shared vocabulary: a trie of bytes that finds every token that begins at a position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "words/words.h"

namespace unilid {

class Vocabulary {
 public:
  // A cell of the trie has 23 bits for a token, and the largest number means none.
  static constexpr size_t MAX_TOKENS = (1u << 23) - 1;

  // Token t is blob[offsets[t] .. offsets[t + 1]). The caller has checked that there are at most MAX_TOKENS, that they
  // are unique and sorted by their bytes, and that all 256 single bytes are among them, so that every text has a
  // segmentation.
  Vocabulary(std::string_view blob, const int64_t* offsets, size_t tokens);

  size_t size() const { return lengths_.size(); }

  // Calls visit(token, length) for every token that starts at `at`, shortest first.
  template <class Visit>
  void prefixes(const uint8_t* at, const uint8_t* end, Visit&& visit) const {
    Cell node = cells_[0];
    for (const uint8_t* p = at; p < end; ++p) {
      node = cells_[node.base + *p];
      if (node.byte != *p) return;
      if (node.token != NO_TOKEN) visit(node.token, static_cast<size_t>(p - at) + 1);
    }
  }

  // Calls visit(start, token, length, first) for every edge of the lattice of a word, in the order of their starts.
  // `first` is true if no edge before ended where this one ends. A character that is a token is never spelt in bytes.
  template <class Visit>
  void edges(const uint8_t* word, size_t size, Visit&& visit) const {
    bool reached[WORD_CAPACITY + 1] = {true};
    for (size_t i = 0; i < size; ++i) {
      if (!reached[i]) continue;
      const auto add = [&](uint32_t token, size_t length) {
        visit(i, token, length, !reached[i + length]);
        reached[i + length] = true;
      };
      const size_t character = decode(word + i, word + size).size;
      uint32_t byte = NO_TOKEN;
      prefixes(word + i, word + size, [&](uint32_t token, size_t length) {
        if (length == 1 && character > 1) {
          byte = token;
          return;
        }
        if (length == character) byte = NO_TOKEN;
        add(token, length);
      });
      if (byte != NO_TOKEN) add(byte, 1);
    }
  }

 private:
  static constexpr uint32_t NO_TOKEN = MAX_TOKENS, NO_BYTE = 256;

  // A double-array trie (Aoe, 1989): the child of a node under a byte is the cell at base + byte, if that cell has this
  // byte. No two nodes have the same base. A step takes one memory access.
  struct Cell {
    uint32_t base = 0;
    uint32_t token : 23 = NO_TOKEN;
    uint32_t byte : 9 = NO_BYTE;
  };
  static_assert(sizeof(Cell) == 8);

  void build(std::string_view blob, const int64_t* offsets, size_t tokens);

  std::vector<Cell> cells_;
  std::vector<uint8_t> lengths_;
};

}  // namespace unilid
