// Other ways in which the same word is written.
//
// Vowels that Arabic, Hebrew and Syriac write as points may be left out, and most writers leave them out. Some Arabic
// letters have two code points with one shape, and which one a text has tells of the keyboard, not of the language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace unilid {

// The other spellings of a word: without its points, with the other one of two letters, or both.
std::vector<std::string> other_spellings(std::string_view word);

}  // namespace unilid
