// Learning the vocabulary from words with weights, by the pruning of UnigramLM (Kudo, 2018).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace unilid {

struct LearnSettings {
  size_t size;            // of the vocabulary, the 256 bytes included
  size_t max_characters;  // of a token
  size_t max_bytes;       // of a token
  size_t seeds;           // substrings to start from
  double shrink;          // the share of tokens that a pruning keeps
  int rounds;             // of EM before each pruning
  size_t threads;
};

// Returns the tokens, sorted by their bytes. The number of threads makes no difference to them.
std::vector<std::string> learn_vocabulary(std::string_view blob, const int64_t* offsets, const double* weights,
                                          size_t words, const LearnSettings& settings);

}  // namespace unilid
