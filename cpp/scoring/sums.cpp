#include "scoring/sums.h"

#include <algorithm>
#include <cstring>

namespace unilid {

void VectorSum::start(bool bounded) {
  words_ = 0, least_ = 0, is_zero_ = bounded, outside_ = 0, rows_ = {};
  if (bounded) return;
  rows_ = {0, width_};
  std::memset(recent_.data(), 0, width_ * sizeof(uint16_t));
  std::memset(total_.data(), 0, width_ * sizeof(double));
}

void VectorSum::extend(const Rows& rows) {
  const Rows both = rows_.with(rows);
  if (both == rows_) return;
  uint16_t* recent = recent_.data();
  if (rows_.size() == 0) {
    std::fill(recent + both.first, recent + both.last, outside_);
  } else {
    std::fill(recent + both.first, recent + rows_.first, outside_);
    std::fill(recent + rows_.last, recent + both.last, outside_);
  }
  rows_ = both;
}

void VectorSum::add_other(const WordVector& vector) {
  extend(vector.rows);
  uint16_t* recent = recent_.data();
  const Rows own = vector.rows.size() == 0 ? Rows{rows_.first, rows_.first} : vector.rows;
  for (size_t l = rows_.first; l < own.first; ++l) recent[l] = static_cast<uint16_t>(recent[l] + vector.outside);
  accumulate(recent + own.first, vector.excess, own.size());
  for (size_t l = own.last; l < rows_.last; ++l) recent[l] = static_cast<uint16_t>(recent[l] + vector.outside);
  outside_ = static_cast<uint16_t>(outside_ + vector.outside);
}

void VectorSum::flush() {
  extend({0, width_});
  if (is_zero_) std::memset(total_.data(), 0, width_ * sizeof(double));
  const double least = static_cast<double>(least_);
  for (size_t l = 0; l < width_; ++l) total_[l] += least + recent_[l];
  std::memset(recent_.data(), 0, width_ * sizeof(uint16_t));
  words_ = 0, least_ = 0, outside_ = 0, is_zero_ = false;
}

CostSum VectorSum::costs() const {
  return {is_zero_ ? nullptr : total_.data(), rows_.size() == 0 ? nullptr : recent_.data(), static_cast<double>(least_),
          rows_, static_cast<double>(outside_)};
}

}  // namespace unilid
