// Learning: a vocabulary, a unigram model and a context model of the words of a text, whatever they are. The words are
// those of the text, or (an option) any bytes at all between two zeros. To learn a vocabulary takes as long as many
// estimates, because it always has the 256 bytes: one input in VOCABULARIES has its own, the others share one.
#include <optional>

#include "tiny.h"

using namespace unilid;

namespace {

constexpr uint64_t VOCABULARIES = 32;

WordCounts::Table any_bytes(std::string_view text) {
  std::map<std::string, double> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\0', begin), text.size());
    if (end > begin) words[std::string(text.substr(begin, std::min(end - begin, WORD_CAPACITY)))] += 1;
    begin = end + 1;
  }
  WordCounts::Table table{"", {0}, {}};
  for (const auto& [word, count] : words) {
    table.blob += word;
    table.offsets.push_back(static_cast<int64_t>(table.blob.size()));
    table.counts.push_back(count);
  }
  return table;
}

WordCounts::Table table_of(std::string_view text) {
  WordCounts counts;
  counts.add_text(text, 1.5);
  return counts.table();
}

Vocabulary learned(const WordCounts::Table& table, size_t wanted) {
  const std::vector<std::string> tokens = learn_vocabulary(table.blob, table.offsets.data(), table.counts.data(),
                                                           table.counts.size(), {wanted, 8, 64, 8 * wanted, 0.6, 2, 1});
  EXPECT(tokens.size() >= 256 && tokens.size() <= wanted);
  std::string blob;
  std::vector<int64_t> offsets{0};
  for (const std::string& token : tokens) {
    EXPECT(!token.empty() && token.size() <= 64);
    blob += token, offsets.push_back(static_cast<int64_t>(blob.size()));
  }
  EXPECT(std::is_sorted(tokens.begin(), tokens.end()));
  EXPECT(std::adjacent_find(tokens.begin(), tokens.end()) == tokens.end());
  return Vocabulary(blob, offsets.data(), tokens.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  WordCounts::Table table = input.options & 1 ? any_bytes(input.text) : table_of(input.text);
  if (input.options & 2) {
    for (double& count : table.counts) count = count > 1.5 ? 1e300 : 1e-300;
  }
  const size_t variant = (input.options >> 4) % 16, wanted = 256 + 4 * variant;
  static const Vocabulary shared = learned(table_of(fuzz::sentences()[1]), 320);
  std::optional<Vocabulary> own;
  if (input.hash % VOCABULARIES == 0) own = learned(table, wanted);
  const Vocabulary& vocabulary = own ? *own : shared;
  const Estimate e =
      estimate(vocabulary, table.blob, table.offsets.data(), table.counts.data(), table.counts.size(), 3, 0);
  EXPECT(std::is_sorted(e.tokens.begin(), e.tokens.end()) && e.tokens.size() == e.counts.size());
  for (size_t i = 0; i < e.tokens.size(); ++i) EXPECT(e.tokens[i] < vocabulary.size() && e.counts[i] >= 0);

  const size_t order = 2 + variant % 5;
  const ContextEstimate context =
      estimate_context(table.blob, table.offsets.data(), table.counts.data(), table.counts.size(), order, 0.8, 1e-4,
                       input.options & 4 ? 0 : 0.005, input.options & 8 ? 2 : 3);
  EXPECT(context.levels.size() == order);
  for (size_t k = 0; k < order; ++k) {
    const ContextLevelEstimate& level = context.levels[k];
    EXPECT(level.parents.size() == level.characters.size() && level.log_p.size() == level.characters.size());
    for (size_t i = 0; i < level.characters.size(); ++i) {
      EXPECT(level.characters[i] <= WORD_END);
      EXPECT(level.characters[i] == WORD_START || level.log_p[i] <= 1e-9);  // that one is never predicted
      EXPECT(k == 0 || level.parents[i] < context.levels[k - 1].characters.size());
    }
  }
  return 0;
}
