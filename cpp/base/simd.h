// The loops over languages. They are written in plain C++ (loops.cpp), which the compiler vectorises, once for each
// instruction set; the best set that the machine can run is selected at load. All sums are exact, and the few other
// floating-point operations are done in the same order everywhere, so every version gives the same bits.
#pragma once

#include <atomic>
#include <string_view>
#include <vector>

#include "base/loops.h"

namespace unilid {

struct InstructionSet {
  std::string_view name;
  const Loops* loops;
};

// The instruction sets that this build has and this machine can run, best first.
std::vector<InstructionSet> instruction_sets();

// The loops in use. Only tests and benchmarks select others than the best.
extern std::atomic<const Loops*> current_loops;
inline const Loops& loops() { return *current_loops.load(std::memory_order_relaxed); }

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

// The length of a vector over so many languages, with its padding.
inline size_t padded(size_t languages) { return (languages + LANE - 1) / LANE * LANE; }

// A range of languages, from one multiple of LANE to another. Vectors are computed over the languages of a script,
// which stand next to each other in large models, and not over all.
struct Rows {
  size_t first = 0, last = 0;

  size_t size() const { return last - first; }
  bool contains(size_t language) const { return language >= first && language < last; }
  bool operator==(const Rows&) const = default;
  // The smallest range that has both.
  Rows with(const Rows& other) const {
    if (size() == 0) return other;
    if (other.size() == 0) return *this;
    return {first < other.first ? first : other.first, last > other.last ? last : other.last};
  }
};

// Each of these functions is explained in loops.h.
inline void extend(uint16_t* to, const uint16_t* from, const uint8_t* row, size_t n) {
  loops().extend(to, from, row, n);
}
inline void relax(uint16_t* to, const uint16_t* from, const uint8_t* row, size_t n) { loops().relax(to, from, row, n); }
inline void add_bytes(uint8_t* to, const uint8_t* row, size_t n) { loops().add_bytes(to, row, n); }
inline void add_bytes(uint8_t* to, const uint8_t* from, const uint8_t* row, size_t n) {
  loops().add_bytes_to(to, from, row, n);
}
inline void accumulate_clipped(uint16_t* to, const uint8_t* from, uint8_t limit, size_t n) {
  loops().accumulate_clipped(to, from, limit, n);
}
inline void accumulate_clipped(uint16_t* to, const uint8_t* from, const uint8_t* other, uint8_t limit, size_t n) {
  loops().accumulate_clipped_pair(to, from, other, limit, n);
}
inline void accumulate(uint16_t* to, const uint8_t* from, size_t n) { loops().accumulate_8_in_16(to, from, n); }
inline void accumulate(uint32_t* to, const uint8_t* from, size_t n) { loops().accumulate_8_in_32(to, from, n); }
inline void accumulate(uint32_t* to, const uint16_t* from, size_t n) { loops().accumulate_16_in_32(to, from, n); }
inline void accumulate(double* to, const uint16_t* from, size_t n) { loops().accumulate_16_in_double(to, from, n); }
inline void mix(uint16_t* to, const uint16_t* other, uint32_t weight, size_t n) { loops().mix(to, other, weight, n); }
inline void quarter(uint16_t* vector, size_t n) { loops().quarter(vector, n); }
inline uint16_t smallest(const uint16_t* vector, size_t n) { return loops().smallest_16(vector, n); }
inline uint32_t smallest(const uint32_t* vector, size_t n) { return loops().smallest_32(vector, n); }
inline void stay_or_enter(uint32_t* costs, uint32_t* entered, const uint32_t* entry, uint32_t least, uint32_t change,
                          uint32_t now, size_t n) {
  loops().stay_or_enter(costs, entered, entry, least, change, now, n);
}
inline void bound_excess(uint8_t* to, const uint16_t* from, uint16_t least, uint16_t bound, size_t n) {
  loops().bound_excess(to, from, least, bound, n);
}
inline void exclude(uint16_t* costs, const uint8_t* foreign, size_t n) { loops().exclude(costs, foreign, n); }
inline void replace_foreign(uint8_t* excess, const uint8_t* foreign, uint8_t value, size_t n) {
  loops().replace_foreign(excess, foreign, value, n);
}
inline void weigh(double* keys, double* most, const double* log_prior, const uint16_t* costs, const uint16_t* others,
                  const uint8_t* excluded, double base, double step, size_t n) {
  loops().weigh(keys, most, log_prior, costs, others, excluded, base, step, n);
}
inline void weigh(double* keys, double* most, const double* log_prior, const double* totals, const uint8_t* excluded,
                  double step, size_t n) {
  loops().weigh_totals(keys, most, log_prior, totals, excluded, step, n);
}
inline double sum_of_exp(const double* keys, const double* most, double top, double scale, double least, size_t n) {
  return loops().sum_of_exp(keys, most, top, scale, least, n);
}

}  // namespace unilid
