// Tags and entities of HTML and XML. What stands in them is no text.
#pragma once

#include <cstddef>
#include <string_view>

namespace unilid {

// Where the tag or the entity ends that begins at `at`, or 0 if none does.
//
// clang-format off
//   tag          "<", not behind another "<", or "</"; a name; then nothing but spaces and a "/", or a space and something
//                with a "="; and ">"
//   declaration  "<!" or "<?", a name, then nothing or a space and anything, and ">"
//   comment      "<!--", anything, "-->"
//   entity       "&", a name of 2 to 31 letters and digits, or "#" and a number, and ";"
// clang-format on
//
// No tag has another "<" in it, and none is longer than MAX_TAG, so that looking for its end takes little time.
size_t markup_end(std::string_view text, size_t at);
constexpr size_t MAX_TAG = 1000;  // bytes

}  // namespace unilid
