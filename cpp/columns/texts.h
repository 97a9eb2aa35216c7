// A column of texts in the memory of another library, read where it lies.
//
// clang-format off
//   format          what it is
//   u, z            text, binary: offsets of 32 bits into one run of bytes
//   U, Z            the same with offsets of 64 bits
//   vu, vz          views: a length, and up to 12 bytes, or else the number of a buffer and a place in it
//   n               nothing but nulls
//   c C s S i I l L whole numbers: rows of a dictionary, which is a column of one of the above
//   +s              a table: of one column, which is one of the above
// clang-format on
//
// All that the interface lets one know is checked before a text is read. What it does not tell is how long a buffer of
// offsets, of bytes or of bits is: that much trust is in every exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "columns/arrow.h"

namespace unilid::columns {

// A column that cannot be read: one sentence that says what is wrong with it.
class ColumnError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// What the schema of a column says.
struct Layout {
  // Throws where the column has no texts.
  explicit Layout(const ArrowSchema& schema);

  bool is_table = false;
  bool is_binary = false;
  char index = 0;  // the format of the rows of a dictionary; 0 without one
  enum class Kind { NOTHING, OFFSETS, LARGE_OFFSETS, VIEWS } kind = Kind::NOTHING;

 private:
  void read_texts(const ArrowSchema& schema);
};

// Which rows of an array are there.
struct Validity {
  const uint8_t* bits = nullptr;  // null: all of them
  size_t first = 0;

  bool operator[](size_t row) const {
    return bits == nullptr || (bits[(first + row) >> 3] >> ((first + row) & 7) & 1) != 0;
  }
};

class TextColumn {
 public:
  // Throws where the array is not what the layout says, or where anything of it lies out of bounds.
  TextColumn(const Layout& layout, Owned<ArrowArray> array);

  size_t size() const { return size_; }
  // Whether texts are bytes in an encoding that nobody named.
  bool is_binary() const { return layout_.is_binary; }
  bool is_null(size_t row) const;
  // Empty where there is none.
  std::string_view operator[](size_t row) const;

 private:
  void open_texts(const ArrowArray& array, size_t first, size_t size);
  void open_views(const ArrowArray& array, size_t first);
  void open_dictionary(const ArrowArray& array, size_t first, size_t size);
  // `last`: the place of the last offset of the array, beyond which no text can end.
  template <class Offset>
  void check_offsets(size_t last) const;
  void check_views() const;
  void check_indices() const;
  // Where a row of the column is in the texts, which is elsewhere where there is a dictionary.
  size_t place_of(size_t row) const { return layout_.index == 0 ? row : static_cast<size_t>(index_at(row)); }
  int64_t index_at(size_t row) const;
  std::string_view text_at(size_t place) const;
  std::string_view view_at(size_t place) const;

  Layout layout_;
  Owned<ArrowArray> array_;
  size_t size_ = 0;
  Validity table_, rows_, values_;  // `rows_`: of a dictionary's rows; `values_`: of the texts themselves
  const uint8_t* indices_ = nullptr;
  size_t texts_ = 0;                 // how many there are: of a dictionary, its entries
  const uint8_t* places_ = nullptr;  // offsets or views
  const char* bytes_ = nullptr;
  std::vector<std::string_view> buffers_;  // of views
};

}  // namespace unilid::columns
