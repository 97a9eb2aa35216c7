// Estimation of the unigram model of one language: EM over the segmentations of its words.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/vocabulary.h"

namespace unilid {

struct Estimate {
  std::vector<uint32_t> tokens;  // those that occur in some segmentation of some word, ascending
  std::vector<double> counts;    // their expected counts in the last round; counts / total is the distribution
  double total = 0;              // the sum of the counts
  int rounds = 0;                // the number of M-steps
};

// Word w is blob[offsets[w] .. offsets[w + 1]), at most WORD_CAPACITY bytes, and occurs counts[w] times.
// Starts from the uniform distribution. Stops after `rounds` M-steps, or when two successive distributions differ by
// less than `tolerance` in total variation.
Estimate estimate(const Vocabulary& vocabulary, std::string_view blob, const int64_t* offsets, const double* counts,
                  size_t words, int rounds, double tolerance);

}  // namespace unilid
