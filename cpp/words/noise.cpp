#include "words/noise.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "words/ascii.h"
#include "words/bytes.h"
#include "words/words.h"

namespace unilid {

namespace {

// The ends of domain names and file names by which an address is told without a scheme. Only a few common ones, because
// with each of them a word behind a full stop without a space may be taken for an address.
constexpr std::string_view DOMAINS[] = {"com", "org", "net", "edu", "gov", "info", "io",  "eu",   "uk",  "ru",
                                        "cn",  "jp",  "kr",  "app", "dev", "xyz",  "pdf", "html", "htm", "php"};

bool begins_with_small(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return a == small(b); });
}

bool is_domain(std::string_view run) {
  const size_t end = std::min(run.find_first_of("/:?#"), run.size());
  const std::string_view host = run.substr(0, end);
  const size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || host.find("..") != std::string_view::npos) return false;
  if (!std::all_of(host.begin(), host.end(), [](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; })) {
    return false;
  }
  const std::string_view last = host.substr(dot + 1);
  return std::any_of(std::begin(DOMAINS), std::end(DOMAINS), [&](std::string_view known) { return last == known; });
}

// Whether a run has two slashes or more, and behind the last one a dot and one to four letters or digits.
bool is_path(std::string_view run) {
  const size_t slash = run.find_last_of("/\\"), dot = run.rfind('.');
  if (slash == std::string_view::npos || dot == std::string_view::npos || dot < slash + 2) return false;
  const std::string_view end = run.substr(dot + 1);
  return run.find_first_of("/\\") < slash && !end.empty() && end.size() <= 4 &&
         std::all_of(end.begin(), end.end(), is_alphanumeric);
}

}  // namespace

Reason noise_of(std::string_view run) {
  const size_t first = run.find_first_not_of(NOISE_AROUND);
  if (first == std::string_view::npos) return Reason::NONE;
  run = run.substr(first, run.find_last_not_of(NOISE_AROUND) - first + 1);

  if (run.find("://") != std::string_view::npos || begins_with_small(run, "www.") || is_domain(run) ||
      (run.front() == '/' && run.size() > 1 && is_alphanumeric(run[1])) ||
      (run.size() > 2 && is_letter(run[0]) && run[1] == ':' && run[2] == '\\') || run.starts_with("~/") ||
      is_path(run)) {
    return Reason::ADDRESS;
  }
  const size_t at = run.find('@');
  if (at == 0) return run.size() > 1 && is_alphanumeric(run[1]) ? Reason::IDENTIFIER : Reason::NONE;
  if (at != std::string_view::npos && is_alphanumeric(run[at - 1]) && run.find('@', at + 1) == std::string_view::npos &&
      run.find('.', at + 1) != std::string_view::npos) {
    return Reason::EMAIL;
  }
  size_t letters = 0, digits = 0, changes = 0, capitals = 0;
  bool hexadecimal = true, underscore = false;
  char before = 0;  // the letter or digit before
  for (size_t i = 0; i < run.size(); ++i) {
    const char c = run[i];
    if (!is_alphanumeric(c)) {
      underscore |= c == '_' && i > 0 && i + 1 < run.size() && is_alphanumeric(run[i - 1]);
      hexadecimal &= c == '-';
      continue;
    }
    is_digit(c) ? ++digits : ++letters;
    hexadecimal &= is_hexadecimal(c);
    changes += before != 0 && is_digit(c) != is_digit(before);
    capitals += i > 0 && is_upper(c) && is_lower(run[i - 1]);
    before = c;
  }
  if (letters == 0) return Reason::NONE;
  const bool identifier = changes >= 3 || digits >= letters || underscore ||
                          (hexadecimal && digits > 0 && letters + digits >= 8) ||
                          (capitals >= 3 && letters + digits >= SHORTEST_CAMEL);
  return identifier ? Reason::IDENTIFIER : Reason::NONE;
}

namespace {

Reason reason_of_signs(const Word& word) {
  Reason reason = Reason::SIGNS;
  const uint8_t *at = word.bytes, *end = word.bytes + word.size;
  for (Character character; at < end; at += character.size) {
    character = decode(at, end);
    const uint32_t c = character.code_point;
    if (!character.valid || c == 0xFFFD) return Reason::MOJIBAKE;
    if (c >= 0x1F000 || (c >= 0x2600 && c < 0x27C0)) reason = Reason::EMOJI;
  }
  return reason;
}

}  // namespace

Reason reason_without_letters(std::string_view text) {
  // Reasons are numbered by how telling they are, but for two: digits tell more than signs.
  const auto weight = [](Reason r) { return r == Reason::SIGNS ? 1 : r == Reason::DIGITS ? 2 : static_cast<int>(r); };
  Reason reason = Reason::EMPTY;
  WordReader reader(text);
  for (Word word; reader.next(word);) {
    const Reason of_word = word.noise != Reason::NONE    ? word.noise
                           : word.kind == unicode::DIGIT ? Reason::DIGITS
                                                         : reason_of_signs(word);
    if (weight(of_word) > weight(reason) || reason == Reason::EMPTY) reason = of_word;
  }
  return reason;
}

namespace {

// A quick test of the bytes that no mojibake fails. There are at least two bytes beyond ASCII for three visible ASCII
// characters. And there is a byte that leads a character of Latin-1 (C0 to C3) or may lead a replacement character
// (EF), or a byte that is part of no character, or there are three capitals Er or Es in Cyrillic, or there is a letter
// of Burmese (E1 80).
bool may_be_mojibake(std::string_view text) {
  constexpr size_t VECTOR = 16;                           // bytes that any machine handles at once
  uint8_t bytes[VECTOR + MOJIBAKE_SAMPLE + VECTOR] = {};  // zeros around the text are of no kind
  uint8_t* begin = bytes + VECTOR;
  std::memcpy(begin, text.data(), text.size());
  const size_t size = (text.size() + VECTOR - 1) / VECTOR * VECTOR;
  const auto count = [&](auto&& is) { return count_bytes(begin, size, is); };

  const uint32_t ascii = count([](const uint8_t* c) { return static_cast<int8_t>(*c) > ' '; });
  const uint32_t beyond = count([](const uint8_t* c) { return *c >= 0x80; });
  if (3 * beyond < 2 * ascii) return false;
  // In UTF-8, lead bytes from C0, E0 and F0 on demand one, two and three continuation bytes.
  const uint32_t continuation = count([](const uint8_t* c) { return (*c & 0xC0) == 0x80; });
  const uint32_t demand = beyond - continuation + count([](const uint8_t* c) { return *c >= 0xE0; }) +
                          count([](const uint8_t* c) { return *c >= 0xF0; });
  return demand != continuation || count([](const uint8_t* c) { return (*c & 0xFC) == 0xC0; }) > 0 ||
         count([](const uint8_t* c) { return *c == 0xEF; }) > 0 ||
         count([](const uint8_t* c) { return *c >= 0xF5; }) > 0 ||
         count([](const uint8_t* c) { return ((c[-1] ^ 0xD0) | ((*c ^ 0xA0) & 0xFE)) == 0; }) >= 3 ||
         count([](const uint8_t* c) { return ((c[-1] ^ 0xE1) | (*c ^ 0x80)) == 0; }) > 0;
}

bool is_zawgyi(std::string_view text) {
  const auto is_vowel = [](uint32_t c) { return (c >= 0x102B && c <= 0x1030) || c == 0x1032; };
  const auto is_of_syllable = [](uint32_t c) { return (c >= 0x1000 && c < 0x1040) || (c >= 0x1050 && c < 0x10A0); };
  const uint8_t* at = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* end = at + text.size();
  size_t misplaced = 0, others = 0;
  for (uint32_t before = 0, c = 0, next; at < end || c != 0; before = c, c = next) {
    next = 0;
    if (at < end) {
      const Character character = decode(at, end);
      next = character.code_point;
      at += character.size;
    }
    if (c == 0x1039) misplaced += !((next >= 0x1000 && next <= 0x1021) || (next >= 0x1050 && next < 0x1090));
    if (c == 0x1031 || c == 0x103B) {
      misplaced += !is_of_syllable(before) || is_vowel(before) || (before >= 0x1036 && before <= 0x1039);
    }
    if (c == 0x103A) (is_vowel(next) && next != 0x102F && next != 0x1030 ? misplaced : others) += 1;
  }
  return misplaced >= 2 ? 3 * misplaced >= others : misplaced == 1 && others == 0;
}

}  // namespace

bool is_mojibake(std::string_view text) {
  // The characters that Windows-1252 has where Latin-1 has control characters.
  static constexpr uint32_t SPECIALS[] = {0x152,  0x153,  0x160,  0x161,  0x178,  0x17D,  0x17E,  0x192,  0x2C6,
                                          0x2DC,  0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E,
                                          0x2020, 0x2021, 0x2022, 0x2026, 0x2030, 0x2039, 0x203A, 0x20AC, 0x2122};
  if (text.substr(0, 8).find('\0') != std::string_view::npos) {
    const auto nuls = static_cast<size_t>(std::count(text.begin(), text.end(), '\0'));
    if (nuls >= 2 && 3 * nuls >= text.size()) return true;
  }
  if (!may_be_mojibake(text)) return false;
  size_t characters = 0, high = 0, signs = 0, pairs = 0, invalid = 0, burmese = 0;
  bool after_high = false, after_lead = false;  // lead: a capital Er or Es
  const uint8_t* at = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* end = at + text.size();
  while (at < end) {
    const Character character = decode(at, end);
    at += character.size;
    const uint32_t c = character.code_point;
    if (c < 0x80 && character.valid) {
      characters += c > 0x20;
      after_high = after_lead = false;
      continue;
    }
    ++characters;
    invalid += !character.valid;
    burmese += c >= 0x1000 && c < 0x10A0;
    const bool letter = c >= 0xC0 && c <= 0xFF, control = c < 0xA0 || c == 0xFFFD || !character.valid;
    const bool may_be_special = c <= 0x2DC || (c >= 0x2013 && c <= 0x2122);
    const bool sign = c <= 0xFF || (may_be_special && std::binary_search(std::begin(SPECIALS), std::end(SPECIALS), c));
    signs += control || (sign && !letter && after_high);
    after_high = letter || control || (sign && after_high);
    high += after_high;
    const bool lead = c == 0x420 || c == 0x421;
    pairs += after_lead && !lead;
    after_lead = lead;
  }
  // Letters without signs may be a short word of a language such as Icelandic: then ten of them are needed, not four.
  const bool latin = high >= 4 && 10 * high >= 6 * characters && (4 * signs >= high || high >= 10);
  const bool binary = invalid >= 4 && 10 * invalid >= 4 * characters;
  return latin || binary || (pairs >= 3 && 10 * pairs >= 4 * characters) ||
         (2 * burmese >= characters && is_zawgyi(text));
}

}  // namespace unilid
