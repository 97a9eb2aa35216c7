// Compiled once for each instruction set, with UNILID_LOOPS as the name of its table. Everything but the table is local
// to the file, and nothing comes from the standard library: the linker keeps one copy of an inline function that
// several files share, and that copy might use instructions that the machine does not have. All loops should be
// vectorised; GCC's -fopt-info-vec tells which ones are.
#include "base/loops.h"

namespace unilid {

namespace {

void extend(uint16_t* __restrict to, const uint16_t* __restrict from, const uint8_t* __restrict row, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = static_cast<uint16_t>(from[l] + row[l]);
}

void relax(uint16_t* __restrict to, const uint16_t* __restrict from, const uint8_t* __restrict row, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint16_t cost = static_cast<uint16_t>(from[l] + row[l]);
    to[l] = cost < to[l] ? cost : to[l];
  }
}

void add_bytes(uint8_t* __restrict to, const uint8_t* __restrict row, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint8_t room = static_cast<uint8_t>(0xFF - row[l]);
    to[l] = static_cast<uint8_t>((to[l] < room ? to[l] : room) + row[l]);
  }
}

void add_bytes(uint8_t* __restrict to, const uint8_t* __restrict from, const uint8_t* __restrict row, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint8_t room = static_cast<uint8_t>(0xFF - row[l]);
    to[l] = static_cast<uint8_t>((from[l] < room ? from[l] : room) + row[l]);
  }
}

void accumulate_clipped(uint16_t* __restrict to, const uint8_t* __restrict from, uint8_t limit, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint8_t clipped = from[l] < limit ? from[l] : limit;
    to[l] = static_cast<uint16_t>(to[l] + clipped);
  }
}

void accumulate_clipped(uint16_t* __restrict to, const uint8_t* __restrict from, const uint8_t* __restrict other,
                        uint8_t limit, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint8_t clipped = from[l] < limit ? from[l] : limit, clipped_other = other[l] < limit ? other[l] : limit;
    to[l] = static_cast<uint16_t>(to[l] + static_cast<uint8_t>(clipped + clipped_other));
  }
}

void accumulate(uint16_t* __restrict to, const uint8_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] = static_cast<uint16_t>(to[l] + from[l]);
}

void accumulate(uint32_t* __restrict to, const uint8_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] += from[l];
}

void accumulate(uint32_t* __restrict to, const uint16_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] += from[l];
}

void accumulate(double* __restrict to, const uint16_t* __restrict from, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) to[l] += from[l];
}

void mix(uint16_t* __restrict to, const uint16_t* __restrict other, uint32_t weight, size_t n) {
  n = n / LANE * LANE;
  const uint32_t rest = WEIGHT_STEPS - weight, half = WEIGHT_STEPS / 2;
  for (size_t l = 0; l < n; ++l)
    to[l] = static_cast<uint16_t>((weight * to[l] + rest * other[l] + half) / WEIGHT_STEPS);
}

void quarter(uint16_t* vector, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) vector[l] = static_cast<uint16_t>(vector[l] >> 2);
}

uint16_t smallest(const uint16_t* vector, size_t n) {
  uint16_t least = 0xFFFF;
  for (size_t l = 0; l < n; ++l) least = vector[l] < least ? vector[l] : least;
  return least;
}

uint32_t smallest(const uint32_t* vector, size_t n) {
  uint32_t least = ~uint32_t{0};
  for (size_t l = 0; l < n; ++l) least = vector[l] < least ? vector[l] : least;
  return least;
}

void stay_or_enter(uint32_t* __restrict costs, uint32_t* __restrict entered, const uint32_t* __restrict entry,
                   uint32_t least, uint32_t change, uint32_t now, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint32_t stay = costs[l] - least, enter = entry[l] + change;
    costs[l] = enter < stay ? enter : stay;
    entered[l] = enter < stay ? now : entered[l];
  }
}

void bound_excess(uint8_t* __restrict to, const uint16_t* __restrict from, uint16_t least, uint16_t bound, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint16_t excess = static_cast<uint16_t>(from[l] - least);
    const uint16_t beyond = excess > bound ? static_cast<uint16_t>(excess - bound) : uint16_t{0};
    const uint16_t softened = static_cast<uint16_t>(excess - beyond + (beyond >> 2));
    to[l] = static_cast<uint8_t>(softened < 0xFF ? softened : 0xFF);
  }
}

void exclude(uint16_t* __restrict costs, const uint8_t* __restrict foreign, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    const uint16_t mask = static_cast<uint16_t>(static_cast<int8_t>(foreign[l]));
    costs[l] = costs[l] | mask;
  }
}

void replace_foreign(uint8_t* __restrict excess, const uint8_t* __restrict foreign, uint8_t value, size_t n) {
  n = n / LANE * LANE;
  for (size_t l = 0; l < n; ++l) {
    excess[l] = static_cast<uint8_t>((excess[l] & ~foreign[l]) | (value & foreign[l]));
  }
}

// The largest of LANE keys, by halves.
inline double largest(const double* __restrict keys) {
  double most[LANE / 2], half[LANE / 4], quarter[LANE / 8];
  for (size_t i = 0; i < LANE / 2; ++i) most[i] = keys[i] > keys[i + LANE / 2] ? keys[i] : keys[i + LANE / 2];
  for (size_t i = 0; i < LANE / 4; ++i) half[i] = most[i] > most[i + LANE / 4] ? most[i] : most[i + LANE / 4];
  for (size_t i = 0; i < LANE / 8; ++i) quarter[i] = half[i] > half[i + LANE / 8] ? half[i] : half[i + LANE / 8];
  double top[4];
  for (size_t i = 0; i < 4; ++i) top[i] = quarter[i] > quarter[i + 4] ? quarter[i] : quarter[i + 4];
  const double first = top[0] > top[1] ? top[0] : top[1], second = top[2] > top[3] ? top[2] : top[3];
  return first > second ? first : second;
}

bool has_any(const uint8_t* excluded) {
  uint8_t any = 0;
  for (size_t l = 0; l < LANE; ++l) any |= excluded[l];
  return any != 0;
}

// Machines without AVX-512 convert signed numbers only.
void weigh(double* __restrict keys, double* __restrict most, const double* __restrict log_prior,
           const uint16_t* __restrict costs, const uint16_t* __restrict others, const uint8_t* __restrict excluded,
           double base, double step, size_t n) {
  const uint16_t zeros[LANE] = {};
  for (size_t first = 0; first < n; first += LANE) {
    const uint16_t* __restrict own = costs + first, * __restrict more = others == nullptr ? zeros : others + first;
    const double* __restrict priors = log_prior + first;
    double* __restrict to = keys + first;
    if (excluded == nullptr || !has_any(excluded + first)) {
      for (size_t l = 0; l < LANE; ++l) {
        to[l] = priors[l] - step * (base + (static_cast<int32_t>(own[l]) + static_cast<int32_t>(more[l])));
      }
    } else {
      const uint8_t* __restrict out = excluded + first;
      for (size_t l = 0; l < LANE; ++l) {
        const double total = base + (static_cast<int32_t>(own[l]) + static_cast<int32_t>(more[l]));
        to[l] = priors[l] - step * (total + EXCLUDED * static_cast<int32_t>(out[l] & 1));
      }
    }
    most[first / LANE] = largest(to);
  }
}

void weigh_totals(double* keys, double* most, const double* log_prior, const double* totals, const uint8_t* excluded,
                  double step, size_t n) {
  for (size_t first = 0; first < n; first += LANE) {
    for (size_t l = first; l < first + LANE; ++l) {
      const double more = excluded == nullptr ? 0 : EXCLUDED * static_cast<int32_t>(excluded[l] & 1);
      keys[l] = log_prior[l] - step * (totals[l] + more);
    }
    most[first / LANE] = largest(keys + first);
  }
}

// exp(x) for -80 <= x <= 0, as 2^n exp(r) with n = round(x / ln 2) and r = x - n ln 2. exp(r) is a Taylor polynomial,
// right to six digits for |r| < 0.35. The compiler vectorises this, and it gives the same bits everywhere.
inline float exp_of(float x) {
  constexpr float LOG2_E = 0x1.715476p0f, LN2_HIGH = 0x1.62ep-1f, LN2_LOW = 0x1.0bfbe8p-15f;
  // 1.5 * 2^23: a float of this size has no fraction bits, so adding it rounds x to a whole number, in the low bits.
  constexpr float ROUND = 0x1.8p23f;
  const float shifted = x * LOG2_E + ROUND, n = shifted - ROUND;
  const float r = (x - n * LN2_HIGH) - n * LN2_LOW;
  float p = 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1;
  p = p * r + 1;
  const uint32_t exponent = __builtin_bit_cast(uint32_t, shifted) << 23;
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, p) + exponent);
}

// The compiler vectorises several short loops, but not a single one that does it all. The sums are added up by halves,
// which is the same order for vectors of any width.
double sum_of_exp(const double* keys, const double* most, double top, double scale, double least, size_t n) {
  float sums[LANE] = {}, values[LANE];
  for (size_t first = 0; first < n; first += LANE) {
    if (scale * (most[first / LANE] - top) <= least) continue;
    for (size_t l = 0; l < LANE; ++l) {
      const double x = scale * (keys[first + l] - top);
      values[l] = static_cast<float>(x > least ? x : least);
    }
    for (size_t l = 0; l < LANE; ++l) sums[l] += exp_of(values[l]);
  }
  for (size_t half = LANE / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return static_cast<double>(sums[0]);
}

}  // namespace

extern const Loops UNILID_LOOPS;

const Loops UNILID_LOOPS = {
    .extend = extend,
    .relax = relax,
    .add_bytes = add_bytes,
    .add_bytes_to = add_bytes,
    .accumulate_clipped = accumulate_clipped,
    .accumulate_clipped_pair = accumulate_clipped,
    .accumulate_8_in_16 = accumulate,
    .accumulate_8_in_32 = accumulate,
    .accumulate_16_in_32 = accumulate,
    .accumulate_16_in_double = accumulate,
    .mix = mix,
    .quarter = quarter,
    .smallest_16 = smallest,
    .smallest_32 = smallest,
    .stay_or_enter = stay_or_enter,
    .bound_excess = bound_excess,
    .exclude = exclude,
    .replace_foreign = replace_foreign,
    .weigh = weigh,
    .weigh_totals = weigh_totals,
    .sum_of_exp = sum_of_exp,
};

}  // namespace unilid
