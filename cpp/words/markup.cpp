#include "words/markup.h"

#include <algorithm>

#include "words/ascii.h"

namespace unilid {

namespace {

constexpr size_t NONE = std::string_view::npos;

size_t after_name(std::string_view tag, size_t at) {
  if (at >= tag.size() || !is_letter(tag[at])) return NONE;
  while (at < tag.size() && (is_alphanumeric(tag[at]) || tag[at] == ':' || tag[at] == '-')) ++at;
  return at;
}

// `tag` begins with "<" and is not longer than a tag may be.
size_t size_of_tag(std::string_view tag) {
  if (tag.starts_with("<!--")) {
    const size_t end = tag.substr(0, tag.find("<!--", 4)).find("-->", 4);
    return end == NONE ? 0 : end + 3;
  }
  const char sign = tag.size() > 1 ? tag[1] : '\0';
  const bool declares = sign == '!' || sign == '?';
  const size_t at = after_name(tag, declares || sign == '/' ? 2 : 1);
  if (at == NONE) return 0;
  const size_t end = tag.find_first_of("<>", at);
  if (end == NONE || tag[end] == '<') return 0;
  const std::string_view rest = tag.substr(at, end - at);
  const bool apart = !rest.empty() && is_space(rest[0]);
  if (declares ? rest.empty() || apart : apart && rest.find('=') != NONE) return end + 1;
  if (declares) return 0;
  const auto visible = [](char c) { return !is_space(c); };
  const auto slash = std::find_if(rest.begin(), rest.end(), visible);
  const bool only_slash = slash == rest.end() || (*slash == '/' && std::none_of(slash + 1, rest.end(), visible));
  return only_slash ? end + 1 : 0;
}

// `entity` begins with "&".
size_t size_of_entity(std::string_view entity) {
  const auto size = [&](size_t begin, size_t least, size_t most, auto&& is) -> size_t {
    size_t at = begin;
    while (at < entity.size() && at - begin <= most && is(entity[at])) ++at;
    const bool closed = at < entity.size() && entity[at] == ';';
    return closed && at - begin >= least && at - begin <= most ? at + 1 : 0;
  };
  if (entity.size() < 2) return 0;
  if (entity[1] != '#') return is_letter(entity[1]) ? size(1, 2, 31, is_alphanumeric) : 0;
  const bool hexadecimal = entity.size() > 2 && small(entity[2]) == 'x';
  return hexadecimal ? size(3, 1, 6, is_hexadecimal) : size(2, 1, 7, is_digit);
}

}  // namespace

size_t markup_end(std::string_view text, size_t at) {
  size_t size = 0;
  if (text[at] == '<' && (at == 0 || text[at - 1] != '<')) size = size_of_tag(text.substr(at, MAX_TAG));
  if (text[at] == '&') size = size_of_entity(text.substr(at, MAX_TAG));
  return size > 0 ? at + size : 0;
}

}  // namespace unilid
