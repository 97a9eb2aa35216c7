// Words with weights to a vocabulary: the pruning of UnigramLM (Kudo, 2018).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace unilid {

struct LearnSettings {
  size_t size;            // tokens wanted, the 256 bytes included
  size_t max_characters;  // of a token
  size_t max_bytes;
  size_t seeds;   // substrings to start from
  double shrink;  // the part that survives a pruning
  int rounds;     // of EM before each
  size_t threads;
};

// The tokens, sorted by their bytes. Deterministic, whatever the number of threads.
std::vector<std::string> learn_vocabulary(std::string_view blob, const int64_t* offsets, const double* weights,
                                          size_t words, const LearnSettings& settings);

}  // namespace unilid
