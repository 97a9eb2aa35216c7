// Scores and decisions: the same bits for a text alone, among others, with a cache that is new, full or of other words,
// and with every instruction set; probabilities are probabilities.
#include "base/simd.h"
#include "decisions/decide.h"
#include "decisions/documents.h"
#include "tiny.h"

using namespace unilid;

namespace {

struct Scores {
  std::vector<double> all;
  int32_t languages[3];
  double scores[3], probabilities[3];
  uint8_t verdict;
};

// Calls work(decision, answer), and returns what became of the answer.
template <class Work>
Scores scores_by(const Scorer& scorer, const std::vector<double>& log_prior, Work&& work) {
  const size_t n = scorer.languages();
  const std::vector<double> thresholds(n, 2), usual(n, 2), spread(n, 1);
  const std::vector<uint8_t> replaces(n, 1);
  const Rerank rerank{thresholds.data(), replaces.data(), 3, 5};
  const Rejection rejection{usual.data(), spread.data(), 0.01, 1, 4, 0.3};
  const Decision decision{n, log_prior.data(), 0.125, 3, {0.5, 50, 0.3}, &rerank, &rejection};
  Scores scores{};
  work(decision, Answer{scores.languages, scores.scores, scores.probabilities, &scores.verdict});
  return scores;
}

Scores scores_of(const Scorer& scorer, const Scorer::Costs& costs, const std::vector<double>& log_prior,
                 Scorer::Workspace& workspace) {
  Scores scores = scores_by(scorer, log_prior, [&](const Decision& decision, const Answer& answer) {
    decide(decision, costs, costs.facts, workspace.keys.data(), answer);
  });
  for (size_t l = 0; l < scorer.languages(); ++l) scores.all.push_back(costs[l]);
  return scores;
}

// The answer to a document, of which no more than the budget is read.
Scores document_of(const Scorer& scorer, std::string_view text, size_t budget, const std::vector<double>& log_prior,
                   Scorer::Workspace& workspace) {
  return scores_by(scorer, log_prior, [&](const Decision& decision, const Answer& answer) {
    DocumentReader(scorer, decision, budget).answer(text, workspace, answer);
  });
}

Scorer::Workspace& workspace_of(const InstructionSet& set, const Scorer& scorer) {
  static std::map<std::pair<const Loops*, const Scorer*>, std::unique_ptr<Scorer::Workspace>> all;
  std::unique_ptr<Scorer::Workspace>& own = all[{set.loops, &scorer}];
  if (!own) own = std::make_unique<Scorer::Workspace>(scorer);
  return *own;
}

void expect_same(const Scores& a, const Scores& b) {
  EXPECT(a.all == b.all && a.verdict == b.verdict);
  EXPECT(std::equal(a.languages, a.languages + 3, b.languages));
  EXPECT(std::equal(a.scores, a.scores + 3, b.scores));
  EXPECT(std::equal(a.probabilities, a.probabilities + 3, b.probabilities));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  const Scorer& scorer = fuzz::scorer_for(input.options);
  std::vector<double> log_prior(padded(scorer.languages()), -INFINITY);
  for (size_t l = 0; l < scorer.languages(); ++l) {
    log_prior[l] = input.options & 8 && l % 4 == 0 ? -INFINITY : -std::log(1.0 + static_cast<double>(l));
  }
  std::unique_ptr<Scorer::Workspace> workspace = scorer.borrow();
  const Scores alone = scores_of(scorer, scorer.score(input.text, *workspace), log_prior, *workspace);
  for (const double cost : alone.all) EXPECT(cost >= 0 && cost == std::floor(cost));
  double sum = 0;
  // Scripts exclude languages.
  const bool fewer = alone.verdict == static_cast<uint8_t>(Reason::EMPTY) || (input.options & fuzz::WHOLE_WORDS) != 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT(alone.languages[i] >= (fewer ? -1 : 0) && alone.languages[i] < static_cast<int32_t>(scorer.languages()));
    EXPECT(alone.probabilities[i] >= 0 && alone.probabilities[i] <= 1);
    sum += alone.probabilities[i];
  }
  EXPECT(sum < 1 + 1e-5);  // the kernel adds up exponentials with six digits
  if (input.options & 16) {  // among others
    const std::string_view middle = input.text.substr(input.text.size() / 2);
    const std::string_view texts[] = {middle, input.text, "", input.text};
    scorer.score(texts, 4, *workspace, [&](size_t t, const Scorer::Costs& costs) {
      if (t % 2 == 1) expect_same(alone, scores_of(scorer, costs, log_prior, *workspace));
    });
  }
  if (input.options & 64 && !input.text.empty()) {  // a document, with any instructions
    std::string document;
    while (!DocumentReader::is_document(document)) document.append(input.text).append(input.options & 8 ? " " : "");
    const size_t budget = size_t{input.options} << 4;
    const Scores first = document_of(scorer, document, budget, log_prior, *workspace);
    for (const InstructionSet& set : instruction_sets()) {
      current_loops = set.loops;
      expect_same(first, document_of(scorer, document, budget, log_prior, workspace_of(set, scorer)));
    }
    current_loops = instruction_sets().front().loops;
  }
  if (input.options & 32) {  // with other instructions, whose caches keep what they computed of other inputs
    for (const InstructionSet& set : instruction_sets()) {
      current_loops = set.loops;
      Scorer::Workspace& own = workspace_of(set, scorer);
      expect_same(alone, scores_of(scorer, scorer.score(input.text, own), log_prior, own));
    }
    current_loops = instruction_sets().front().loops;
  }
  if (input.options >= 0xF0) {  // with an empty cache; to make one takes as long as all the rest
    Scorer::Workspace fresh(scorer);
    expect_same(alone, scores_of(scorer, scorer.score(input.text, fresh), log_prior, fresh));
  }
  scorer.give_back(std::move(workspace));
  return 0;
}
