// Explanations: the costs of words add up to those of the text, and the costs of characters to those of a word. The
// characters are explained of one word of each input.
#include "explanation/explain.h"
#include "tiny.h"

using namespace unilid;

namespace {

void check_characters(const fuzz::TinyModel& model, const ExplainedWord& word, const std::vector<uint16_t>& rows) {
  const Word as_word{reinterpret_cast<const uint8_t*>(word.bytes.data()),
                     word.bytes.size(),
                     word.begin,
                     word.end,
                     word.kind,
                     word.cut_left,
                     word.cut_right,
                     word.noise,
                     0};
  const ExplainedCharacters characters = explain_characters(*model.context, as_word, rows.data(), rows.size());
  std::vector<uint16_t> costs(rows.size());
  model.context->costs_of(as_word, rows.data(), rows.size(), costs.data());
  for (size_t r = 0; r < rows.size(); ++r) {
    uint64_t sum = 0;
    for (size_t c = r; c < characters.costs.size(); c += rows.size()) sum += characters.costs[c];
    EXPECT(sum == costs[r]);
  }
  size_t bytes = 0;
  for (const uint8_t n : characters.sizes) bytes += n;
  EXPECT(bytes == word.bytes.size());
  size_t end = 0;
  for (const UnigramModel::Piece& piece : model.unigram->segment(as_word.bytes, as_word.size, rows[1])) {
    EXPECT(piece.begin == end && piece.end > end);
    end = piece.end;
  }
  EXPECT(end == word.bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  const Scorer& scorer = fuzz::scorer_for(input.options);
  const std::vector<uint16_t> rows{0, 3, static_cast<uint16_t>(scorer.languages() - 1)};
  const ExplainedText explained = explain(scorer, input.text, rows.data(), rows.size());
  EXPECT(explained.costs.size() == explained.words.size() * rows.size());
  std::vector<double> sums(rows.size());
  for (size_t w = 0; w < explained.words.size(); ++w) {
    const ExplainedWord& word = explained.words[w];
    EXPECT(word.begin < word.end && word.end <= input.text.size() && word.best < scorer.languages());
    for (size_t r = 0; r < rows.size(); ++r) {
      EXPECT(explained.costs[w * rows.size() + r] >= word.best_cost);
      if (word.counts) sums[r] += explained.costs[w * rows.size() + r];
    }
  }
  if (!explained.words.empty()) {
    check_characters(fuzz::tiny_model(input.options & 1), explained.words[input.hash % explained.words.size()], rows);
  }
  std::unique_ptr<Scorer::Workspace> workspace = scorer.borrow();
  const Scorer::Costs costs = scorer.score(input.text, *workspace);
  for (size_t r = 0; r < rows.size(); ++r) EXPECT(costs[rows[r]] == sums[r]);
  scorer.give_back(std::move(workspace));
  return 0;
}
