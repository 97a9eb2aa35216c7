// The loops over languages. Written plainly: the compiler vectorises them, once for each instruction set, and the
// loader picks the best that the machine has. All arithmetic is on integers, so every version gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define UNILID_VECTOR __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define UNILID_VECTOR
#endif

namespace unilid {

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

// Vectors over languages are padded to this many entries and aligned to 64 bytes.
constexpr size_t LANE = 64;

inline size_t padded(size_t languages) { return (languages + LANE - 1) / LANE * LANE; }

// to = from + row
void extend(uint16_t* to, const uint16_t* from, const uint8_t* row, size_t n);
// to = min(to, from + row)
void relax(uint16_t* to, const uint16_t* from, const uint8_t* row, size_t n);
// to = to + row, at most 255
void add_bytes(uint8_t* to, const uint8_t* row, size_t n);
// to = min(to, row)
void min_bytes(uint8_t* to, const uint8_t* row, size_t n);
// to += min(from, limit)
void accumulate_clipped(uint16_t* to, const uint8_t* from, uint8_t limit, size_t n);
// to += from
void accumulate(uint16_t* to, const uint8_t* from, size_t n);
void accumulate(uint32_t* to, const uint8_t* from, size_t n);
void accumulate(uint32_t* to, const uint16_t* from, size_t n);
void accumulate(double* to, const uint16_t* from, size_t n);
// to = (weight * to + (16 - weight) * other + 8) / 16
void mix(uint16_t* to, const uint16_t* other, uint32_t weight, size_t n);
// vector /= 4
void quarter(uint16_t* vector, size_t n);
uint16_t smallest(const uint16_t* vector, size_t n);
// How far a cost lies beyond the least: in full up to the bound, a quarter of what goes further, at most 255.
inline uint32_t bounded(uint32_t excess, uint32_t bound) {
  const uint32_t softened = excess < bound ? excess : bound + ((excess - bound) >> 2);
  return softened < 0xFF ? softened : 0xFF;
}
// to = bounded(from - least)
void bound_excess(uint8_t* to, const uint16_t* from, uint16_t least, uint16_t bound, size_t n);
// to = base + from
void widen(double* to, const uint16_t* from, double base, size_t n);
// to = from + other
void add(double* to, const double* from, const double* other, size_t n);
// to = log_prior - step * total
void weigh(double* to, const double* log_prior, const double* totals, double step, size_t n);
// The largest of LANE keys.
double largest(const double* keys);
// The sum of exp(scale * (key - top)) over LANE keys, each exp(least) at least.
double sum_of_exp(const double* keys, double top, double scale, double least);

}  // namespace unilid
