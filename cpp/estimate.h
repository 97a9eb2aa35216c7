// Words with counts to expected token counts: EM for one language.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vocabulary.h"

namespace unilid {

struct Estimate {
  std::vector<uint32_t> tokens;  // those that occur in some segmentation of some word, ascending
  std::vector<double> counts;    // their expected counts in the last round: normalised, the distribution
  double total = 0;              // the sum over all tokens
  int rounds = 0;                // the M-steps that were taken
};

// Word w is blob[offsets[w] .. offsets[w + 1]), at most WORD_CAPACITY bytes, and occurs counts[w] times.
// Uniform start; ends after `rounds` M-steps or when two successive distributions differ by less than `tolerance` in
// total variation.
Estimate estimate(const Vocabulary& vocabulary, std::string_view blob, const int64_t* offsets, const double* counts,
                  size_t words, int rounds, double tolerance);

}  // namespace unilid
