// The spans of a mixed text: they cover it without gaps.
#include "spans/spans.h"

#include "tiny.h"

using namespace unilid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  const Scorer& scorer = fuzz::scorer_for(input.options);
  const size_t languages = scorer.languages();
  std::vector<double> log_prior(padded(languages), -INFINITY);
  std::fill_n(log_prior.begin(), languages, 0.0);
  std::vector<uint32_t> entry(languages, 0);
  for (size_t l = 1; input.options & 8 && l < languages; l += 2) entry[l] = NO_ENTRY, log_prior[l] = -INFINITY;
  const size_t least = input.options & 16 ? 12 : 1, most = input.options & 32 ? 2 : languages;
  const SpanSettings settings{entry, input.options & 64 ? 0u : 64u, 10, least, most, input.options & 128 ? 1u : 12u};
  const Decision decision{languages, log_prior.data(), 0.125, 1, {}, nullptr, nullptr};
  size_t before = 0;
  const std::vector<Span> spans = find_spans(scorer, input.text, settings, decision);
  EXPECT(spans.empty() == input.text.empty());
  for (size_t s = 0; s < spans.size(); ++s) {
    const Span& span = spans[s];
    EXPECT(s == 0 ? span.begin == 0 : span.begin > before);
    EXPECT(span.begin < input.text.size());
    EXPECT(span.language >= UNDETERMINED && span.language < static_cast<int32_t>(languages));
    EXPECT(span.language < 0 || entry[static_cast<size_t>(span.language)] != NO_ENTRY);
    EXPECT(span.probability >= 0 && span.probability <= 1 && (s == 0 || span.language != spans[s - 1].language));
    before = span.begin;
  }
  return 0;
}
