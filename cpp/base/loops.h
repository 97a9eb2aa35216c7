// The loops over languages as a table of functions: one table for each instruction set that the kernel was compiled
// for.
//
// n is the length of the vectors, a multiple of LANE, except for the two smallest: these leave the padding out.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace unilid {

// Vectors over languages are padded to a multiple of this many entries and aligned to 64 bytes: so a loop over entries
// of any size works on whole vectors of any width, up to the 64 bytes of AVX-512.
constexpr size_t LANE = 64;

// The weights of two word models are whole numbers that add up to this, so that their sum is exact.
constexpr uint32_t WEIGHT_STEPS = 16;

// Languages are counted in 16 bits, of which the largest number means none.
constexpr size_t MAX_LANGUAGES = 0xFFFF;

// What is added to the cost of a language none of whose scripts occurs in a text, in steps: more than any text costs,
// so that it comes behind all others, and few enough digits to keep the order among such languages.
constexpr double EXCLUDED = 0x1p40;

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
  // to += min(from, limit) + min(other, limit); the limit is below 128, so that the two fit into a byte
  void (*accumulate_clipped_pair)(uint16_t* to, const uint8_t* from, const uint8_t* other, uint8_t limit, size_t n);
  // to += from
  void (*accumulate_8_in_16)(uint16_t* to, const uint8_t* from, size_t n);
  void (*accumulate_8_in_32)(uint32_t* to, const uint8_t* from, size_t n);
  void (*accumulate_16_in_32)(uint32_t* to, const uint16_t* from, size_t n);
  void (*accumulate_16_in_double)(double* to, const uint16_t* from, size_t n);
  // to = (weight * to + (WEIGHT_STEPS - weight) * other + WEIGHT_STEPS / 2) / WEIGHT_STEPS
  void (*mix)(uint16_t* to, const uint16_t* other, uint32_t weight, size_t n);
  // vector /= 4
  void (*quarter)(uint16_t* vector, size_t n);
  // The least entry
  uint16_t (*smallest_16)(const uint16_t* vector, size_t n);
  uint32_t (*smallest_32)(const uint32_t* vector, size_t n);
  // costs = min(costs - least, entry + change); entered = now where the second one is less
  void (*stay_or_enter)(uint32_t* costs, uint32_t* entered, const uint32_t* entry, uint32_t least, uint32_t change,
                        uint32_t now, size_t n);
  // With e = from - least: to = e up to the bound, and a quarter of what goes further is added; at most 255.
  void (*bound_excess)(uint8_t* to, const uint16_t* from, uint16_t least, uint16_t bound, size_t n);
  // costs = 0xFFFF where foreign is 0xFF; it is 0 elsewhere
  void (*exclude)(uint16_t* costs, const uint8_t* foreign, size_t n);
  // excess = value where foreign is 0xFF; it is 0 elsewhere
  void (*replace_foreign)(uint8_t* excess, const uint8_t* foreign, uint8_t value, size_t n);
  // keys = log_prior - step * (base + costs + others), and EXCLUDED is added to the costs where `excluded` is not 0;
  // most[i] is the largest of the i-th LANE keys. `others` and `excluded` may be null: zeros.
  void (*weigh)(double* keys, double* most, const double* log_prior, const uint16_t* costs, const uint16_t* others,
                const uint8_t* excluded, double base, double step, size_t n);
  // keys = log_prior - step * totals; likewise
  void (*weigh_totals)(double* keys, double* most, const double* log_prior, const double* totals,
                       const uint8_t* excluded, double step, size_t n);
  // The sum of exp(scale * (key - top)), to six digits. Terms below exp(least) may count as 0 or as exp(least).
  double (*sum_of_exp)(const double* keys, const double* most, double top, double scale, double least, size_t n);
};

}  // namespace unilid
