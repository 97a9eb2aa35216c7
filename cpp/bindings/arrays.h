// What all bindings share: arrays and texts from Python, arrays to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace unilid {

namespace nb = nanobind;

// An array from Python, which is not copied.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// An array for Python.
template <class T>
using Result = nb::ndarray<nb::numpy, T>;

// Refuses what the kernel does not expect: a sentence that says what is wrong with the arguments.
inline void require(bool condition, const char* sentence) {
  if (!condition) throw nb::value_error(sentence);
}

// These loops are written so that the compiler makes vectors of them: tables have millions of entries, and everybody
// who loads a model waits for them.

// Whether offsets ascend from 0 to `end`.
template <class T>
bool ascends_to(const Array<T>& offsets, size_t end) {
  if (offsets.size() == 0 || offsets.data()[0] != 0) return false;
  T descents = 0;
  for (size_t i = 1; i < offsets.size(); ++i) descents |= offsets.data()[i] < offsets.data()[i - 1];
  return descents == 0 && static_cast<uint64_t>(offsets.data()[offsets.size() - 1]) == end;
}

template <class T>
T largest(const Array<T>& values) {
  T most = 0;
  for (size_t i = 0; i < values.size(); ++i) most = std::max(most, values.data()[i]);
  return most;
}

// An array for Python that owns the values.
template <class T>
nb::object owned(std::vector<T>&& values, std::initializer_list<size_t> shape) {
  auto* memory = new std::vector<T>(std::move(values));
  nb::capsule owner(memory, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(Result<T>(memory->data(), shape, owner));
}

template <class T>
nb::object owned(std::vector<T>&& values) {
  const size_t n = values.size();
  return owned(std::move(values), {n});
}

template <class T>
std::vector<T> copied(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

inline nb::bytes to_bytes(std::string_view view) { return nb::bytes(view.data(), view.size()); }

inline std::string_view as_view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// Whether bytes may be UTF-16, which texts.py finds out: a quick test of the first two.
inline bool may_be_utf16(std::string_view text) {
  if (text.size() < 2) return false;
  const auto first = static_cast<unsigned char>(text[0]), second = static_cast<unsigned char>(text[1]);
  return std::min(first, second) < 0x20 || std::min(first, second) == 0xFE;
}

// Views of the bytes of texts, each of which is str, bytes or None (no text). They are valid while the caller keeps
// `texts`, which holds its items, and `owners`, which gets the texts that had to be encoded anew.
inline std::vector<std::string_view> views(const nb::list& texts, nb::list& owners) {
  std::vector<std::string_view> result;
  result.reserve(nb::len(texts));
  for (nb::handle text : texts) {
    if (PyBytes_Check(text.ptr())) {
      if (may_be_utf16(as_view(nb::borrow<nb::bytes>(text)))) {
        owners.append(nb::module_::import_("unilid.texts").attr("utf8")(text));
        text = owners[nb::len(owners) - 1].ptr();
      }
      result.push_back(as_view(nb::borrow<nb::bytes>(text)));
    } else if (PyUnicode_Check(text.ptr())) {
      Py_ssize_t size;
      const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
      if (data == nullptr) {  // The text has lone surrogates: they stand for bytes, or else for themselves (texts.py).
        nb::object encoded;
        for (const char* errors : {"surrogateescape", "surrogatepass"}) {
          if (encoded.is_valid()) break;
          PyErr_Clear();
          encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", errors));
        }
        if (!encoded.is_valid()) throw nb::python_error();
        data = PyBytes_AsString(encoded.ptr()), size = PyBytes_Size(encoded.ptr());
        owners.append(encoded);
      }
      result.emplace_back(data, static_cast<size_t>(size));
    } else if (text.is_none()) {
      result.emplace_back();
    } else {
      throw nb::type_error("a text is str, bytes or None");
    }
  }
  return result;
}

}  // namespace unilid
