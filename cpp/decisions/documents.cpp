#include "decisions/documents.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/simd.h"

namespace unilid {

void DocumentReader::answer(std::string_view text, Scorer::Workspace& workspace, const Answer& out) {
  for (const size_t count : ROUNDS) {
    const size_t bytes = count * EXCERPT_BYTES;
    if (count > ROUNDS[0] && (bytes > budget_ || 2 * bytes > text.size())) break;
    const TextFacts facts = read(text, count, workspace, out);
    if (facts.reason == Reason::MOJIBAKE) return;  // its beginning tells
    if (facts.letters == 0 || out.languages[0] < 0) continue;
    const size_t dissenters = count_dissenters(count, static_cast<size_t>(out.languages[0]));
    if (dissenters > count / MANY_DISSENTERS) break;
    if (dissenters > count / FEW_DISSENTERS) continue;
    if (*out.verdict == static_cast<uint8_t>(Verdict::LANGUAGE) && out.probabilities[0] >= SURE) return;
  }
  if (text.size() <= budget_) return read_whole(text, workspace, out);
  const TextFacts facts = read(text, std::max(budget_ / EXCERPT_BYTES, ROUNDS[0]), workspace, out);
  if (facts.letters == 0) read_whole(text, workspace, out);
}

void DocumentReader::read_whole(std::string_view text, Scorer::Workspace& workspace, const Answer& out) const {
  const Scorer::Costs costs = scorer_.score(text, workspace);
  decide(decision_, costs.all, costs.linguistic, costs.facts, workspace.keys.data(), out);
}

TextFacts DocumentReader::read(std::string_view text, size_t count, Scorer::Workspace& workspace, const Answer& out) {
  if (all_.size() == 0) {
    all_ = Aligned<double>(width_, false), others_ = Aligned<double>(width_, false);
    costs_ = Aligned<uint32_t>((MOST_EXCERPTS + 1) * width_, false);
  }
  std::memset(all_.data(), 0, width_ * sizeof(double));
  std::memset(others_.data(), 0, width_ * sizeof(double));
  TextFacts facts;
  ScriptSet scripts;
  Excerpt excerpts[MOST_EXCERPTS];
  for (size_t first = 0; first < count; first += MOST_EXCERPTS) {
    const size_t here = std::min(count - first, MOST_EXCERPTS);
    for (size_t i = 0; i < here; ++i) excerpts[i] = excerpt_of(text, first + i, count);
    facts.letters += read_some(excerpts, here, workspace, scripts);
  }
  if (facts.letters == 0) return facts;
  facts.reason = Scorer::reason_of(text, facts.letters);
  facts.excluded = scorer_.excluded(scripts, workspace);
  for (size_t l = 0; l < width_; ++l) others_[l] = all_[l] - others_[l];
  const CostSum linguistic{others_.data(), nullptr, 0};
  decide(decision_, all_.data(), linguistic, facts, workspace.keys.data(), out);
  return facts;
}

size_t DocumentReader::read_some(const Excerpt* excerpts, size_t count, Scorer::Workspace& workspace,
                                 ScriptSet& scripts) {
  std::memset(costs_.data(), 0, (count + 1) * width_ * sizeof(uint32_t));
  std::fill(letters_, letters_ + count, 0);
  uint64_t least = 0, least_of_others = 0;
  const auto add_to = [this](uint32_t* costs, const WordVector& vector) {
    vector.excess != nullptr ? accumulate(costs, vector.excess, width_) : accumulate(costs, vector.costs, width_);
  };
  const auto filter = [this](const Word& word) { return scorer_.counts(word); };
  bool has_others = false;
  scorer_.each_word(excerpts, count, workspace, filter, [&](size_t i, const Word& word, const WordVector& vector) {
    add_to(costs_of(i), vector);
    least += vector.least;
    if (is_linguistic(word)) {
      letters_[i] += word.letters;
      scripts.add(word.script);
    } else {
      add_to(costs_of(count), vector);
      least_of_others += vector.least;
      has_others = true;
    }
  });
  for (size_t i = 0; i < count; ++i) accumulate(all_.data(), costs_of(i), width_);
  for (size_t l = 0; l < width_; ++l) all_[l] += static_cast<double>(least);
  if (has_others) {
    accumulate(others_.data(), costs_of(count), width_);
    for (size_t l = 0; l < width_; ++l) others_[l] += static_cast<double>(least_of_others);
  }
  return std::accumulate(letters_, letters_ + count, size_t{0});
}

// The largest key of an excerpt, less that of the answer; what all languages have in common does not matter.
size_t DocumentReader::count_dissenters(size_t count, size_t language) const {
  size_t dissenters = 0;
  for (size_t i = 0; i < count; ++i) {
    if (letters_[i] == 0) continue;
    const uint32_t* costs = costs_.data() + i * width_;
    const double own = decision_.log_prior[language] - decision_.step * costs[language];
    const double behind = largest_key(decision_.log_prior, costs, decision_.step, width_) - own;
    if (decision_.temperature.at(letters_[i]) * behind > DISSENT) ++dissenters;
  }
  return dissenters;
}

}  // namespace unilid
