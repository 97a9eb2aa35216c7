#include "decide.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd.h"

namespace unilid {

double Temperature::at(size_t letters) const {
  return scale * std::pow(1 + static_cast<double>(letters) / length, -decay);
}

namespace {

constexpr double NEGLIGIBLE = -40;  // of an exponent: all languages together would not change the twelfth digit

struct Candidate {
  double key;
  size_t language;
};

bool is_unlike(const Rejection& rejection, size_t language, double cost, size_t letters) {
  const double usual = rejection.usual[language];
  if (usual == 0 || letters == 0) return false;
  const double expected = usual * static_cast<double>(letters);
  const double variance = rejection.spread[language] * (rejection.shared + rejection.sampling / expected);
  return cost / expected - 1 > rejection.limit * std::sqrt(variance);
}

void weigh_all(const Decision& decision, const double* totals, double* keys) {
  weigh(keys, decision.log_prior, totals, decision.step, decision.languages);
  std::fill(keys + decision.languages, keys + padded(decision.languages), -INFINITY);
}

double sum_of_all(const double* keys, size_t languages, double top, double temperature) {
  double sum = 0;
  for (size_t first = 0; first < languages; first += LANE) {
    if (temperature * (largest(keys + first) - top) <= NEGLIGIBLE) continue;
    sum += sum_of_exp(keys + first, top, temperature, NEGLIGIBLE);
  }
  return sum;
}

}  // namespace

void decide(const Decision& decision, const double* totals, const CostSum& spoken, const TextFacts& facts, double* keys,
            Answer out) {
  const size_t k = decision.k;
  const size_t wanted = std::max(k, decision.reexamination != nullptr ? decision.reexamination->ranks : 1);
  const size_t width = padded(decision.languages);
  weigh_all(decision, totals, keys);
  std::vector<Candidate> best;
  best.reserve(wanted + 1);
  double least = -INFINITY;  // what a language must exceed to be among the best
  for (size_t first = 0; first < width; first += LANE) {
    if (!(largest(keys + first) > least)) continue;
    for (size_t l = first; l < first + LANE; ++l) {
      if (!(keys[l] > least)) continue;
      auto place = best.end();
      while (place != best.begin() && keys[l] > (place - 1)->key) --place;
      best.insert(place, {keys[l], l});
      if (best.size() > wanted) best.pop_back();
      if (best.size() == wanted) least = best.back().key;
    }
  }

  *out.verdict = static_cast<uint8_t>(facts.reason);
  std::fill(out.languages, out.languages + k, -1);
  std::fill(out.scores, out.scores + k, -INFINITY);
  if (best.empty() || facts.reason == Reason::EMPTY) return;

  const double top = best[0].key, temperature = decision.temperature.at(facts.letters);
  double sum = 0;
  if (out.probabilities != nullptr) {
    std::fill(out.probabilities, out.probabilities + k, 0.0);
    sum = sum_of_all(keys, decision.languages, top, temperature);
  }
  if (const Reexamination* again = decision.reexamination;
      again != nullptr && best.size() > 1 && top - best[1].key < again->thresholds[best[0].language]) {
    const auto found = std::find_if(
        best.begin() + 1, best.begin() + std::min(best.size(), again->ranks),
        [&](const Candidate& other) { return again->replaces[other.language] && top - other.key <= again->distance; });
    if (found != best.begin() + std::min(best.size(), again->ranks)) std::rotate(best.begin(), found, found + 1);
  }
  for (size_t i = 0; i < k && i < best.size(); ++i) {
    out.languages[i] = static_cast<int32_t>(best[i].language);
    out.scores[i] = -decision.step * totals[best[i].language];
    if (out.probabilities != nullptr) out.probabilities[i] = std::exp(temperature * (best[i].key - top)) / sum;
  }
  if (const Rejection* rejection = decision.rejection; rejection != nullptr && facts.reason == Reason::NONE) {
    const size_t winner = best[0].language;
    if (is_unlike(*rejection, winner, decision.step * spoken[winner], facts.letters)) {
      *out.verdict = static_cast<uint8_t>(Verdict::UNLIKE);
    } else if (1 / sum < rejection->least_probability) {
      *out.verdict = static_cast<uint8_t>(Verdict::UNSURE);
    }
  }
}

double posterior(const Decision& decision, const CostSum& costs, size_t letters, size_t language, double* keys) {
  for (size_t l = 0; l < decision.languages; ++l) keys[l] = costs[l];
  weigh_all(decision, keys, keys);
  const double top = *std::max_element(keys, keys + decision.languages);
  const double temperature = decision.temperature.at(letters);
  return std::exp(temperature * (keys[language] - top)) / sum_of_all(keys, decision.languages, top, temperature);
}

}  // namespace unilid
