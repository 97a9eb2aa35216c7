#include "simd.h"

#include <algorithm>
#include <cmath>

namespace unilid {

UNILID_VECTOR void relax(uint16_t* __restrict to, const uint16_t* __restrict from, const uint8_t* __restrict row,
                         size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint16_t cost = static_cast<uint16_t>(from[l] + row[l]);
    to[l] = cost < to[l] ? cost : to[l];
  }
}

UNILID_VECTOR void add_bytes(uint16_t* __restrict to, const uint8_t* __restrict row, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = static_cast<uint16_t>(to[l] + row[l]);
}

UNILID_VECTOR void min_bytes(uint16_t* __restrict to, const uint8_t* __restrict row, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint16_t cost = row[l] == 0xFF ? to[l] : row[l];
    to[l] = cost < to[l] ? cost : to[l];
  }
}

UNILID_VECTOR void accumulate_clipped(uint16_t* __restrict to, const uint16_t* __restrict from, uint16_t limit,
                                      size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = static_cast<uint16_t>(to[l] + (from[l] < limit ? from[l] : limit));
}

UNILID_VECTOR void accumulate(uint32_t* __restrict to, const uint16_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] += from[l];
}

UNILID_VECTOR void accumulate_weighted(uint32_t* __restrict to, const uint16_t* __restrict from, uint32_t weight,
                                       size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] += weight * from[l];
}

UNILID_VECTOR void sixteenth(uint16_t* __restrict to, const uint32_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint32_t rounded = (from[l] + 8) >> 4;
    to[l] = static_cast<uint16_t>(rounded < 0xFFFF ? rounded : 0xFFFF);
  }
}

UNILID_VECTOR void soften(uint16_t* __restrict vector, uint16_t limit, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) vector[l] = static_cast<uint16_t>(softened(vector[l], limit));
}

UNILID_VECTOR void quarter(uint16_t* vector, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) vector[l] = static_cast<uint16_t>(vector[l] >> 2);
}

UNILID_VECTOR uint16_t smallest(const uint16_t* vector, size_t n) {
  uint16_t least = 0xFFFF;
  for (size_t l = 0; l < n; ++l) least = vector[l] < least ? vector[l] : least;
  return least;
}

UNILID_VECTOR void weigh(double* __restrict to, const double* __restrict log_prior, const uint64_t* __restrict totals,
                         double step, size_t n) {
  for (size_t l = 0; l < n; ++l) {
    const double key = log_prior[l] - step * static_cast<double>(totals[l]);
    to[l] = totals[l] == ~uint64_t{0} ? -INFINITY : key;
  }
}

}  // namespace unilid
