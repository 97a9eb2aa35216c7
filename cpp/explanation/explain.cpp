#include "explanation/explain.h"

namespace unilid {

ExplainedText explain(const Scorer& scorer, std::string_view text, const uint16_t* rows, size_t count) {
  ExplainedText explained;
  std::unique_ptr<Scorer::Workspace> workspace = scorer.borrow();
  bool has_linguistic = false;
  const auto every = [](const Word&) { return true; };
  scorer.each_word(text, *workspace, every, [&](const Word& word, const WordVector& vector) {
    size_t best = 0;
    for (size_t l = 1; l < scorer.languages(); ++l) best = vector.of(l) < vector.of(best) ? l : best;
    explained.words.push_back({std::string(reinterpret_cast<const char*>(word.bytes), word.size), word.begin, word.end,
                               word.kind, word.noise, word.cut_left, word.cut_right, is_lone(word), word.script,
                               word.inner, scorer.counts(word), best, vector.of(best)});
    for (size_t r = 0; r < count; ++r) explained.costs.push_back(vector.of(rows[r]));
    has_linguistic |= is_linguistic(word);
  });
  scorer.give_back(std::move(workspace));
  if (has_linguistic) return explained;
  for (ExplainedWord& word : explained.words) word.counts |= word.noise != Reason::NONE;
  return explained;
}

// The cost of a prefix that is cut at the right is the sum of the costs of its characters, without an end of the word.
// So what a character adds is the difference between two prefixes.
ExplainedCharacters explain_characters(const WordModel& model, const Word& word, const uint16_t* rows, size_t count) {
  ExplainedCharacters explained;
  std::vector<uint16_t> before(count), until(count);
  const auto add = [&](const Word& part, size_t size) {
    model.costs_of(part, rows, count, until.data());
    explained.sizes.push_back(static_cast<uint8_t>(size));
    for (size_t r = 0; r < count; ++r) explained.costs.push_back(static_cast<uint32_t>(until[r]) - before[r]);
    before = until;
  };
  Word part = word;
  part.cut_right = true;
  for (part.size = 0; part.size < word.size;) {
    const size_t size = decode(word.bytes + part.size, word.bytes + word.size).size;
    part.size += size;
    add(part, size);
  }
  if (!word.cut_right) add(word, 0);
  return explained;
}

}  // namespace unilid
