#include "vocabulary.h"

#include <algorithm>

namespace unilid {

Vocabulary::Vocabulary(std::string_view blob, const int64_t* offsets, size_t tokens) : lengths_(tokens) {
  for (size_t t = 0; t < tokens; ++t) lengths_[t] = static_cast<uint8_t>(offsets[t + 1] - offsets[t]);
  build(blob, offsets, tokens);
}

// Breadth first over the sorted tokens: a node is the range of tokens that share its prefix. Each node's children go to
// the first place where all of them fit; `free` moves forward past regions that are nearly full, which keeps the search
// linear and costs a few empty cells.
void Vocabulary::build(std::string_view blob, const int64_t* offsets, size_t tokens) {
  struct Range {
    uint32_t node, first, last;
    uint32_t depth;
  };
  const auto byte_at = [&](size_t token, size_t depth) {
    return static_cast<uint8_t>(blob[static_cast<size_t>(offsets[token]) + depth]);
  };
  cells_.resize(1024);
  cells_[0].byte = 0;  // so that nobody takes the root's cell; and no base is 0, so that it is nobody's child
  std::vector<bool> is_base(1024);
  is_base[0] = true;
  std::vector<Range> queue{{0, 0, static_cast<uint32_t>(tokens), 0}};
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> starts;
  size_t free = 1;
  for (size_t q = 0; q < queue.size(); ++q) {
    Range range = queue[q];
    if (range.first < range.last && lengths_[range.first] == range.depth) {
      cells_[range.node].token = range.first++;  // the token that ends here sorts before those that go on
    }
    if (range.first == range.last) continue;  // a leaf: its base is changed below
    bytes.clear(), starts.clear();
    for (uint32_t t = range.first; t < range.last; ++t) {
      const uint8_t byte = byte_at(t, range.depth);
      if (bytes.empty() || bytes.back() != byte) bytes.push_back(byte), starts.push_back(t);
    }
    starts.push_back(range.last);

    size_t misses = 0;
    size_t place = free;  // of the first child
    for (;; ++place) {
      if (place < bytes[0]) continue;
      const size_t base = place - bytes[0];
      if (base + 256 >= cells_.size()) cells_.resize(cells_.size() * 2), is_base.resize(cells_.size());
      bool fits = !is_base[base];
      for (size_t c = 0; fits && c < bytes.size(); ++c) fits = cells_[base + bytes[c]].byte == NO_BYTE;
      if (fits) break;
      if (++misses == 16) free = place;
    }
    const uint32_t base = static_cast<uint32_t>(place - bytes[0]);
    cells_[range.node].base = base;
    is_base[base] = true;
    for (size_t c = 0; c < bytes.size(); ++c) {
      cells_[base + bytes[c]].byte = bytes[c];
      queue.push_back({base + bytes[c], starts[c], starts[c + 1], range.depth + 1});
    }
    while (free < cells_.size() && cells_[free].byte != NO_BYTE) ++free;
  }
  // Any node may be asked for any byte: keep 256 cells behind the last base. The children of the leaves would stand
  // behind all others, where there are none.
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
