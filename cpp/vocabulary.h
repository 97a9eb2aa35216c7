// The shared vocabulary: a byte trie that finds every token that starts at a position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace unilid {

class Vocabulary {
 public:
  // Token t is blob[offsets[t] .. offsets[t + 1]). Tokens are unique and sorted by their bytes; all 256 single bytes
  // are among them, so every text has a segmentation. (Checked by the caller.)
  Vocabulary(std::string_view blob, const int64_t* offsets, size_t tokens);

  size_t size() const { return lengths_.size(); }

  // Calls visit(token, length) for every token that starts at `at`, shortest first.
  template <class Visit>
  void prefixes(const uint8_t* at, const uint8_t* end, Visit&& visit) const {
    uint32_t node = 0;
    for (const uint8_t* p = at; p < end; ++p) {
      const uint32_t next = cells_[node].base + *p;
      if (cells_[next].parent != node) return;
      node = next;
      const uint32_t token = cells_[node].token;
      if (token != NONE) visit(token, static_cast<size_t>(p - at) + 1);
    }
  }

 private:
  static constexpr uint32_t NONE = 0xFFFFFFFF;

  // A double array: the child of a node under a byte stands at the node's base + byte, if that cell names the node as
  // its parent. One memory access a byte.
  struct Cell {
    uint32_t base = 0, parent = NONE, token = NONE;
  };

  void build(std::string_view blob, const int64_t* offsets, size_t tokens);

  std::vector<Cell> cells_;
  std::vector<uint8_t> lengths_;
};

}  // namespace unilid
