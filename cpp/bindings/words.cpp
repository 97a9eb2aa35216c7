#include "words/words.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>

#include "bindings/arrays.h"
#include "bindings/bindings.h"

namespace unilid {

namespace {

std::vector<PyWord> split_words(const nb::bytes& text) {
  std::vector<PyWord> words;
  WordReader reader(as_view(text));
  for (Word word; reader.next(word);) {
    words.push_back({to_bytes({reinterpret_cast<const char*>(word.bytes), word.size}), word.begin, word.end, word.kind,
                     word.cut_left, word.cut_right, is_lone(word), static_cast<uint8_t>(word.noise), word.script,
                     word.inner});
  }
  return words;
}

// Where in a word each byte of it stands once letters are read with their marks, and where it ends.
std::vector<size_t> places_in_word(const nb::bytes& word) {
  const std::string_view view = as_view(word);
  if (view.size() > MAX_WORD_BYTES) throw nb::value_error("a word has at most MAX_WORD_BYTES bytes");
  uint8_t bytes[MAX_WORD_BYTES], places[MAX_WORD_BYTES];
  std::copy(view.begin(), view.end(), bytes);
  const uint8_t* end = compose(bytes, bytes + view.size(), places);
  std::vector<size_t> found(places, places + (end - bytes));
  found.push_back(view.size());
  return found;
}

}  // namespace

void bind_words(nb::module_& m) {
  m.attr("MAX_WORD_BYTES") = MAX_WORD_BYTES;
  m.attr("SIGN") = unicode::SIGN;
  m.attr("DIGIT") = unicode::DIGIT;
  m.attr("LETTER") = unicode::LETTER;
  nb::dict scripts;
  for (size_t s = 0; s < std::size(unicode::SCRIPTS); ++s) scripts[unicode::SCRIPTS[s]] = unicode::FIRST_SCRIPT + s;
  m.attr("SCRIPTS") = scripts;
  nb::class_<PyWord>(m, "Word")
      .def_ro("bytes", &PyWord::bytes)
      .def_ro("begin", &PyWord::begin)
      .def_ro("end", &PyWord::end)
      .def_ro("kind", &PyWord::kind)
      .def_ro("cut_left", &PyWord::cut_left)
      .def_ro("cut_right", &PyWord::cut_right)
      .def_ro("lone", &PyWord::lone)
      .def_ro("noise", &PyWord::noise)
      .def_ro("script", &PyWord::script)
      .def_ro("inner", &PyWord::inner);
  m.def("places_in_word", &places_in_word, nb::arg("word"));
  m.def("split_words", &split_words, nb::arg("text"));
}

}  // namespace unilid
