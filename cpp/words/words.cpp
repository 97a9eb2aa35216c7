#include "words/words.h"

#include <algorithm>

#include "words/markup.h"

namespace unilid {

namespace {

// The kinds of bytes in a run of visible ASCII, as bits. AROUND: punctuation that does not count at the ends of a run.
// ODD: a sign that only noise has. OPENS: a sign that may begin a tag, an entity or, behind it, the address of a link.
constexpr uint8_t END_OF_RUN = 0x80, AROUND = 0x40, OPENS = 0x20, SMALL = 1, CAPITAL = 2, DIGIT = 4, DOT = 8, ODD = 16;

struct AsciiKinds {
  uint8_t of[256];
  constexpr AsciiKinds() : of() {
    for (int c = 0; c < 256; ++c) of[c] = c > ' ' && c <= '~' ? 0 : END_OF_RUN;
    for (int c = 'a'; c <= 'z'; ++c) of[c] = SMALL;
    for (int c = 'A'; c <= 'Z'; ++c) of[c] = CAPITAL;
    for (int c = '0'; c <= '9'; ++c) of[c] = DIGIT;
    for (const char c : {'@', '/', '_', '\\'}) of[static_cast<int>(c)] = ODD;
    for (const char c : NOISE_AROUND) of[static_cast<int>(c)] = AROUND;
    of[static_cast<int>('.')] = AROUND | DOT;
    of[static_cast<int>('<')] = of[static_cast<int>(']')] = AROUND | OPENS;
    of[static_cast<int>('&')] = OPENS;
  }
};

constexpr AsciiKinds ASCII_KINDS;

}  // namespace

void WordReader::begin_line(const uint8_t* start) {
  if (start < tag_end_) return;  // the line begins behind the tag
  const std::string_view line = line_at(text(), place(start));
  const size_t prefix = log_prefix(line);
  behind_code_ = prefix == 0 && is_code(text(), line, behind_code_);
  in_code_ = prefix > 0 || behind_code_;
  line_end_ = start + (prefix > 0 ? prefix : line.size());  // the message of a log is looked at as a line of its own
  // What follows a part of a line without a newline is looked at as a line of its own.
  line_simple_ = line_end_ < end_ && *line_end_ != '\n' ? line_end_ : end_;
  if (!in_code_) return;  // a run goes on in the next part of a line, so that each of its bytes is read once
  run_end_ = start;
  look_end_ = line_end_;
  code_ = CodeReader(prefix > 0 ? std::string_view() : line);
  piece_end_ = prefix > 0 ? line_end_ : start;
}

// One pass over the bytes tells whether noise_of can find something at all; only then it is called.
void WordReader::find_run(const uint8_t* start) {
  if (start < tag_end_) {
    run_end_ = tag_end_;
    run_noise_ = Reason::MARKUP;
    return;
  }
  const uint8_t* limit = end_;
  if (in_code_ && start < line_end_) {
    while (piece_end_ <= start && code_.next()) piece_end_ += code_.content().size();
    if (!code_.is_text()) {
      run_end_ = piece_end_;
      run_noise_ = Reason::CODE;
      return;
    }
    limit = piece_end_;
  }
  const auto run_to = [start](const uint8_t* at) {
    return std::string_view(reinterpret_cast<const char*>(start), static_cast<size_t>(at - start));
  };
  const uint8_t* at = start;
  uint8_t kinds = 0, inside = 0;  // the kinds so far; those up to the last byte that is not AROUND
  bool is_address = false;        // an address goes on behind an entity, which stands for one of its signs, and "]("
  for (;; ++at) {
    uint8_t kind = END_OF_RUN;
    for (; at < limit && ((kind = ASCII_KINDS.of[*at]) & (END_OF_RUN | OPENS)) == 0; ++at) {
      kinds |= kind;
      if ((kind & AROUND) == 0) inside = kinds;
    }
    if (at == limit || kind == END_OF_RUN) break;
    const bool is_link = *at == ']' && limit - at > 1 && at[1] == '(';  // in Markdown, whose text ends here
    const bool is_entity = *at == '&';
    const size_t end = is_link || (is_entity && is_address) ? 0 : markup_end(text(), place(at));
    if (!is_address && (is_link || (is_entity && end > 0))) is_address = noise_of(run_to(at)) == Reason::ADDRESS;
    if (is_link && !is_address) {
      ++at;
      break;
    }
    if (end > 0 && !(is_entity && is_address)) {
      tag_end_ = begin_ + end;
      look_end_ = std::max(look_end_, tag_end_);
      break;
    }
    kinds |= kind;
    if ((kind & AROUND) == 0) inside = kinds;
  }
  if (at == start && start < tag_end_) return find_run(start);  // the run is the tag
  run_end_ = at;
  run_noise_ = Reason::NONE;
  const bool letters = (inside & (SMALL | CAPITAL)) != 0, both = (inside & SMALL) != 0 && (inside & CAPITAL) != 0;
  if ((inside & ODD) != 0 || (letters && (inside & (DIGIT | DOT)) != 0) || (both && at - start >= SHORTEST_CAMEL)) {
    run_noise_ = noise_of(run_to(at));
  }
}

namespace {

// The first byte at or after `at` that is no ASCII letter.
const uint8_t* after_ascii_letters(const uint8_t* at, const uint8_t* end) {
  while (end - at >= 8) {
    const size_t letters = ascii_letters(at);
    at += letters;
    if (letters < 8) return at;
  }
  while (at < end && static_cast<uint8_t>((*at | 0x20) - 'a') < 26) ++at;
  return at;
}

size_t characters_in(const uint8_t* at, const uint8_t* end) {
  size_t count = 0;
  for (; at < end; at += decode(at, end).size) ++count;
  return count;
}

}  // namespace

bool WordReader::parts_signs(const uint8_t* start, const uint8_t* at) {
  const bool is_inside = at < markup_end_;
  if (!is_inside && (*at == '<' || *at == '&')) {
    const size_t end = markup_end(text(), place(at));
    if (end > 0) {
      markup_end_ = begin_ + end;
      return true;
    }
  }
  return at == markup_end_ || (at - start >= 2 && at[-2] == ']' && at[-1] == '(');
}

bool WordReader::next_any(Word& word, uint8_t* buffer) {
  const uint8_t* at = at_;
  bool space = at == begin_;  // as if a space stood before the text
  if (at < end_ && *at == ' ') ++at, space = true;
  Character character;
  uint8_t kind;
  for (;; at += character.size, space = true) {
    if (at >= end_) return false;
    character = decode(at, end_);
    kind = class_of(character);
    if (kind != unicode::SPACE) break;
  }

  const uint8_t* const start = at;
  const uint8_t* const limit = this->limit(start);
  bool capital = small_of(character) > IS_SMALL;
  // A run that begins with a mark, or with a letter that several scripts share, takes the script of its first letter
  // that has one.
  uint8_t run = kind == unicode::MARK || kind == unicode::COMPOSING ? unicode::LETTER : kind;
  bool more = false, letters = kind >= unicode::LETTER, composes = is_styled(character);
  size_t characters = 1, marks = 0;
  if (run == unicode::SIGN) parts_signs(start, start);
  for (at += character.size;;) {
    if (run == LATIN) {
      const uint8_t* before = at;
      at = after_ascii_letters(at, limit);
      characters += static_cast<size_t>(at - before);
      if (at < limit && *at < 0x80) break;
    }
    if (run >= unicode::FIRST_SCRIPT) at = after_letters(at, limit, run, characters);
    if (at == end_) break;
    character = decode(at, end_);
    kind = class_of(character);
    more = kind >= unicode::MARK;
    const bool common_letter = kind == unicode::LETTER && run >= unicode::LETTER;
    const bool first_of_a_script = kind >= unicode::FIRST_SCRIPT && run == unicode::LETTER;
    const bool is_mark = kind == unicode::MARK || kind == unicode::COMPOSING;
    if (kind != run && !is_mark && !common_letter && !first_of_a_script) break;
    if (static_cast<size_t>(limit - at) < character.size) break;
    if (run == unicode::SIGN && parts_signs(start, at)) break;
    more = false;
    if (first_of_a_script) run = kind;
    letters |= kind >= unicode::LETTER;
    composes |= kind == unicode::COMPOSING || is_styled(character);
    ++characters, marks += is_mark;
    at += character.size;
  }

  const bool of_letters = run >= unicode::LETTER;
  word.spaced = space;
  space |= letters && !joins_;
  word.cut_left = !word.spaced & letters_ & of_letters;
  word.cut_right = of_letters & more;
  word.kind = letters ? unicode::LETTER : of_letters ? unicode::SIGN : run;  // marks alone are signs
  word.letters = characters;
  word.script = letters ? run : word.kind;
  const bool is_one_sign = run == unicode::SIGN && characters - marks == 1;
  word.inner = is_one_sign && !space && letters_ && at < end_ && class_of(decode(at, end_)) >= unicode::LETTER;
  word.begin = static_cast<size_t>(start - begin_);
  word.end = static_cast<size_t>(at - begin_);
  word.size = static_cast<size_t>(at - start) + space;
  word.noise = Reason::NONE;
  if (start >= line_end_) begin_line(start);
  const bool is_new = start >= run_end_, is_ascii = *start < 0x80;
  const bool is_whole = characters < static_cast<size_t>(at - start) || at == end_ || *at <= ' ' || *at > '~';
  const bool is_plain = run == LATIN && is_whole && at - start < SHORTEST_CAMEL;
  if (is_new && ((is_ascii && !is_plain) || start < look_end_)) find_run(start);
  if (start < run_end_) word.noise = run_noise_;
  word.bytes = start - space;
  const auto copy = [&] {
    buffer[0] = ' ';
    std::memcpy(buffer + space, start, static_cast<size_t>(at - start));
    word.bytes = buffer;
  };
  composes |= HAS_HALVES[run] && has_halves(start, at);
  if (composes) {
    copy();
    word.size = static_cast<size_t>(compose(buffer + space, buffer + word.size) - buffer);
    word.letters = characters_in(buffer + space, buffer + word.size);
    capital = small_of(decode(buffer + space, buffer + word.size)) > IS_SMALL;
  }
  const bool in_capitals = capital && is_in_capitals(word.bytes + space, word.bytes + word.size);
  const bool in_place = !space || (start > begin_ && start[-1] == ' ');
  if (!composes && (!in_place || in_capitals || rest(start) < PADDED)) copy();
  if (in_capitals) write_small(buffer + space, buffer + word.size);
  at_ = at;
  letters_ = of_letters;
  const bool in_markup = word.noise == Reason::MARKUP;
  if (run == unicode::SIGN) {
    joins_ &= !word.spaced && (in_markup ? *start != '<' : is_one_sign);  // an entity stands for a sign
  } else if (!in_markup) {
    joins_ = true;
  }
  simple_end_ = at < look_end_ || at >= line_end_ ? begin_ : line_simple_;
  return true;
}

}  // namespace unilid
