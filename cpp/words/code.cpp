#include "words/code.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "words/ascii.h"
#include "words/bytes.h"
#include "words/markup.h"

namespace unilid {

namespace {

constexpr size_t NONE = std::string_view::npos;

constexpr std::string_view KEYWORDS[] = {
    "async",  "case",   "catch",     "cd",      "class", "const",   "def",       "echo",   "elif",  "else",
    "enum",   "export", "fn",        "for",     "from",  "func",    "function",  "git",    "if",    "import",
    "int",    "let",    "namespace", "package", "print", "private", "protected", "public", "raise", "return",
    "static", "struct", "sudo",      "switch",  "throw", "try",     "using",     "var",    "void",  "while"};
constexpr std::string_view SQL[] = {"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER"};
constexpr std::string_view LEVELS[] = {"trace",   "debug", "info",     "notice", "warn",
                                       "warning", "error", "critical", "fatal",  "severe"};

bool is_of_name(char c) { return is_alphanumeric(c) || c == '_'; }
bool is_of_word(char c) { return is_alphanumeric(c) || is_beyond_ascii(c); }
bool is_any_letter(char c) { return is_letter(c) || is_beyond_ascii(c); }
bool is_one_of(char c, std::string_view some) { return some.find(c) != NONE; }

template <size_t N>
bool is_among(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

template <class Is>
size_t count_of(std::string_view text, size_t from, Is&& is) {
  size_t at = from;
  while (at < text.size() && is(text[at])) ++at;
  return at - from;
}

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

size_t CodeReader::closing(size_t at) {
  const char quote = line_[at];
  bool& unclosed = unclosed_[quote == '"' ? 0 : quote == '\'' ? 1 : 2];
  if (unclosed || (quote == '\'' && at > 0 && is_of_word(line_[at - 1]))) return 0;
  for (size_t i = at + 1; i < line_.size(); ++i) {
    if (line_[i] != quote) continue;
    const bool escaped = quote != '`' && line_[i - 1] == '\\';
    const bool inside = quote == '\'' && i + 1 < line_.size() && is_of_word(line_[i + 1]);
    if (!escaped && !inside) return i + 1;
  }
  unclosed = true;
  return 0;
}

size_t CodeReader::special_end(size_t at) {
  const auto is_at = [&](size_t i, char c) { return i < line_.size() && line_[i] == c; };
  switch (line_[at]) {
    case '"':
    case '\'':
    case '`':
      next_piece_ = Piece::LITERAL;
      return closing(at);
    case '<':
    case '&':
      next_piece_ = Piece::MARKUP;
      return markup_end(line_, at);
    case '#':
      next_piece_ = Piece::COMMENT;
      return (at == 0 || line_[at - 1] == ' ') && is_at(at + 1, ' ') ? line_.size() : 0;
    case ':':
    case 'w':
      next_piece_ = Piece::MARKUP;
      if (!line_.substr(at).starts_with(line_[at] == ':' ? "://" : "www.")) return 0;
      return std::min(line_.find_first_of(" \t\"'`<>()", at), line_.size());
    case '/':
      next_piece_ = Piece::COMMENT;
      if (is_at(at + 1, '/')) return line_.size();
      if (is_at(at + 1, '*')) return std::min(line_.find("*/", at + 2), line_.size() - 2) + 2;
      return 0;
    default:
      return 0;
  }
}

bool CodeReader::next() {
  begin_ = end_;
  if (begin_ == line_.size()) return false;
  size_t special = next_end_;
  next_end_ = 0;
  for (size_t at = begin_; special == 0 && at < line_.size(); ++at) {
    special = special_end(at);
    if (special == 0 || at == begin_) continue;
    next_end_ = special;
    piece_ = Piece::CODE;
    end_ = at;
    return true;
  }
  piece_ = special > 0 ? next_piece_ : Piece::CODE;
  end_ = special > 0 ? special : line_.size();
  return true;
}

bool CodeReader::is_text() const {
  if (piece_ != Piece::LITERAL && piece_ != Piece::COMMENT) return false;
  const std::string_view text = content();
  const bool is_key = piece_ == Piece::LITERAL && end_ < line_.size() && line_[end_] == ':';
  if (is_key || text.find(" HTTP/") != NONE) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_beyond_ascii(text[i])) return true;
    if (text[i] != ' ' || i == 0 || i + 1 == text.size() || !is_letter(text[i + 1])) continue;
    const size_t before = is_one_of(text[i - 1], ",.:;!?") && i > 1 ? i - 2 : i - 1;
    if (is_letter(text[before])) return true;
  }
  return false;
}

std::string_view line_at(std::string_view text, size_t begin) {
  const std::string_view line = text.substr(begin, MAX_CODE_LINE);
  return line.substr(0, line.find('\n'));
}

namespace {

// Whether the character at `c` is a sign that prose hardly has. The character before it may be read.
inline bool is_sign(const uint8_t* c) {
  const bool brace = static_cast<uint8_t>(*c - '{') <= '}' - '{';  // or '|', which is between the two
  const bool touches = static_cast<int8_t>(c[-1]) > ' ';
  return brace | (*c == '=') | (*c == '_') | ((*c == '(') & touches);
}

// Every line is asked this. Vectors of bytes are looked at, and the last bytes once more with those before them.
bool has_sign(std::string_view line) {
  constexpr size_t VECTOR = 16;              // bytes that any machine handles at once
  uint8_t padded[VECTOR + VECTOR + 1] = {};  // for a short line
  const uint8_t* begin = reinterpret_cast<const uint8_t*>(line.data()) + 1;
  size_t size = line.size() - 1;
  if (size < VECTOR) {
    std::copy(line.begin(), line.end(), padded + 1);
    begin = padded + 1, size = VECTOR;
  } else if (is_one_of(line[0], "{|}=_")) {
    return true;
  }
  return count_bytes(begin, size / VECTOR * VECTOR, is_sign) + count_bytes(begin + size - VECTOR, VECTOR, is_sign) > 0;
}

// Whether a line is to be looked at.
bool may_be_code(std::string_view line) {
  if (line.empty() || is_beyond_ascii(line[0])) return false;
  if (line[0] == '#' || stripped(line).ends_with(';') || has_sign(line)) return true;
  if (line[0] == '"') return line.find("\":") != NONE;
  if (is_digit(line[0])) return line.find("] \"") != NONE;
  const std::string_view first = line.substr(0, count_of(line, 0, is_of_name));
  if (is_lower(line[0])) return is_among(KEYWORDS, first);
  return is_among(SQL, first);
}

bool is_statement(std::string_view code) {
  const auto has = [&](std::string_view begin, std::string_view later) {
    return code.starts_with(begin) && code.find(later, begin.size()) != NONE;
  };
  if (has("SELECT ", " FROM ") || has("UPDATE ", " SET ")) return true;
  for (const std::string_view begin :
       {"INSERT INTO ", "DELETE FROM ", "CREATE TABLE ", "DROP TABLE ", "ALTER TABLE "}) {
    if (code.starts_with(begin)) return true;
  }
  if (!code.starts_with("from ")) return false;
  const size_t module = count_of(code, 5, [](char c) { return is_of_name(c) || c == '.'; });
  return module > 0 && code.substr(5 + module).starts_with(" import ");
}

// Whether a line is nothing but a call with no arguments or with a literal as the first one.
bool is_call(std::string_view code) {
  if (!is_letter(code[0]) && code[0] != '_') return false;
  const size_t open = count_of(code, 0, [](char c) { return is_of_name(c) || c == '.'; });
  return open + 1 < code.size() && code[open] == '(' && is_one_of(code[open + 1], "\")") &&
         is_one_of(code.back(), ");");
}

// The points for signs. `code` is ASCII, and not empty.
size_t points_for_signs(std::string_view code) {
  bool call = false, operation = false, name = false, block = false, value = false, option = false, output = false;
  bool key = false, request = false, open = false;
  const auto at = [&](size_t i) { return i < code.size() ? code[i] : '\0'; };
  for (size_t i = 0; i < code.size(); ++i) {
    const char before = i > 0 ? code[i - 1] : '\0', next = at(i + 1);
    switch (const char c = code[i]) {
      case '(':
        call |= is_of_name(before);
        break;
      case '=':
        operation |= next != '(' && next != ')' && (before == ' ' || is_alphanumeric(next) || next == '"');
        break;
      case '-':
        operation |= next == '>';
        option |= before == ' ' && is_letter(next == '-' ? at(i + 2) : next);
        break;
      case ':':
        value |= next == ' ' && at(i + 2) == '"';
        [[fallthrough]];
      case '&':
      case '|':
      case '+':
        operation |= next == c;
        output |= c == '|' && option && before == ' ' && next == ' ';
        break;
      case '>':
        output |= option && before == ' ' && next == ' ';
        break;
      case '_':
        name |= is_alphanumeric(before) && is_alphanumeric(next);
        break;
      case '$':
        name |= is_letter(next) || next == '{' || next == '(';
        break;
      case '.':
        name |= i > 1 && is_letter(code[i - 2]) && is_letter(before) && is_letter(next) && is_letter(at(i + 2));
        break;
      case '"':
        key |= next == ':' && (i == 0 || is_one_of(code[i - (before == ' ' && i > 1 ? 2 : 1)], "{[,"));
        request |= i > 1 && code[i - 2] == ']' && before == ' ' && next == ' ' && is_digit(at(i + 2));
        break;
      default:
        name |= is_lower(before) && is_upper(c);
        break;
    }
    block |= open && is_one_of(code[i], ";:=\"(");
    open = code[i] == '{' || (open && code[i] != '}');
  }
  const char last = code.back();
  const bool end = is_one_of(last, ";{}") || (call && code.ends_with("):"));
  const bool import = code.starts_with("import ") && is_letter(at(7));
  bool directive = false;
  for (const std::string_view word : {"#define", "#endif", "#if", "#include", "#pragma", "#!"}) {
    directive |= code.starts_with(word);
  }
  const size_t ones = size_t{end} + (last == '{') + call + operation + name + block + value + option + output + import;
  return ones + 2 * (size_t{key} + is_call(code) + request + directive);
}

// How many plain words stand in a row, with single spaces between. Punctuation ends the row.
size_t words_in_a_row(std::string_view code) {
  size_t longest = 0, row = 0;
  for (size_t begin = 0; begin <= code.size();) {
    const size_t end = std::min(code.find(' ', begin), code.size());
    size_t letters = 0;
    if (begin < end && is_letter(code[begin])) {
      letters = count_of(code.substr(0, end), begin, [](char c) { return is_letter(c) || c == '\'' || c == '-'; });
    }
    const bool punctuated = begin + letters + 1 == end && is_one_of(code[end - 1], ",.:;!?)");
    const bool is_word = letters > 0 && (begin + letters == end || punctuated);
    row = is_word ? row + 1 : 0;
    longest = std::max(longest, row);
    if (punctuated) row = 0;
    begin = end + 1;
  }
  return longest;
}

struct Points {
  size_t points = 0, row = 0;  // row: plain words in a row
};

Points points_of(std::string_view line, bool behind_code) {
  if (!behind_code && !may_be_code(line)) return {};
  char buffer[MAX_CODE_LINE];
  size_t size = 0;
  for (CodeReader reader(line); reader.next();) {
    switch (reader.piece()) {
      case CodeReader::Piece::CODE:
        for (const char c : reader.content()) {
          if (is_beyond_ascii(c)) return {};
          buffer[size++] = c;
        }
        break;
      case CodeReader::Piece::LITERAL:
        buffer[size++] = '"';
        break;
      case CodeReader::Piece::MARKUP:
        buffer[size++] = ' ';
        break;
      case CodeReader::Piece::COMMENT:
        break;
    }
  }
  const std::string_view code = stripped({buffer, size});
  if (code.empty() || is_one_of(code.back(), ".?!")) return {};
  const size_t points = points_for_signs(code);
  if (is_statement(code)) return {points + 2, 0};
  const std::string_view first = code.substr(0, count_of(code, 0, is_of_name));
  const bool keyword = (points > 0 || behind_code) && is_among(KEYWORDS, first);
  return {points + keyword, words_in_a_row(code)};
}

}  // namespace

bool is_code(std::string_view text, std::string_view line, bool behind_code) {
  const Points own = points_of(line, behind_code);
  if (own.points >= std::max(own.row, size_t{2})) return true;
  const bool may_be = own.points > 0 && own.row <= 2;
  if (behind_code) {
    size_t words = 0;
    for (size_t i = 0; i < line.size(); ++i) words += is_letter(line[i]) && (i == 0 || !is_letter(line[i - 1]));
    return may_be || (words <= 1 && std::none_of(line.begin(), line.end(), is_beyond_ascii));
  }
  if (!may_be) return false;
  const size_t after = static_cast<size_t>(line.data() + line.size() - text.data());
  const Points next = points_of(line_at(text, after + count_of(text, after, is_space)), false);
  return next.points > 0 && next.row <= 2;
}

namespace {

size_t syslog_prefix(std::string_view line) {
  constexpr std::string_view SHAPE = "Aaa _0 00:00:00 ";
  if (line.size() < SHAPE.size() || line[9] != ':') return 0;
  for (size_t i = 0; i < SHAPE.size(); ++i) {
    const char c = line[i], shape = SHAPE[i];
    const bool fits = shape == 'A'   ? is_upper(c)
                      : shape == 'a' ? is_lower(c)
                      : shape == '0' ? is_digit(c)
                      : shape == '_' ? c == ' ' || is_digit(c)
                                     : c == shape;
    if (!fits) return 0;
  }
  const auto is_visible = [](char c) { return c != ' '; };
  const size_t host = count_of(line, SHAPE.size(), is_visible), begin = SHAPE.size() + host + 1;
  if (host == 0 || begin >= line.size()) return 0;
  const size_t process = count_of(line, begin, is_visible);
  return process > 0 && line[begin + process - 1] == ':' ? begin + process : 0;
}

bool begins_with_date(std::string_view line) {
  constexpr std::string_view SHAPE = "0000-00-00";
  if (line.starts_with('[')) line.remove_prefix(1);
  if (line.size() < SHAPE.size()) return false;
  for (size_t i = 0; i < SHAPE.size(); ++i) {
    if (SHAPE[i] == '0' ? !is_digit(line[i]) : line[i] != '-' && line[i] != '/') return false;
  }
  return true;
}

bool is_level(std::string_view token) {
  constexpr std::string_view AROUND = "[]():|,-";
  const size_t first = token.find_first_not_of(AROUND);
  if (first == NONE) return false;
  token = token.substr(first, token.find_last_not_of(AROUND) - first + 1);
  return std::any_of(std::begin(LEVELS), std::end(LEVELS), [&](std::string_view level) {
    return std::equal(token.begin(), token.end(), level.begin(), level.end(),
                      [](char a, char b) { return small(a) == b; });
  });
}

}  // namespace

size_t log_prefix(std::string_view line) {
  const char first = line[0];
  if (is_upper(first)) return syslog_prefix(line);
  if ((!is_digit(first) && first != '[') || !begins_with_date(line)) return 0;
  size_t end = 0;
  bool has_level = false;
  for (size_t begin = 0; begin < line.size();) {
    const std::string_view token = line.substr(begin, line.find(' ', begin) - begin);
    const bool level = is_level(token);
    const bool sign = !token.empty() && (token.front() == '[' || token.back() == ':' ||
                                         std::any_of(token.begin(), token.end(), is_digit) ||
                                         std::none_of(token.begin(), token.end(), is_any_letter));
    if (!token.empty() && !level && !sign) break;
    has_level |= level;
    if (!token.empty()) end = begin + token.size();
    begin += token.size() + 1;
  }
  return has_level ? end : 0;
}

}  // namespace unilid
