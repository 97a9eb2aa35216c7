#include "decisions/decide.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/elementary.h"
#include "base/simd.h"

namespace unilid {

double Temperature::at(size_t letters) const {
  return scale * portable::pow(1 + static_cast<double>(letters) / length, -decay);
}

double Decision::start(size_t language, size_t letters) const {
  if (handicaps == nullptr) return log_prior[language];
  return log_prior[language] - handicaps[language] * std::sqrt(static_cast<double>(letters));
}

namespace {

// Exponents below this are neglected: exp(-25) of 65,536 languages together would not change the sixth digit of a sum
// that is at least 1, and exponentials have no more than six digits.
constexpr double NEGLIGIBLE = -25;

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

// The keys of a range of languages, and the largest one of each LANE of them.
struct Keys {
  // Blocks of LANE languages that there are at most: the row of a language has 16 bits.
  static constexpr size_t MAX_BLOCKS = (size_t{1} << 16) / LANE;

  Keys(const Decision& decision, const TextCosts& costs, size_t letters, const uint8_t* excluded, const Rows& languages,
       double* scratch)
      : rows(languages), of_all(scratch) {
    const CostSum &linguistic = costs.linguistic, &others = costs.others;
    const size_t first = rows.first;
    std::vector<double> starts;
    if (decision.handicaps != nullptr) {
      starts.resize(rows.size(), -INFINITY);
      for (size_t l = first; l < std::min(rows.last, decision.languages); ++l) {
        starts[l - first] = decision.start(l, letters);
      }
    }
    const double *start = starts.empty() ? decision.log_prior + first : starts.data(), step = decision.step;
    const auto has_rows = [&](const CostSum& sum) {
      return sum.total == nullptr && sum.recent != nullptr && sum.rows.with(rows) == sum.rows;
    };
    const bool no_others = others.total == nullptr && others.recent == nullptr && others.outside == 0;
    const uint8_t* own = excluded == nullptr ? nullptr : excluded + first;
    if (has_rows(linguistic) && (no_others || has_rows(others))) {
      weigh(scratch + first, most + first / LANE, start, linguistic.recent + first,
            no_others ? nullptr : others.recent + first, own, linguistic.least + others.least, step, rows.size());
    } else {
      for (size_t l = first; l < rows.last; ++l) scratch[l] = costs[l];
      weigh(scratch + first, most + first / LANE, start, scratch + first, own, step, rows.size());
    }
  }
  double top() const { return *std::max_element(most + rows.first / LANE, most + rows.last / LANE); }
  double sum_of_exp(double top, double temperature) const {
    return unilid::sum_of_exp(of_all + rows.first, most + rows.first / LANE, top, temperature, NEGLIGIBLE, rows.size());
  }
  // Fills `best` with the languages that have the largest keys.
  void find_best(size_t ranks, std::vector<Candidate>& best) const {
    best.clear();
    if (rows.size() == 0) return;
    const double lowest = ranks == 1 ? top() : -INFINITY;  // if one is enough, its key is known
    double least = -INFINITY;                              // what a key must exceed to be among the best
    for (size_t first = rows.first; first < rows.last; first += LANE) {
      const double largest = most[first / LANE];
      if (!(largest > least) || largest < lowest) continue;
      for (size_t l = first; l < first + LANE; ++l) {
        const double key = of_all[l];
        if (!(key > least) || key < lowest) continue;
        auto place = best.end();
        while (place != best.begin() && key > (place - 1)->key) --place;
        best.insert(place, {key, l});
        if (best.size() > ranks) best.pop_back();
        if (best.size() == ranks) least = best.back().key;
      }
    }
  }

  Rows rows;
  const double* of_all;
  double most[MAX_BLOCKS];
};

}  // namespace

void decide(const Decision& decision, const TextCosts& costs, const TextFacts& facts, double* scratch, Answer out) {
  const size_t k = decision.k;
  const size_t ranks = std::max(k, decision.rerank != nullptr ? decision.rerank->ranks : 1);
  const Rows all{0, padded(decision.languages)};
  // Languages outside of the rows of the scripts are excluded, and matter only where there are too few others.
  Keys keys(decision, costs, facts.letters, facts.excluded, facts.excluded != nullptr ? costs.linguistic.rows : all,
            scratch);
  std::vector<Candidate> best;
  best.reserve(ranks + 1);
  keys.find_best(ranks, best);
  if (keys.rows != all && (best.size() < ranks || facts.excluded[best.back().language])) {
    keys = Keys(decision, costs, facts.letters, facts.excluded, all, scratch);
    keys.find_best(ranks, best);
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
    out.scores[i] = -decision.step * costs[best[i].language];
    out.probabilities[i] = portable::exp(temperature * (best[i].key - top)) / sum;
  }
  if (facts.excluded != nullptr && facts.excluded[best[0].language] && facts.reason == Reason::NONE) {
    *out.verdict = static_cast<uint8_t>(Verdict::SCRIPT);
  } else if (const Rejection* rejection = decision.rejection; rejection != nullptr && facts.reason == Reason::NONE) {
    const size_t winner = best[0].language;
    if (is_unlike(*rejection, winner, decision.step * costs.linguistic[winner], facts.letters)) {
      *out.verdict = static_cast<uint8_t>(Verdict::UNLIKE);
    } else if (1 / sum < rejection->least_probability) {
      *out.verdict = static_cast<uint8_t>(Verdict::UNSURE);
    }
  }
}

double behind_best(const Decision& decision, const CostSum& costs, size_t letters, size_t language, double* scratch) {
  const Keys keys(decision, {costs, {}}, letters, nullptr, {0, padded(decision.languages)}, scratch);
  return keys.top() - keys.of_all[language];
}

double posterior(const Decision& decision, const CostSum& costs, size_t letters, const uint8_t* excluded,
                 size_t language, double* scratch) {
  const Keys keys(decision, {costs, {}}, letters, excluded, {0, padded(decision.languages)}, scratch);
  const double top = keys.top(), temperature = decision.temperature.at(letters);
  return portable::exp(temperature * (keys.of_all[language] - top)) / keys.sum_of_exp(top, temperature);
}

}  // namespace unilid
