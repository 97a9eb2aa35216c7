#include "simd.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace unilid {

UNILID_VECTOR void extend(uint16_t* __restrict to, const uint16_t* __restrict from, const uint8_t* __restrict row,
                          size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = static_cast<uint16_t>(from[l] + row[l]);
}

UNILID_VECTOR void relax(uint16_t* __restrict to, const uint16_t* __restrict from, const uint8_t* __restrict row,
                         size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint16_t cost = static_cast<uint16_t>(from[l] + row[l]);
    to[l] = cost < to[l] ? cost : to[l];
  }
}

UNILID_VECTOR void add_bytes(uint8_t* __restrict to, const uint8_t* __restrict row, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint8_t room = static_cast<uint8_t>(0xFF - row[l]);
    to[l] = static_cast<uint8_t>((to[l] < room ? to[l] : room) + row[l]);
  }
}

UNILID_VECTOR void min_bytes(uint8_t* __restrict to, const uint8_t* __restrict row, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = row[l] < to[l] ? row[l] : to[l];
}

UNILID_VECTOR void accumulate_clipped(uint16_t* __restrict to, const uint8_t* __restrict from, uint8_t limit,
                                      size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint8_t clipped = from[l] < limit ? from[l] : limit;
    to[l] = static_cast<uint16_t>(to[l] + clipped);
  }
}

UNILID_VECTOR void accumulate(uint16_t* __restrict to, const uint8_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = static_cast<uint16_t>(to[l] + from[l]);
}

UNILID_VECTOR void accumulate(uint32_t* __restrict to, const uint8_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] += from[l];
}

UNILID_VECTOR void accumulate(uint32_t* __restrict to, const uint16_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] += from[l];
}

UNILID_VECTOR void accumulate(double* __restrict to, const uint16_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] += from[l];
}

UNILID_VECTOR void mix(uint16_t* __restrict to, const uint16_t* __restrict other, uint32_t weight, size_t n) {
  n = n / LANE * LANE;
  const uint32_t rest = 16 - weight;
  for (size_t l = 0; l < n; ++l) to[l] = static_cast<uint16_t>((weight * to[l] + rest * other[l] + 8) >> 4);
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

UNILID_VECTOR void bound_excess(uint8_t* __restrict to, const uint16_t* __restrict from, uint16_t least, uint16_t bound,
                                size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint16_t excess = static_cast<uint16_t>(from[l] - least);
    const uint16_t beyond = excess > bound ? static_cast<uint16_t>(excess - bound) : uint16_t{0};
    const uint16_t softened = static_cast<uint16_t>(excess - beyond + (beyond >> 2));
    to[l] = static_cast<uint8_t>(softened < 0xFF ? softened : 0xFF);
  }
}

UNILID_VECTOR void widen(double* __restrict to, const uint16_t* __restrict from, double base, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = base + from[l];
}

UNILID_VECTOR void add(double* to, const double* from, const double* other, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = from[l] + other[l];
}

UNILID_VECTOR void weigh(double* __restrict to, const double* __restrict log_prior, const double* __restrict totals,
                         double step, size_t n) {
  for (size_t l = 0; l < n; ++l) to[l] = log_prior[l] - step * totals[l];
}

UNILID_VECTOR double largest(const double* keys) {
  double most[LANE / 2];
  for (size_t i = 0; i < LANE / 2; ++i) most[i] = keys[i] > keys[i + LANE / 2] ? keys[i] : keys[i + LANE / 2];
  for (size_t i = 0; i < LANE / 4; ++i) most[i] = most[i] > most[i + LANE / 4] ? most[i] : most[i + LANE / 4];
  for (size_t i = 0; i < LANE / 8; ++i) most[i] = most[i] > most[i + LANE / 8] ? most[i] : most[i + LANE / 8];
  return *std::max_element(most, most + LANE / 8);
}

namespace {

// exp of -700 to 0: 2^n times a polynomial, of which the compiler makes vectors; the same bits everywhere.
inline __attribute__((always_inline)) double exp_of(double x) {
  constexpr double LOG2_E = 1.4426950408889634, LN2_HIGH = 0x1.62e42fefa0000p-1, LN2_LOW = 0x1.cf79abc9e3b3ap-40;
  constexpr double ROUND = 0x1.8p52;  // what is added to it is rounded to a whole number
  const double shifted = x * LOG2_E + ROUND, n = shifted - ROUND;
  const double r = (x - n * LN2_HIGH) - n * LN2_LOW;
  double p = 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) << 52;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(p) + exponent);
}

}  // namespace

UNILID_VECTOR double sum_of_exp(const double* keys, double top, double scale, double least) {
  double values[LANE];
  for (size_t l = 0; l < LANE; ++l) {
    const double x = scale * (keys[l] - top);
    values[l] = x > least ? x : least;
  }
  for (size_t l = 0; l < LANE; ++l) values[l] = exp_of(values[l]);
  for (size_t half = LANE / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) values[i] += values[i + half];
  }
  return values[0];
}

}  // namespace unilid
