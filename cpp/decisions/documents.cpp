#include "decisions/documents.h"

#include <algorithm>
#include <cstring>

#include "base/simd.h"

namespace unilid {

void DocumentReader::answer(std::string_view text, Scorer::Workspace& workspace, const Answer& out) {
  for (const size_t count : ROUNDS) {
    const size_t bytes = count * EXCERPT_BYTES;
    if (count > ROUNDS[0] && (bytes > budget_ || 2 * bytes > text.size())) break;
    const TextFacts facts = read(text, count, workspace, out);
    if (facts.reason == Reason::MOJIBAKE) return;  // its beginning tells
    if (facts.letters == 0 || out.languages[0] < 0) continue;
    if (!all_agree(count, static_cast<size_t>(out.languages[0]), workspace)) break;
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
    all_ = Aligned<double>(width_, false), linguistic_ = Aligned<double>(width_, false);
    costs_ = Aligned<double>(MOST_EXCERPTS * width_, false);
  }
  std::memset(all_.data(), 0, width_ * sizeof(double));
  std::memset(linguistic_.data(), 0, width_ * sizeof(double));
  TextFacts facts;
  ScriptSet scripts;
  Excerpt excerpts[MOST_EXCERPTS];
  for (size_t first = 0; first < count; first += MOST_EXCERPTS) {
    const size_t here = std::min(count - first, MOST_EXCERPTS);
    for (size_t i = 0; i < here; ++i) excerpts[i] = excerpt_of(text, first + i, count);
    scorer_.score(excerpts, here, workspace, [&](size_t i, const Scorer::Costs& excerpt) {
      letters_[i] = excerpt.facts.letters;
      std::memcpy(costs_.data() + i * width_, excerpt.all, width_ * sizeof(double));
      if (excerpt.facts.letters == 0) return;  // signs alone, which may be a table or a drawing
      facts.letters += excerpt.facts.letters;
      scripts.add(excerpt.scripts);
      unilid::add(all_.data(), all_.data(), excerpt.all, width_);
      for (size_t l = 0; l < width_; ++l) linguistic_[l] += excerpt.linguistic[l];
    });
  }
  if (facts.letters == 0) return facts;
  facts.reason = Scorer::reason_of(text, facts.letters);
  facts.excluded = scorer_.excluded(scripts, workspace);
  decide(decision_, all_.data(), {linguistic_.data(), nullptr, 0}, facts, workspace.keys.data(), out);
  return facts;
}

bool DocumentReader::all_agree(size_t count, size_t language, Scorer::Workspace& workspace) const {
  for (size_t i = 0; i < count; ++i) {
    if (letters_[i] == 0) continue;
    const double behind = distance_to_best(decision_, costs_.data() + i * width_, language, workspace.keys.data());
    if (decision_.temperature.at(letters_[i]) * behind > DISSENT) return false;
  }
  return true;
}

}  // namespace unilid
