// Lines of code, of data (JSON) and of logs, whose words are no text.
//
// A line is cut into literals ("...", '...', `...`), comments (// ..., /* ... */, # ...), markup (tags, entities, and
// addresses from "://" or "www." on) and code. The code of the line, in which a literal is written as one quotation
// mark and markup as a space, gets points for the signs by which code is told:
//
// clang-format off
//   1  it ends in ";", "{", "}", or in "):" behind a call         1  it ends in "{" (a second one)
//   1  a call: a letter or digit and "("                          1  = -> :: && || ++ ("=" with a space before it, or a
//                                                                    letter, digit or literal behind it; not "=)")
//   1  camelCase, snake_case, $name or dotted.name                1  "{" with one of ; : = ( or a literal behind it
//   1  ": " and a literal                                         1  it begins with "import" and a name
//   1  an option of a command, " -a" or " --all"                  1  and then " | " or " > "
//   2  a key of JSON: a literal and ":" behind one of { [ ,       2  nothing but a call of () or of a literal
//   2  "] ", a literal and a number, as servers log requests      2  it begins with "#include" and the like
//   1  it begins with a keyword, if there is another of these signs or the line before is code
//   2  it begins as a statement of SQL or "from ... import"
// clang-format on
//
// The line is code if it has two points or more, and not more plain words in a row than points (but for statements).
// With one point and at most two plain words in a row it is code beside another such line, or behind code. Behind code,
// a line of ASCII with one word or none is code, too. A line is no code if its code has a letter beyond ASCII, or ends
// in ".", "?" or "!".
//
// So that prose costs no time, all this is for lines that have one of { } = _ | or a "(" with no space before it, end
// in
// ";", or begin with "#", with a literal that is a key, with a digit if they have a request, with a keyword or as SQL
// does, and for those behind code.
//
// In a line of code, literals and comments are text if they have two words with a space between, or letters beyond
// ASCII; but keys of JSON and requests of HTTP are not. In a line of a log, what stands before the message is no text:
// a date, a time, and what has digits, brackets or a colon, if a level (ERROR) is among it; or what syslog writes.
#pragma once

#include <cstddef>
#include <string_view>

namespace unilid {

// A line of code is read piece by piece.
class CodeReader {
 public:
  enum class Piece { CODE, LITERAL, COMMENT, MARKUP };

  CodeReader() = default;
  explicit CodeReader(std::string_view line) : line_(line) {}

  // False at the end of the line.
  bool next();

  Piece piece() const { return piece_; }
  std::string_view content() const { return line_.substr(begin_, end_ - begin_); }
  // Whether the piece is a text, and no code.
  bool is_text() const;

 private:
  // Where the literal, the comment or the markup ends that begins at `at`, or 0.
  size_t special_end(size_t at);
  size_t closing(size_t at);

  std::string_view line_;
  size_t begin_ = 0, end_ = 0;
  size_t next_end_ = 0;  // where the special piece ends that begins at end_, if it is known
  Piece piece_ = Piece::CODE, next_piece_ = Piece::CODE;
  bool unclosed_[3] = {};  // for each kind of quotation mark: whether none is left that could close a literal
};

// The line that begins at `begin`, or as much of it as is looked at: a longer line is looked at in parts.
std::string_view line_at(std::string_view text, size_t begin);
constexpr size_t MAX_CODE_LINE = 1000;  // bytes

// Whether a line of the text is code. `behind_code`: whether the line before is.
bool is_code(std::string_view text, std::string_view line, bool behind_code);

// How many bytes stand before the message in a line of a log, which is not empty; none if it is no line of a log.
size_t log_prefix(std::string_view line);

}  // namespace unilid
