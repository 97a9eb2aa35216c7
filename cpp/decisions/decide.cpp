#include "decisions/decide.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/simd.h"

namespace unilid {

double Temperature::at(size_t letters) const {
  return scale * std::pow(1 + static_cast<double>(letters) / length, -decay);
}

namespace {

// Exponents below this are neglected: exp(-40) of 65,536 languages together would not change the twelfth digit of a sum
// that is at least 1.
constexpr double NEGLIGIBLE = -40;

// What is added to the cost of a language none of whose scripts occurs in the text, in steps: more than any text costs,
// so that it comes behind all others, and few enough digits to keep the order among such languages.
constexpr double EXCLUDED = 0x1p40;

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

// Moves the language that replaces the best one, if there is one, to the first place.
void rerank(const Rerank& rule, std::vector<Candidate>& best) {
  if (best.size() < 2 || best[0].key - best[1].key >= rule.thresholds[best[0].language]) return;
  const auto end = best.begin() + static_cast<std::ptrdiff_t>(std::min(best.size(), rule.ranks));
  const auto substitute = std::find_if(best.begin() + 1, end, [&](const Candidate& other) {
    return rule.replaces[other.language] && best[0].key - other.key <= rule.distance;
  });
  if (substitute != end) std::rotate(best.begin(), substitute, substitute + 1);
}

// The keys of all languages, and the largest one of each LANE of them.
struct Keys {
  // Blocks of LANE languages that there are at most: the row of a language has 16 bits.
  static constexpr size_t MAX_BLOCKS = (size_t{1} << 16) / LANE;

  Keys(const Decision& decision, const double* totals, const uint8_t* excluded, double* scratch)
      : width(padded(decision.languages)), of_all(scratch) {
    if (excluded != nullptr) {
      for (size_t l = 0; l < width; ++l) scratch[l] = totals[l] + (excluded[l] ? EXCLUDED : 0);
      totals = scratch;
    }
    weigh(scratch, most, decision.log_prior, totals, decision.step, width);
  }
  double top() const { return *std::max_element(most, most + width / LANE); }
  double sum_of_exp(double top, double temperature) const {
    return unilid::sum_of_exp(of_all, most, top, temperature, NEGLIGIBLE, width);
  }

  size_t width;
  const double* of_all;
  double most[MAX_BLOCKS];
};

}  // namespace

void decide(const Decision& decision, const double* totals, const CostSum& linguistic, const TextFacts& facts,
            double* scratch, Answer out) {
  const size_t k = decision.k;
  const size_t ranks = std::max(k, decision.rerank != nullptr ? decision.rerank->ranks : 1);
  const Keys keys(decision, totals, facts.excluded, scratch);
  std::vector<Candidate> best;
  best.reserve(ranks + 1);
  const double lowest = ranks == 1 ? keys.top() : -INFINITY;  // if one is enough, its key is known
  double least = -INFINITY;                                   // what a key must exceed to be among the best
  for (size_t first = 0; first < keys.width; first += LANE) {
    const double most = keys.most[first / LANE];
    if (!(most > least) || most < lowest) continue;
    for (size_t l = first; l < first + LANE; ++l) {
      const double key = keys.of_all[l];
      if (!(key > least) || key < lowest) continue;
      auto place = best.end();
      while (place != best.begin() && key > (place - 1)->key) --place;
      best.insert(place, {key, l});
      if (best.size() > ranks) best.pop_back();
      if (best.size() == ranks) least = best.back().key;
    }
  }

  *out.verdict = static_cast<uint8_t>(facts.reason);
  std::fill(out.languages, out.languages + k, -1);
  std::fill(out.scores, out.scores + k, -INFINITY);
  if (best.empty() || facts.reason == Reason::EMPTY) return;

  const double top = best[0].key, temperature = decision.temperature.at(facts.letters);
  std::fill(out.probabilities, out.probabilities + k, 0.0);
  const double sum = keys.sum_of_exp(top, temperature);
  if (decision.rerank != nullptr) rerank(*decision.rerank, best);
  for (size_t i = 0; i < k && i < best.size(); ++i) {
    out.languages[i] = static_cast<int32_t>(best[i].language);
    out.scores[i] = -decision.step * totals[best[i].language];
    out.probabilities[i] = std::exp(temperature * (best[i].key - top)) / sum;
  }
  if (facts.excluded != nullptr && facts.excluded[best[0].language] && facts.reason == Reason::NONE) {
    *out.verdict = static_cast<uint8_t>(Verdict::SCRIPT);
  } else if (const Rejection* rejection = decision.rejection; rejection != nullptr && facts.reason == Reason::NONE) {
    const size_t winner = best[0].language;
    if (is_unlike(*rejection, winner, decision.step * linguistic[winner], facts.letters)) {
      *out.verdict = static_cast<uint8_t>(Verdict::UNLIKE);
    } else if (1 / sum < rejection->least_probability) {
      *out.verdict = static_cast<uint8_t>(Verdict::UNSURE);
    }
  }
}

double posterior(const Decision& decision, const CostSum& costs, size_t letters, const uint8_t* excluded,
                 size_t language, double* scratch) {
  for (size_t l = 0; l < padded(decision.languages); ++l) scratch[l] = costs[l];
  const Keys keys(decision, scratch, excluded, scratch);
  const double top = keys.top(), temperature = decision.temperature.at(letters);
  return std::exp(temperature * (keys.of_all[language] - top)) / keys.sum_of_exp(top, temperature);
}

}  // namespace unilid
