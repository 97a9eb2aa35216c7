#include "noise.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "words.h"

namespace unilid {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }
bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
char small(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
bool is_hexadecimal(char c) { return is_digit(c) || (small(c) >= 'a' && small(c) <= 'f'); }

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

}  // namespace

Reason noise_of(std::string_view run) {
  constexpr std::string_view AROUND = "()[]{}<>\"'`,;!?.:*|";
  const size_t first = run.find_first_not_of(AROUND);
  if (first == std::string_view::npos) return Reason::NONE;
  run = run.substr(first, run.find_last_not_of(AROUND) - first + 1);

  if (run.find("://") != std::string_view::npos || begins_with_small(run, "www.") || is_domain(run) ||
      (run.front() == '/' && run.size() > 1 && is_alphanumeric(run[1])) ||
      (run.size() > 2 && is_letter(run[0]) && run[1] == ':' && run[2] == '\\')) {
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
                          (capitals >= 3 && letters + digits >= 12);
  return identifier ? Reason::IDENTIFIER : Reason::NONE;
}

namespace {

// A quick look at the bytes: every garbled text has one that begins a Latin-1 character or a replacement character, is
// part of none, or three that begin a capital R or S in Cyrillic.
bool may_be_garbled(std::string_view text) {
  constexpr size_t BLOCK = 64;  // counts of a block fit into a byte, so that a vector holds many
  uint8_t block[BLOCK + 1] = {};
  uint32_t signs = 0, leads = 0, announced = 0, following = 0;
  for (size_t at = 0; at < text.size(); at += BLOCK) {
    const size_t size = text.size() - at < BLOCK ? text.size() - at : BLOCK;
    block[0] = at == 0 ? 0 : static_cast<uint8_t>(text[at - 1]);
    std::memcpy(block + 1, text.data() + at, size);
    std::memset(block + 1 + size, 0, BLOCK - size);
    uint8_t s = 0, l = 0, a = 0, f = 0;
    for (size_t i = 1; i <= BLOCK; ++i) {
      const uint8_t c = block[i];
      const uint8_t latin = c >= 0xC0 ? c <= 0xC3 : 0, other = c == 0xEF ? 1 : c >= 0xF5;
      const uint8_t capital = (c & 0xFE) == 0xA0;
      s = static_cast<uint8_t>(s + latin + other);
      l = static_cast<uint8_t>(l + (block[i - 1] == 0xD0 ? capital : 0));
      a = static_cast<uint8_t>(a + (c >= 0xC0) + (c >= 0xE0) + (c >= 0xF0));
      f = static_cast<uint8_t>(f + ((c & 0xC0) == 0x80));
    }
    signs += s, leads += l, announced += a, following += f;
  }
  return signs > 0 || leads >= 3 || announced != following;
}

}  // namespace

bool garbled(std::string_view text) {
  // Windows-1252 puts these, from other places of Unicode, where Latin-1 has control characters.
  static constexpr uint32_t SPECIALS[] = {0x152,  0x153,  0x160,  0x161,  0x178,  0x17D,  0x17E,  0x192,  0x2C6,
                                          0x2DC,  0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E,
                                          0x2020, 0x2021, 0x2022, 0x2026, 0x2030, 0x2039, 0x203A, 0x20AC, 0x2122};
  if (!may_be_garbled(text)) return false;
  size_t characters = 0, high = 0, signs = 0, pairs = 0, invalid = 0;
  bool after_high = false, after_lead = false;  // a capital R or S
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
  // Letters alone may be a short word of a northern language.
  const bool latin = high >= 4 && 10 * high >= 6 * characters && (4 * signs >= high || high >= 10);
  const bool binary = invalid >= 4 && 10 * invalid >= 4 * characters;
  return latin || binary || (pairs >= 3 && 10 * pairs >= 4 * characters);
}

}  // namespace unilid
