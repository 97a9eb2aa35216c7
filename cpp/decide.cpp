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

// What languages are ranked by, and the largest of each LANE of them.
struct Keys {
  static constexpr size_t MOST_LANES = (size_t{1} << 16) / LANE;  // rows have 16 bits

  Keys(const Decision& decision, const double* totals, double* room) : width(padded(decision.languages)), of_all(room) {
    weigh(room, most, decision.log_prior, totals, decision.step, width);
  }
  double top() const { return *std::max_element(most, most + width / LANE); }
  double sum_of_exp(double top, double temperature) const {
    return unilid::sum_of_exp(of_all, most, top, temperature, NEGLIGIBLE, width);
  }

  size_t width;
  const double* of_all;
  double most[MOST_LANES];
};

}  // namespace

void decide(const Decision& decision, const double* totals, const CostSum& spoken, const TextFacts& facts, double* room,
            Answer out) {
  const size_t k = decision.k;
  const size_t wanted = std::max(k, decision.reexamination != nullptr ? decision.reexamination->ranks : 1);
  const Keys keys(decision, totals, room);
  std::vector<Candidate> best;
  best.reserve(wanted + 1);
  const double lowest = wanted == 1 ? keys.top() : -INFINITY;  // spares a search
  double least = -INFINITY;                                    // what a language must exceed to be among the best
  for (size_t first = 0; first < keys.width; first += LANE) {
    const double most = keys.most[first / LANE];
    if (!(most > least) || most < lowest) continue;
    for (size_t l = first; l < first + LANE; ++l) {
      const double key = keys.of_all[l];
      if (!(key > least) || key < lowest) continue;
      auto place = best.end();
      while (place != best.begin() && key > (place - 1)->key) --place;
      best.insert(place, {key, l});
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
    sum = keys.sum_of_exp(top, temperature);
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

double posterior(const Decision& decision, const CostSum& costs, size_t letters, size_t language, double* room) {
  for (size_t l = 0; l < padded(decision.languages); ++l) room[l] = costs[l];
  const Keys keys(decision, room, room);
  const double top = keys.top(), temperature = decision.temperature.at(letters);
  return std::exp(temperature * (keys.of_all[language] - top)) / keys.sum_of_exp(top, temperature);
}

}  // namespace unilid
