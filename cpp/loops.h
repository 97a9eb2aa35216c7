// The loops over languages, as a table: one for each instruction set that the kernel was compiled for (loops.cpp).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace unilid {

// Vectors over languages are padded to this many entries and aligned to 64 bytes.
constexpr size_t LANE = 64;

struct Loops {
  // to = from + row
  void (*extend)(uint16_t* to, const uint16_t* from, const uint8_t* row, size_t n);
  // to = min(to, from + row)
  void (*relax)(uint16_t* to, const uint16_t* from, const uint8_t* row, size_t n);
  // to = to + row, at most 255
  void (*add_bytes)(uint8_t* to, const uint8_t* row, size_t n);
  // to = from + row, at most 255
  void (*add_bytes_to)(uint8_t* to, const uint8_t* from, const uint8_t* row, size_t n);
  // to += min(from, limit)
  void (*accumulate_clipped)(uint16_t* to, const uint8_t* from, uint8_t limit, size_t n);
  // to += from
  void (*accumulate_8_in_16)(uint16_t* to, const uint8_t* from, size_t n);
  void (*accumulate_8_in_32)(uint32_t* to, const uint8_t* from, size_t n);
  void (*accumulate_16_in_32)(uint32_t* to, const uint16_t* from, size_t n);
  void (*accumulate_16_in_double)(double* to, const uint16_t* from, size_t n);
  // to = (weight * to + (16 - weight) * other + 8) / 16
  void (*mix)(uint16_t* to, const uint16_t* other, uint32_t weight, size_t n);
  // vector /= 4
  void (*quarter)(uint16_t* vector, size_t n);
  uint16_t (*smallest_16)(const uint16_t* vector, size_t n);
  uint32_t (*smallest_32)(const uint32_t* vector, size_t n);
  // costs = min(costs - least, entry + change); entered = now where the second is less
  void (*stay_or_enter)(uint32_t* costs, uint32_t* entered, const uint32_t* entry, uint32_t least, uint32_t change,
                        uint32_t now, size_t n);
  // to = bounded(from - least), see simd.h
  void (*bound_excess)(uint8_t* to, const uint16_t* from, uint16_t least, uint16_t bound, size_t n);
  // to = base + from + other
  void (*widen)(double* to, const uint16_t* from, const uint16_t* other, double base, size_t n);
  // to = from + other
  void (*add)(double* to, const double* from, const double* other, size_t n);
  // keys = log_prior - step * total; most: the largest of each LANE of them
  void (*weigh)(double* keys, double* most, const double* log_prior, const double* totals, double step, size_t n);
  // The sum of exp(scale * (key - top)), to six digits; where that is below exp(least), whatever lies below it.
  double (*sum_of_exp)(const double* keys, const double* most, double top, double scale, double least, size_t n);
};

}  // namespace unilid
