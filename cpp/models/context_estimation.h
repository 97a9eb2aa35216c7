// Estimation of the context model: from words with counts to the n-grams of one language.
//
// clang-format off
//   p_k(c | h) = max(n(hc) - D, 0) / n(h) + D types(h) / n(h) * p_{k-1}(c | h')   |h| = k - 1; h' is h without its first
//   p_k(c | h) = p_{k-1}(c | h')                                                  where the language never saw h
//   p_0(c)     = base, one constant for all languages
// clang-format on
//
// This is interpolated Kneser-Ney over the characters of words (Chen and Goodman, 1999). At the highest order and for
// n-grams that begin with WORD_START, n is the weighted count; for the others it is the number of distinct characters
// that were seen to the left of the n-gram.
//
// N-grams are pruned by relative entropy (Stolcke, 1998). An n-gram of `prune_from` characters or more that no longer
// one needs is dropped if without it the likelihood of the N characters of the training text falls by less than
// prune * sqrt(N) nats. The back-off of its context is then normalised again. The square root is there because sampling
// noise in the likelihood grows with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace unilid {

// The n-grams of one order that a language has seen. An n-gram consists of its first k - 1 characters (an index into
// the order below) and its last one.
struct ContextLevelEstimate {
  std::vector<uint32_t> parents, characters;
  std::vector<double> log_p;        // of the last character after the others
  std::vector<double> log_backoff;  // of the n-gram as a context
};

struct ContextEstimate {
  double root_backoff = 0;  // a logarithm
  std::vector<ContextLevelEstimate> levels;
};

// Word w is blob[offsets[w] .. offsets[w + 1]) and occurs counts[w] times.
ContextEstimate estimate_context(std::string_view blob, const int64_t* offsets, const double* counts, size_t words,
                                 size_t order, double discount, double base, double prune, size_t prune_from);

}  // namespace unilid
