#include "scoring/sums.h"

#include <cstring>

namespace unilid {

void VectorSum::start(bool bounded) {
  words_ = 0, least_ = 0, is_zero_ = bounded;
  std::memset(recent_.data(), 0, width_ * sizeof(uint16_t));
  if (!bounded) std::memset(total_.data(), 0, width_ * sizeof(double));
}

void VectorSum::flush() {
  if (is_zero_) std::memset(total_.data(), 0, width_ * sizeof(double));
  const double least = static_cast<double>(least_);
  for (size_t l = 0; l < width_; ++l) total_[l] += least + recent_[l];
  std::memset(recent_.data(), 0, width_ * sizeof(uint16_t));
  words_ = 0, least_ = 0, is_zero_ = false;
}

CostSum VectorSum::costs() const {
  return {is_zero_ ? nullptr : total_.data(), recent_.data(), static_cast<double>(least_)};
}

void VectorSum::add_up(const VectorSum& other, double* to) const {
  widen(to, recent_.data(), other.recent_.data(), static_cast<double>(least_ + other.least_), width_);
  if (!is_zero_) unilid::add(to, to, total_.data(), width_);
  if (!other.is_zero_) unilid::add(to, to, other.total_.data(), width_);
}

}  // namespace unilid
