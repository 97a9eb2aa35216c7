// Counting words: tables are sorted, and what is counted twice counts double.
#include "corpus/counts.h"
#include "tiny.h"

using namespace unilid;

namespace {

double check(const WordCounts::Table& table) {
  EXPECT(table.offsets.size() == table.counts.size() + 1 && table.offsets[0] == 0);
  EXPECT(table.offsets.back() == static_cast<int64_t>(table.blob.size()));
  double sum = 0;
  std::string_view before;
  for (size_t w = 0; w < table.counts.size(); ++w) {
    const auto begin = static_cast<size_t>(table.offsets[w]), end = static_cast<size_t>(table.offsets[w + 1]);
    EXPECT(begin < end && end - begin <= WORD_CAPACITY);
    const std::string_view word(table.blob.data() + begin, end - begin);
    EXPECT(w == 0 || before < word);
    before = word;
    sum += table.counts[w];
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  WordCounts counts;
  const size_t half = input.text.size() / 2;
  counts.add_text(input.text.substr(0, half), 1);
  counts.add_text(input.text.substr(half), 2);
  counts.add_text(input.text, 1);
  const WordCounts::Table table = counts.table();
  const double sum = check(table);
  EXPECT(counts.size() == table.counts.size());
  if (input.options & 1) {  // what is taken back is gone
    counts.add_text(input.text, -1);
    counts.add_text(input.text.substr(0, half), -1);
    counts.add_text(input.text.substr(half), -2);
    EXPECT(counts.table().counts.empty());
  }

  WordCounts twice;
  for (int i = 0; i < 2; ++i)
    twice.add_table(table.blob, table.offsets.data(), table.counts.data(), table.counts.size());
  EXPECT(check(twice.table()) == 2 * sum);
  twice.keep_most_common(3);
  EXPECT(twice.size() == std::min<size_t>(3, table.counts.size()));
  check(twice.table());

  for (const auto& with : {WordCounts::with_fragments, WordCounts::with_spellings}) {
    const WordCounts::Table more =
        with(table.blob, table.offsets.data(), table.counts.data(), table.counts.size(), input.options & 2 ? 10 : 0.25);
    EXPECT(check(more) >= sum && more.counts.size() >= table.counts.size());
  }
  return 0;
}
