#include "words/characters.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace unilid {

namespace {

constexpr uint8_t class_in_table(uint32_t code_point) {
  uint8_t value = 0;
  for (const unicode::Run& run : unicode::RUNS) {
    if (run.start <= code_point) value = run.value;
  }
  return value;
}
static_assert(class_in_table('A') == LATIN && class_in_table('z') == LATIN);

// One byte for each code point: 1.1 MB, of which a text touches a few pages, and no branches. Never destroyed: a thread
// may still read when the process ends.
const std::vector<uint8_t>& classes() {
  static const std::vector<uint8_t>& table = *[] {
    std::vector<uint8_t>& all = *new std::vector<uint8_t>(0x110000);
    const size_t runs = sizeof(unicode::RUNS) / sizeof(unicode::RUNS[0]);
    for (size_t r = 0; r < runs; ++r) {
      const size_t end = r + 1 < runs ? unicode::RUNS[r + 1].start : all.size();
      std::memset(all.data() + unicode::RUNS[r].start, unicode::RUNS[r].value, end - unicode::RUNS[r].start);
    }
    return &all;
  }();
  return table;
}

}  // namespace

const uint8_t* const CLASS_OF = classes().data();

namespace {

const std::vector<uint32_t>& small_letters() {
  static const std::vector<uint32_t>& table = *[] {
    std::vector<uint32_t>& all = *new std::vector<uint32_t>(CASED);
    for (const unicode::Fold& fold : unicode::FOLDS) {
      for (uint32_t capital = fold.first; capital <= fold.last; capital += fold.step) {
        const uint32_t small = capital + static_cast<uint32_t>(fold.distance);
        all[capital] = small;
        all[small] = IS_SMALL;
      }
    }
    return &all;
  }();
  return table;
}

}  // namespace

const uint32_t* const SMALL_OF = small_letters().data();

namespace {

struct Halves {
  std::vector<uint8_t> of = std::vector<uint8_t>(HALVES);
  bool has[256] = {};
};

const Halves& halves() {
  static const Halves& table = *[] {
    Halves& all = *new Halves;
    for (const unicode::Composition& pair : unicode::COMPOSITIONS) {
      const uint8_t script = CLASS_OF[pair.mark];
      if (script == unicode::COMPOSING) continue;
      all.of[pair.letter] |= FIRST_HALF;
      all.of[pair.mark] |= SECOND_HALF;
      all.has[script] = true;
    }
    return &all;
  }();
  return table;
}

}  // namespace

const bool* const HAS_HALVES = halves().has;
const uint8_t* const HALF_OF = halves().of.data();

bool is_in_capitals(const uint8_t* word, const uint8_t* end) {
  size_t capitals = 0;
  for (const uint8_t* at = word; at < end;) {
    const Character character = decode(at, end);
    const uint32_t small = small_of(character);
    if (small == IS_SMALL) return false;
    capitals += small != 0;
    at += character.size;
  }
  return capitals >= 2;
}

namespace {

// Writes a character, which takes so many bytes.
void encode(uint8_t* at, uint32_t code_point, uint32_t size) {
  for (uint32_t i = size - 1; i > 0; --i, code_point >>= 6) at[i] = static_cast<uint8_t>(0x80 | (code_point & 0x3F));
  at[0] = static_cast<uint8_t>(size == 1 ? code_point : (0xF00 >> size & 0xFF) | code_point);
}

constexpr uint32_t encoded_size(uint32_t code_point) {
  return code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
}

// The letter that a letter and a mark are; 0 if there is none.
uint32_t composed(uint32_t letter, uint32_t mark) {
  // Korean syllables are numbered by their first consonant, their vowel and their last consonant, which may be missing.
  constexpr uint32_t SYLLABLES = 0xAC00, FIRST = 0x1100, VOWEL = 0x1161, LAST = 0x11A7;
  constexpr uint32_t FIRSTS = 19, VOWELS = 21, LASTS = 28;
  if (letter - FIRST < FIRSTS && mark - VOWEL < VOWELS) {
    return SYLLABLES + ((letter - FIRST) * VOWELS + mark - VOWEL) * LASTS;
  }
  if (letter - SYLLABLES < FIRSTS * VOWELS * LASTS && mark > LAST && mark < LAST + LASTS) {
    return (letter - SYLLABLES) % LASTS == 0 ? letter + mark - LAST : 0;
  }
  const auto before = [](const unicode::Composition& a, const unicode::Composition& b) {
    return a.letter != b.letter ? a.letter < b.letter : a.mark < b.mark;
  };
  const unicode::Composition* found =
      std::lower_bound(std::begin(unicode::COMPOSITIONS), std::end(unicode::COMPOSITIONS),
                       unicode::Composition{letter, mark, 0}, before);
  const bool is_there = found != std::end(unicode::COMPOSITIONS) && found->letter == letter && found->mark == mark;
  return is_there ? found->composed : 0;
}

// 0 for a character that is no mark.
uint8_t combining_class(const Character& character) {
  if (!character.valid || character.code_point < 0x300) return 0;
  const auto after = [](uint32_t code_point, const unicode::Run& run) { return code_point < run.start; };
  return std::upper_bound(std::begin(unicode::COMBINING), std::end(unicode::COMBINING), character.code_point, after)[-1]
      .value;
}

}  // namespace

void write_small(uint8_t* word, const uint8_t* end) {
  for (uint8_t* at = word; at < end;) {
    const Character character = decode(at, end);
    const uint32_t small = small_of(character);
    if (small > IS_SMALL) encode(at, small, character.size);
    at += character.size;
  }
}

uint8_t* compose(uint8_t* word, const uint8_t* end, uint8_t* places) {
  uint8_t *last = word, *to = word;  // the last character that is no mark, and where the next one goes
  Character letter{};
  uint8_t between = 0;  // the highest combining class of the marks that stand by themselves behind the letter
  for (const uint8_t* at = word; at < end;) {
    const Character read = decode(at, end);
    const uint32_t plain = without_style(read);
    const Character next = plain != 0 ? Character{plain, 1, true} : read;
    const uint8_t own = combining_class(next);
    const bool joins = between == 0 || (between < own && class_of(next) == unicode::COMPOSING);
    const uint32_t one = letter.valid && next.valid && joins ? composed(letter.code_point, next.code_point) : 0;
    if (one != 0) {
      const uint32_t size = encoded_size(one);
      const size_t begin = static_cast<size_t>(last - word), behind = static_cast<size_t>(to - last) - letter.size;
      std::memmove(last + size, last + letter.size, behind);
      encode(last, one, size);
      if (places != nullptr) {
        std::memmove(places + begin + size, places + begin + letter.size, behind);
        std::memset(places + begin, places[begin], size);
      }
      to = last + size + behind;
      letter = {one, size, true};
    } else {
      if (places != nullptr) {
        for (uint32_t i = 0; i < next.size; ++i) places[to - word + i] = static_cast<uint8_t>(at - word + i);
      }
      if (plain != 0) {
        *to = static_cast<uint8_t>(plain);
      } else {
        std::memmove(to, at, next.size);
      }
      if (own == 0) {
        letter = next, last = to, between = 0;
      } else {
        between = std::max(between, own);
      }
      to += next.size;
    }
    at += read.size;
  }
  return to;
}

Character decode_rare(const uint8_t* at, const uint8_t* end) {
  const uint32_t first = *at;
  const Character invalid{first, 1, false};
  uint32_t size, code_point, least;
  if (first >= 0xC2 && first < 0xE0) {
    size = 2, code_point = first & 0x1F, least = 0x80;
  } else if (first >= 0xE0 && first < 0xF0) {
    size = 3, code_point = first & 0x0F, least = 0x800;
  } else if (first >= 0xF0 && first < 0xF5) {
    size = 4, code_point = first & 0x07, least = 0x10000;
  } else {
    return invalid;
  }
  if (static_cast<size_t>(end - at) < size) return invalid;
  for (uint32_t i = 1; i < size; ++i) {
    if ((at[i] & 0xC0) != 0x80) return invalid;
    code_point = code_point << 6 | (at[i] & 0x3F);
  }
  if (code_point < least || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) return invalid;
  return {code_point, size, true};
}

}  // namespace unilid
