// Discriminative training: the text is a line, all languages of a tiny model are its candidates, and one of them is
// right. It teaches corrections of the context model, which one input in CORRECTED also has the costs of.
#include "models/discrimination.h"

#include "tiny.h"

using namespace unilid;

namespace {

constexpr uint64_t CORRECTED = 256;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  const ContextTable& table = fuzz::tiny_model(false).context->table();
  static const ContextTrie trie(table);
  static const std::vector<uint16_t> languages = [&] {
    std::vector<uint16_t> all(table.language_count);
    for (size_t l = 0; l < all.size(); ++l) all[l] = static_cast<uint16_t>(l);
    return all;
  }();
  Features features;
  add_features(trie, trie, input.text, languages.data(), languages.size(), input.options & 1, features);
  EXPECT(features.ends.size() == languages.size() && features.ends.back() == features.entries.size());
  EXPECT(features.counts.size() == features.entries.size());
  for (const uint32_t entry : features.entries) EXPECT(entry < trie.entries());

  // Twice the same line, the second time with scores that are very far apart.
  const size_t count = languages.size(), features_of_line = features.entries.size();
  for (size_t l = 0; l < count; ++l) features.ends.push_back(features_of_line + features.ends[l]);
  features.entries.insert(features.entries.end(), features.entries.begin(),
                          features.entries.begin() + features_of_line);
  features.counts.insert(features.counts.end(), features.counts.begin(), features.counts.begin() + features_of_line);
  const size_t is_right = (input.options >> 1) % count;
  const uint64_t candidate_ends[] = {count, 2 * count}, right[] = {is_right, count + is_right};
  const double exponents[] = {0.6, input.options & 256 ? 1e12 : 0.0};
  std::vector<double> scores(2 * count);
  for (size_t c = 0; c < scores.size(); ++c) scores[c] = c < count ? -static_cast<double>(c) : c % 2 ? -1e12 : 1e12;
  const Lessons lessons{2,
                        candidate_ends,
                        right,
                        exponents,
                        scores.data(),
                        features.ends.data(),
                        features.entries.data(),
                        features.counts.data()};
  const std::vector<float> corrections = learn_corrections(lessons, trie.entries(), 0.02, 2);
  EXPECT(corrections.size() == trie.entries());
  for (const uint32_t entry : features.entries) EXPECT(std::abs(corrections[entry]) <= 1);
  if (input.hash % CORRECTED == 0) {
    const std::vector<uint8_t> costs = corrected_costs(trie, trie, corrections.data(), input.options & 512 ? 1e12 : 8);
    EXPECT(costs.size() == trie.entries());
    for (const uint8_t cost : costs) EXPECT(cost <= 254);
  }
  return 0;
}
