// The shared vocabulary: a byte trie that finds every token that starts at a position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "words.h"

namespace unilid {

class Vocabulary {
 public:
  static constexpr size_t MAX_TOKENS = (1u << 23) - 1;

  // Token t is blob[offsets[t] .. offsets[t + 1]). Tokens are unique and sorted by their bytes; all 256 single bytes
  // are among them, so every text has a segmentation; MAX_TOKENS at most. (Checked by the caller.)
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

  // Calls visit(start, token, length, first) for every edge of a word's lattice, by start; `first` where no edge ended
  // there before. A character that is a token is never spelt in bytes.
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
  static constexpr uint32_t NO_TOKEN = (1u << 23) - 1, NO_BYTE = 256;

  // A double array: the child of a node under a byte stands at the node's base + byte, if that cell is one of that
  // byte; no two nodes have the same base. One memory access a byte.
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
