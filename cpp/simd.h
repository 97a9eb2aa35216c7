// The loops over languages. Written plainly: the compiler vectorises them, once for each instruction set, and the
// loader picks the best that the machine has. All arithmetic is on integers, so every version gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define UNILID_VECTOR __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
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
constexpr size_t LANE = 32;

inline size_t padded(size_t languages) { return (languages + LANE - 1) / LANE * LANE; }

// to = min(to, from + row)
void relax(uint16_t* to, const uint16_t* from, const uint8_t* row, size_t n);
// to += row
void add_bytes(uint16_t* to, const uint8_t* row, size_t n);
// to = min(to, row) where row is not 255
void min_bytes(uint16_t* to, const uint8_t* row, size_t n);
// to += min(from, limit)
void accumulate_clipped(uint16_t* to, const uint16_t* from, uint16_t limit, size_t n);
// to += from
void accumulate(uint32_t* to, const uint16_t* from, size_t n);
// to = to + weight * from
void accumulate_weighted(uint32_t* to, const uint16_t* from, uint32_t weight, size_t n);
// to = (from + 8) / 16, clipped to 16 bits
void sixteenth(uint16_t* to, const uint32_t* from, size_t n);
// What exceeds the limit counts a quarter.
inline uint32_t softened(uint32_t cost, uint32_t limit) { return cost < limit ? cost : limit + ((cost - limit) >> 2); }
void soften(uint16_t* vector, uint16_t limit, size_t n);
// vector /= 4
void quarter(uint16_t* vector, size_t n);
uint16_t smallest(const uint16_t* vector, size_t n);
// to = log_prior - step * total; -inf where the total is all ones
void weigh(double* to, const double* log_prior, const uint64_t* totals, double step, size_t n);

}  // namespace unilid
