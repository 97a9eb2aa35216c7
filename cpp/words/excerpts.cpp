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
  // The same as (2 * index + 1) * size / (2 * count), which might not fit into 64 bits.
  const size_t parts = 2 * count, number = 2 * index + 1;
  const size_t middle = text.size() / parts * number + text.size() % parts * number / parts;
  const size_t begin = middle - EXCERPT_BYTES / 2;
  const size_t start = reading_start(text, begin);
  return {text.substr(start), begin - std::min(begin, start), begin + EXCERPT_BYTES - start};
}

}  // namespace unilid
