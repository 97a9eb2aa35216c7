// Characters of ASCII. Unlike those of <cctype>, these do not depend on the locale.
#pragma once

namespace unilid {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }
constexpr bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
constexpr char small(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
constexpr bool is_hexadecimal(char c) { return is_digit(c) || (small(c) >= 'a' && small(c) <= 'f'); }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

}  // namespace unilid
