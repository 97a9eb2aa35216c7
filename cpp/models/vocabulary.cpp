#include "models/vocabulary.h"

#include <algorithm>
#include <bit>

namespace unilid {

Vocabulary::Vocabulary(std::string_view blob, const int64_t* offsets, size_t tokens) : lengths_(tokens) {
  for (size_t t = 0; t < tokens; ++t) lengths_[t] = static_cast<uint8_t>(offsets[t + 1] - offsets[t]);
  build(blob, offsets, tokens);
}

namespace {

// A set of numbers that can be tested 64 at a time.
class Bits {
 public:
  void grow(size_t size, bool value) { words_.resize(size / 64 + 2, value ? ~uint64_t{0} : 0); }
  void clear(size_t i) { words_[i / 64] &= ~(uint64_t{1} << i % 64); }
  bool has(size_t i) const { return words_[i / 64] >> i % 64 & 1; }
  uint64_t from(size_t i) const {
    const size_t shift = i % 64;
    return words_[i / 64] >> shift | (shift ? words_[i / 64 + 1] << (64 - shift) : 0);
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace

// Goes breadth first over the sorted tokens; a node is the range of the tokens that share its prefix. The children of a
// node go to the first base at which all of them fit, and 64 bases are tried at once. `first_free` moves past regions
// that are nearly full, which keeps the search linear and wastes a few cells.
void Vocabulary::build(std::string_view blob, const int64_t* offsets, size_t tokens) {
  struct Range {
    uint32_t node, first, last;
    uint32_t depth;
  };
  const auto byte_at = [&](size_t token, size_t depth) {
    return static_cast<uint8_t>(blob[static_cast<size_t>(offsets[token]) + depth]);
  };
  Bits free_cells, free_bases;
  const auto grow = [&](size_t size) {
    cells_.resize(size);
    free_cells.grow(size, true), free_bases.grow(size, true);
  };
  grow(1024);
  cells_[0].byte = 0;  // the root is the child of no node, because no base is 0
  free_cells.clear(0), free_bases.clear(0);
  std::vector<Range> queue{{0, 0, static_cast<uint32_t>(tokens), 0}};
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> starts;
  size_t first_free = 1;
  for (size_t q = 0; q < queue.size(); ++q) {
    Range range = queue[q];
    if (range.first < range.last && lengths_[range.first] == range.depth) {
      cells_[range.node].token = range.first++ & NO_TOKEN;  // the token that ends here is the first one of the range
    }
    if (range.first == range.last) continue;  // a leaf, which gets its base below
    bytes.clear(), starts.clear();
    for (uint32_t t = range.first; t < range.last; ++t) {
      const uint8_t byte = byte_at(t, range.depth);
      if (bytes.empty() || bytes.back() != byte) bytes.push_back(byte), starts.push_back(t);
    }
    starts.push_back(range.last);

    uint32_t base = static_cast<uint32_t>(first_free - std::min<size_t>(first_free, bytes[0]));
    for (;; base += 64) {
      if (base + 64 + 256 >= cells_.size()) grow(cells_.size() * 2);
      uint64_t fits = free_bases.from(base);
      for (size_t c = 0; fits != 0 && c < bytes.size(); ++c) fits &= free_cells.from(base + bytes[c]);
      if (fits != 0) {
        base += static_cast<uint32_t>(std::countr_zero(fits));
        break;
      }
      first_free = base + bytes[0];
    }
    cells_[range.node].base = base;
    free_bases.clear(base);
    for (size_t c = 0; c < bytes.size(); ++c) {
      cells_[base + bytes[c]].byte = bytes[c];
      free_cells.clear(base + bytes[c]);
      queue.push_back({base + bytes[c], starts[c], starts[c + 1], range.depth + 1});
    }
    while (!free_cells.has(first_free)) ++first_free;
  }
  // Any byte is looked up at any node, so there are 256 cells behind the last base. The base of the leaves is behind
  // all other cells, where nobody's children are.
  size_t used = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].byte != NO_BYTE) used = std::max<size_t>(used, std::max<size_t>(i, cells_[i].base));
  }
  cells_.resize(used + 1);
  cells_.resize(used + 1 + 2 * 256);
  cells_.shrink_to_fit();
  for (Cell& cell : cells_) {
    if (cell.base == 0) cell.base = static_cast<uint32_t>(used + 1);
  }
}

}  // namespace unilid
