#include "models/unigram_estimation.h"

#include <algorithm>
#include <cmath>

#include "base/elementary.h"
#include "base/stop.h"
#include "models/lattice.h"

namespace unilid {

Estimate estimate(const Vocabulary& vocabulary, std::string_view blob, const int64_t* offsets, const double* counts,
                  size_t words, int rounds, double tolerance) {
  // Only tokens that occur are numbered, so that the tables of the inner loop are small.
  Estimate result;
  Lattices lattices;
  std::vector<uint32_t> numbers(vocabulary.size(), 0xFFFFFFFF);
  const auto number = [&](uint32_t token) {
    if (numbers[token] == 0xFFFFFFFF) {
      numbers[token] = static_cast<uint32_t>(result.tokens.size());
      result.tokens.push_back(token);
    }
    return numbers[token];
  };
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(blob.data());
  for (size_t w = 0; w < words; ++w) {
    if (w % STOP_CHECK == 0) check_stop();
    lattices.add(bytes + offsets[w], bytes + offsets[w + 1], vocabulary, number);
  }

  const size_t tokens = result.tokens.size();
  std::vector<double> p(tokens, 1.0 / static_cast<double>(vocabulary.size())), log_p(tokens), expected(tokens);
  Expectation expectation(lattices, p, log_p);
  while (result.rounds < rounds) {
    for (size_t t = 0; t < tokens; ++t) log_p[t] = portable::log(p[t]);
    std::fill(expected.begin(), expected.end(), 0.0);
    for (size_t w = 0; w < words; ++w) {
      if (w % STOP_CHECK == 0) check_stop();
      expectation.add(lattices.words[w], counts[w], expected);
    }
    result.total = 0;
    for (const double c : expected) result.total += c;
    if (!(result.total > 0)) break;
    // Total variation. Tokens that never occur have a share of the uniform start, which moves in the first round.
    double moved = 0, mass = 0;
    for (size_t t = 0; t < tokens; ++t) {
      const double updated = expected[t] / result.total;
      moved += std::abs(updated - p[t]);
      mass += p[t];
      p[t] = updated;
    }
    ++result.rounds;
    if (0.5 * (moved + std::max(0.0, 1.0 - mass)) < tolerance) break;
  }

  std::vector<uint32_t> order(tokens);
  for (size_t t = 0; t < tokens; ++t) order[t] = static_cast<uint32_t>(t);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return result.tokens[a] < result.tokens[b]; });
  std::vector<uint32_t> sorted(tokens);
  result.counts.resize(tokens);
  for (size_t t = 0; t < tokens; ++t) {
    sorted[t] = result.tokens[order[t]];
    result.counts[t] = expected[order[t]];
  }
  result.tokens = std::move(sorted);
  return result;
}

}  // namespace unilid
