// The answer to a long text, of which as much is read as it takes.
//
// Evidence saturates: some hundred bytes decide most documents. So a document is read in rounds. Each round reads more
// excerpts (excerpts.h), spread evenly over the text, and adds them up. The answer stands if it is beyond doubt:
//
// clang-format off
//   - the text is a language, and the probability of the answer is at least SURE
//   - every excerpt agrees: no language explains it better than the answer does by more than DISSENT nats, after the
//     temperature of its length
// clang-format on
//
// Where an excerpt disagrees, the document may have several languages. Then, and after the last round, the text is read
// as a whole if it is not longer than the budget, and else as many excerpts of it as the budget allows. A text is read
// as a whole, too, if it is short, or if none of the excerpts has a letter.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/memory.h"
#include "decisions/decide.h"
#include "scoring/scorer.h"
#include "words/excerpts.h"

namespace unilid {

// Excerpts in each round. Eight show most documents of two languages as such, and take no more bytes than four longer
// ones.
constexpr size_t ROUNDS[] = {8, 16, 32};
constexpr size_t MOST_EXCERPTS = 32;
// Bytes up to which a text is read as a whole: of a longer one, the first round reads less than half.
constexpr size_t SHORT_DOCUMENT = 2 * ROUNDS[0] * EXCERPT_BYTES;
constexpr double SURE = 0.999;
constexpr double DISSENT = 2;  // nats

class DocumentReader {
 public:
  // `budget`: the most bytes of a document that are read, about; the first round is read anyway.
  DocumentReader(const Scorer& scorer, const Decision& decision, size_t budget)
      : scorer_(scorer), decision_(decision), budget_(budget), width_(padded(decision.languages)) {}

  static bool is_document(std::string_view text) { return text.size() > SHORT_DOCUMENT; }
  // The text is a document. The reader must not be used by two threads at once.
  void answer(std::string_view text, Scorer::Workspace& workspace, const Answer& out);

 private:
  void read_whole(std::string_view text, Scorer::Workspace& workspace, const Answer& out) const;
  // Adds up excerpts. Returns their letters and what else is known of the text, and decides upon it.
  TextFacts read(std::string_view text, size_t count, Scorer::Workspace& workspace, const Answer& out);
  bool all_agree(size_t count, size_t language, Scorer::Workspace& workspace) const;

  const Scorer& scorer_;
  const Decision decision_;
  size_t budget_, width_;
  Aligned<double> all_, linguistic_;  // of all excerpts together; made when they are first needed
  // Of each of the first MOST_EXCERPTS excerpts.
  Aligned<double> costs_;
  size_t letters_[MOST_EXCERPTS];
};

}  // namespace unilid
