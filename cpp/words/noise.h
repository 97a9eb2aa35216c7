// What is written but is no language: addresses, identifiers, markup (markup.h), code (code.h), and mojibake (text that
// was read in the wrong encoding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace unilid {

// Why a text has no linguistic content.
enum class Reason : uint8_t {
  NONE = 0,
  EMPTY,
  DIGITS,
  SIGNS,
  EMOJI,
  ADDRESS,  // URLs, domains, paths
  EMAIL,
  IDENTIFIER,  // hashes, serial numbers, user names, base64
  MARKUP,      // tags and entities
  CODE,        // also JSON, SQL and logs
  MOJIBAKE,    // also bytes that are no UTF-8
};

// The names of reasons, as users see them.
constexpr std::pair<Reason, const char*> REASON_NAMES[] = {
    {Reason::EMPTY, "empty"},           {Reason::DIGITS, "digits"},   {Reason::SIGNS, "signs"},
    {Reason::EMOJI, "emoji"},           {Reason::ADDRESS, "address"}, {Reason::EMAIL, "e-mail"},
    {Reason::IDENTIFIER, "identifier"}, {Reason::MARKUP, "markup"},   {Reason::CODE, "code"},
    {Reason::MOJIBAKE, "mojibake"},
};

// What a run of visible ASCII characters is if its letters are no words, and NONE otherwise.
//
// clang-format off
//   ADDRESS     contains "://", begins with "www.", "/" or "~/", has ":\" after its first letter, has two slashes or more
//               and then a dot and up to four letters or digits at its end, or is a domain name that ends in one of a few
//               well-known ways, perhaps with a path behind it
//   EMAIL       letters or digits around one '@', and a '.' behind it
//   IDENTIFIER  begins with '@'; or letters and digits change three times or more; or it has letters and no more of them
//               than digits; or eight or more hexadecimal digits of both kinds; or an underscore between letters or
//               digits; or twelve or more letters and digits in which a capital follows a small letter three times
// clang-format on
//
// Punctuation around the run does not count.
Reason noise_of(std::string_view run);
constexpr std::string_view NOISE_AROUND = "()[]{}<>\"'`,;!?.:*|";
// Letters and digits that an identifier has at least if only the capitals inside it tell. Shorter ones may be names.
constexpr int SHORTEST_CAMEL = 12;

// Why a text without linguistic words is no language: the most telling reason that one of its words gives.
Reason reason_without_letters(std::string_view text);

// Whether most of a text is mojibake:
//
// - UTF-8 or an 8-bit encoding that was read as Latin-1 or Windows-1252. The text consists of letters of Latin-1 beyond
//   ASCII and of the signs that follow them. In a language that really uses these letters, they are fewer than six of
//   ten characters.
// - Cyrillic UTF-8 that was read as Windows-1251. At every second place it has a capital Er or Es (U+0420, U+0421), the
//   two lead bytes of Cyrillic letters. No Cyrillic text does.
// - Burmese in Zawgyi, a font that has its own signs at the code points of others. Some of them stand where they cannot
//   stand in text: U+1039 without a consonant behind it, the vowel U+1031 and the medial U+103B at the beginning of a
//   syllable, U+103A with a vowel behind it. There are two of these or more, and a third as many as of U+103A
//   elsewhere; or there is one, and no U+103A elsewhere; and half of the characters are of this script. Mon, Shan,
//   Karen and Pa'o have none.
// - UTF-16 that was read as an 8-bit encoding. A third of its bytes or more are NUL, one of the first eight among them.
// - Binary data. Four of ten characters are no UTF-8, which is more than in text in an 8-bit encoding of Latin letters.
//
// The text has at most MOJIBAKE_SAMPLE bytes; of a longer one, the caller gives the beginning.
bool is_mojibake(std::string_view text);
// Bytes: 512 are some hundred characters, enough for the shares above, and little beside the time that scoring takes.
constexpr size_t MOJIBAKE_SAMPLE = 512;

}  // namespace unilid
