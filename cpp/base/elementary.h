// Exponentials and logarithms that have the same bits everywhere.
//
// The system's are right to the last digit or nearly so, but which way they round depends on the machine and on the
// version of its library. These use nothing but single operations of IEEE 754, in a fixed order, so that a probability
// or a model is the same on every machine, and in a browser. They err by less than two units of the last place.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

// In a namespace of their own, so that nobody takes the system's by mistake.
namespace unilid::portable {

// ln 2 in two parts: the upper one has 32 bits, so that its product with an exponent is exact.
constexpr double LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33;

// 2^n for a normal number.
inline double power_of_two(int64_t n) { return std::bit_cast<double>(static_cast<uint64_t>(n + 1023) << 52); }

// exp(x) = 2^n exp(r) with n = round(x / ln 2) and r = x - n ln 2. exp(r) is a Taylor polynomial, whose last term is
// below 2^-57 for |r| < 0.35.
inline double exp(double x) {
  if (!(x > -746)) return x < 0 ? 0.0 : x;  // too small for a number, or not a number
  if (x > 710) return INFINITY;
  constexpr double LOG2_E = 0x1.71547652b82fep0;
  // 1.5 * 2^52: a number of this size has no fraction bits, so adding it rounds x to a whole number.
  constexpr double ROUND = 0x1.8p52;
  const double n = (x * LOG2_E + ROUND) - ROUND;
  const double r = (x - n * LN2_HIGH) - n * LN2_LOW, r2 = r * r, r4 = r2 * r2;
  // By pairs and fours (Estrin), so that few of the operations wait for each other.
  const double low = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
  const double middle = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
  const double high = (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800));
  const double p = 1 + (r + r2 * (low + r4 * (middle + r4 * high)));
  // In two steps, because 2^n alone may be too large or too small.
  const auto whole = static_cast<int64_t>(n), half = whole / 2;
  return p * power_of_two(half) * power_of_two(whole - half);
}

// log(x) = e ln 2 + log(1 + f) with x = 2^e (1 + f) and 1 + f between the square roots of 1/2 and 2.
// log(1 + f) = 2 atanh(s) with s = f / (2 + f), as a series in s^2, whose last term is below 2^-55 of the sum.
inline double log(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
  if (x == INFINITY) return x;
  int64_t exponent = 0;
  if (x < 0x1p-1022) x *= 0x1p54, exponent = -54;
  constexpr uint64_t ROOT_HALF = 0x3FE6A09E667F3BCD, ONE = 0x3FF0000000000000;  // as bits
  const uint64_t above = std::bit_cast<uint64_t>(x) + (ONE - ROOT_HALF);
  exponent += static_cast<int64_t>(above >> 52) - 1023;
  const double f = std::bit_cast<double>((above & 0xFFFFFFFFFFFFF) + ROOT_HALF) - 1;
  const double s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
  double series = 2.0 / 21;
  for (const double term : {2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3}) {
    series = series * z + term;
  }
  const auto e = static_cast<double>(exponent);
  // f - f^2 / 2 comes first: it is what there is of a small f, and nearly exact.
  return e * LN2_HIGH - ((half_square - (s * (half_square + z * series) + e * LN2_LOW)) - f);
}

// x^y for x > 0; its relative error grows with |y log x|.
inline double pow(double x, double y) { return exp(y * log(x)); }

}  // namespace unilid::portable
