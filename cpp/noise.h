// What is written but is no language: addresses, identifiers, text in the wrong encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace unilid {

// Why a text has nothing linguistic in it. The Python side has the names (answers.py).
enum class Reason : uint8_t {
  NONE = 0,
  EMPTY,
  DIGITS,
  SIGNS,
  EMOJI,
  ADDRESS,  // URLs, domains, paths
  EMAIL,
  IDENTIFIER,  // hashes, serial numbers, user names, base64
  GARBLED,     // mojibake, bytes that are no UTF-8
};

// What a run of visible ASCII characters is, if its letters are no words; NONE for everything else.
//
// clang-format off
//   ADDRESS     contains "://", begins with "www." or "/", has ":\" after its first letter, or is a domain name that ends
//               in one of a few well-known ways, perhaps with a path behind it
//   EMAIL       letters or digits around one '@', and a '.' behind it
//   IDENTIFIER  begins with '@'; or letters and digits change three times or more; or it has letters and no more of them
//               than digits; or eight or more hexadecimal digits of both kinds; or an underscore between letters or
//               digits; or twelve or more letters and digits in which a capital follows a small letter three times
// clang-format on
//
// Punctuation around the run does not count.
Reason noise_of(std::string_view run);
constexpr std::string_view NOISE_AROUND = "()[]{}<>\"'`,;!?.:*|";
constexpr int SHORTEST_CAMEL = 12;  // letters and digits of an identifier that only its capitals tell

// Whether most of a text is what remains of UTF-8 or an 8-bit encoding that was read as Latin-1 or Windows-1252, or of
// Cyrillic UTF-8 that was read as Windows-1251. In every language that uses the letters of Latin-1 beyond ASCII, they
// and the signs that follow them are fewer than six of ten characters; no Cyrillic text has a capital R or S at every
// second place; and where four of ten characters are no UTF-8, it is no text in an 8-bit encoding of Latin letters
// either, but binary data.
//
// Of the beginning of a text, GARBLED_SAMPLE bytes at most: enough to tell.
bool garbled(std::string_view text);
constexpr size_t GARBLED_SAMPLE = 512;

}  // namespace unilid
