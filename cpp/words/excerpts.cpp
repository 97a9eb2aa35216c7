#include "words/excerpts.h"

#include <algorithm>

#include "words/ascii.h"
#include "words/words.h"

namespace unilid {

namespace {

// Bytes in which the beginning of a line is looked for.
constexpr size_t LINE_BEFORE = 256;

// Where to begin reading, so that the words from `begin` on are those of the whole text: at the beginning of the line,
// if it is near; or else at the last space before; or else, in a run without spaces, at a character.
size_t reading_start(std::string_view text, size_t begin) {
  const std::string_view before = text.substr(begin - std::min(begin, LINE_BEFORE), std::min(begin, LINE_BEFORE));
  const size_t line = before.rfind('\n');
  if (line != std::string_view::npos) return begin - before.size() + line + 1;
  if (before.size() == begin) return 0;
  for (size_t at = begin + 1; at > begin - MAX_WORD_BYTES; --at) {
    if (is_space(text[at - 1])) return at - 1;
  }
  while (begin < text.size() && (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) ++begin;
  return begin;
}

}  // namespace

Excerpt excerpt_of(std::string_view text, size_t index, size_t count) {
  // Where a share of the text begins; index * size / count might not fit into 64 bits.
  const auto share = [&](size_t i) { return text.size() / count * i + text.size() % count * i / count; };
  const size_t room = share(index + 1) - share(index) - EXCERPT_BYTES;
  // The fraction of (index + 1) times the golden ratio, in 16 bits: all fractions come equally often, in no rhythm.
  const size_t fraction = (index + 1) * 40503 % 0x10000;
  const size_t begin = share(index) + (room / 0x10000 * fraction + room % 0x10000 * fraction / 0x10000);
  const size_t start = reading_start(text, begin);
  return {text.substr(start), begin - std::min(begin, start), begin + EXCERPT_BYTES - start};
}

}  // namespace unilid
