#include "models/scripts.h"

#include <algorithm>
#include <cstring>

namespace unilid {

ScriptTable::ScriptTable(const std::vector<Use>& uses, size_t languages)
    : width_(padded(languages)), row_of_(256), rows_(256, {0, width_}) {
  if (uses.empty()) return;
  std::fill(rows_.begin() + unicode::FIRST_SCRIPT, rows_.end(), Rows{});
  uint16_t rows = 1;
  for (const Use& use : uses) {
    if (row_of_[use.script] == 0) row_of_[use.script] = rows++;
  }
  masks_ = Aligned<uint8_t>(rows * width_, false);
  std::memset(masks_.data(), 0xFF, rows * width_);
  for (const Use& use : uses) {
    masks_[row_of_[use.script] * width_ + use.language] = 0;
    const size_t first = use.language / LANE * LANE;
    rows_[use.script] = rows_[use.script].with({first, first + LANE});
  }
}

}  // namespace unilid
