#include "decisions/documents.h"

#include <algorithm>
#include <numeric>

namespace unilid {

void DocumentReader::answer(std::string_view text, Scorer::Workspace& workspace, const Answer& out) {
  for (const size_t count : ROUNDS) {
    const size_t bytes = count * EXCERPT_BYTES;
    if (count > ROUNDS[0] && (bytes > budget_ || 2 * bytes > text.size())) break;
    const TextFacts facts = read(text, count, workspace, out);
    if (facts.reason == Reason::MOJIBAKE) return;  // its beginning tells
    if (facts.letters == 0 || out.languages[0] < 0) continue;
    const auto language = static_cast<size_t>(out.languages[0]);
    const size_t dissenters = count_dissenters(count, language, workspace.keys.data());
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
  decide(decision_, costs, costs.facts, workspace.keys.data(), out);
}

TextFacts DocumentReader::read(std::string_view text, size_t count, Scorer::Workspace& workspace, const Answer& out) {
  while (excerpts_.size() < std::min(count, MOST_EXCERPTS)) excerpts_.emplace_back(scorer_.width());
  linguistic_.start(scorer_.is_bounded());
  others_.start(scorer_.is_bounded());
  TextFacts facts;
  ScriptSet scripts;
  for (size_t first = 0; first < count; first += MOST_EXCERPTS) {
    const size_t here = std::min(count - first, MOST_EXCERPTS);
    Excerpt excerpts[MOST_EXCERPTS];
    for (size_t i = 0; i < here; ++i) excerpts[i] = excerpt_of(text, first + i, count);
    facts.letters += read_some(excerpts, here, workspace, scripts);
  }
  if (facts.letters == 0) return facts;
  facts.reason = Scorer::reason_of(text, facts.letters);
  facts.excluded = scorer_.excluded(scripts, workspace);
  const TextCosts costs = scorer_.costs_of(linguistic_, others_, facts.excluded);
  decide(decision_, costs, facts, workspace.keys.data(), out);
  return facts;
}

size_t DocumentReader::read_some(const Excerpt* excerpts, size_t count, Scorer::Workspace& workspace,
                                 ScriptSet& scripts) {
  std::fill(letters_, letters_ + count, 0);
  for (size_t i = 0; i < count; ++i) excerpts_[i].start(scorer_.is_bounded());
  const auto filter = [this](const Word& word) { return scorer_.counts(word); };
  scorer_.each_word(excerpts, count, workspace, filter, [&](size_t i, const Word& word, const WordVector& vector) {
    excerpts_[i].add(vector);
    if (is_linguistic(word)) {
      letters_[i] += word.letters;
      scripts.add(word.script);
      linguistic_.add(vector);
    } else {
      others_.add(vector);
    }
  });
  return std::accumulate(letters_, letters_ + count, size_t{0});
}

size_t DocumentReader::count_dissenters(size_t count, size_t language, double* scratch) {
  size_t dissenters = 0;
  for (size_t i = 0; i < count; ++i) {
    if (letters_[i] == 0) continue;
    excerpts_[i].extend({0, scorer_.width()});
    const double behind = behind_best(decision_, excerpts_[i].costs(), letters_[i], language, scratch);
    if (decision_.temperature.at(letters_[i]) * behind > DISSENT) ++dissenters;
  }
  return dissenters;
}

}  // namespace unilid
