#include "columns/texts.h"

#include <cstring>

namespace unilid::columns {

namespace {

void require(bool condition, const char* sentence) {
  if (!condition) throw ColumnError(sentence);
}

// Buffers of other libraries need not be aligned.
template <class T>
T load(const uint8_t* values, size_t index) {
  T value;
  std::memcpy(&value, values + index * sizeof(T), sizeof(T));
  return value;
}

constexpr size_t VIEW_BYTES = 16, INLINE_BYTES = 12;
constexpr std::string_view INDEX_FORMATS = "cCsSiIlL";

size_t index_bytes(char format) { return size_t{1} << (INDEX_FORMATS.find(format) / 2); }

// Where the rows of an array begin, and how many there are.
struct Range {
  size_t first, size;
};

Range range_of(const ArrowArray& array) {
  require(array.length >= 0 && array.offset >= 0 && array.length <= INT64_MAX / 64 && array.offset <= INT64_MAX / 64,
          "the column has a negative length or offset");
  return {static_cast<size_t>(array.offset), static_cast<size_t>(array.length)};
}

void require_buffers(const ArrowArray& array, int64_t least) {
  require(array.n_buffers >= least && (least == 0 || array.buffers != nullptr), "the column lacks a buffer");
}

Validity validity_of(const ArrowArray& array, size_t first) {
  require(array.null_count >= -1, "the column has a negative number of nulls");
  const auto* bits = static_cast<const uint8_t*>(array.buffers[0]);
  require(array.null_count <= 0 || bits != nullptr, "the column has nulls, but does not say where");
  return array.null_count == 0 ? Validity{} : Validity{bits, first};
}

}  // namespace

Layout::Layout(const ArrowSchema& schema) {
  require(schema.format != nullptr, "the column has no format");
  if (std::string_view(schema.format) == "+s") {
    require(schema.n_children >= 0 && (schema.n_children == 0 || schema.children != nullptr),
            "the table has no columns");
    if (schema.n_children != 1) {
      throw ColumnError("the table has " + std::to_string(schema.n_children) + " columns; give the one with the texts");
    }
    require(schema.children[0] != nullptr && schema.children[0]->format != nullptr, "the column has no format");
    is_table = true;
    read_texts(*schema.children[0]);
  } else {
    read_texts(schema);
  }
}

void Layout::read_texts(const ArrowSchema& schema) {
  std::string_view format = schema.format;
  if (schema.dictionary != nullptr) {
    require(format.size() == 1 && INDEX_FORMATS.find(format[0]) != INDEX_FORMATS.npos,
            "the rows of the dictionary are no whole numbers");
    require(schema.dictionary->format != nullptr && schema.dictionary->dictionary == nullptr,
            "the dictionary has no format, or one of its own");
    index = format[0];
    format = schema.dictionary->format;
  }
  if (format == "u" || format == "z") {
    kind = Kind::OFFSETS;
  } else if (format == "U" || format == "Z") {
    kind = Kind::LARGE_OFFSETS;
  } else if (format == "vu" || format == "vz") {
    kind = Kind::VIEWS;
  } else if (format != "n") {
    throw ColumnError("the column is no text: its Arrow format is '" + std::string(format) +
                      "', and text is u, U, vu, z, Z, vz, or a dictionary of these");
  }
  is_binary = format.back() == 'z' || format.back() == 'Z';
}

TextColumn::TextColumn(const Layout& layout, Owned<ArrowArray> array) : layout_(layout), array_(std::move(array)) {
  require(!array_.is_empty(), "the column was released already");
  const auto [first, size] = range_of(*array_);
  size_ = size;
  if (!layout_.is_table) {
    layout_.index == 0 ? open_texts(*array_, first, size) : open_dictionary(*array_, first, size);
    return;
  }
  require(array_->n_children == 1 && array_->children != nullptr && array_->children[0] != nullptr,
          "the table has another number of columns than it says");
  require_buffers(*array_, 1);
  table_ = validity_of(*array_, first);
  const ArrowArray& child = *array_->children[0];
  const auto [child_first, child_size] = range_of(child);
  require(first + size <= child_size, "the column of the table is shorter than the table");
  layout_.index == 0 ? open_texts(child, child_first + first, size) : open_dictionary(child, child_first + first, size);
}

void TextColumn::open_texts(const ArrowArray& array, size_t first, size_t size) {
  texts_ = size;
  if (layout_.kind == Layout::Kind::NOTHING) return;
  require_buffers(array, 3);
  values_ = validity_of(array, first);
  if (size == 0) return;
  require(array.buffers[1] != nullptr, "the column lacks a buffer");
  places_ = static_cast<const uint8_t*>(array.buffers[1]);
  const Range whole = range_of(array);  // of which these may be some: a table has rows of its column
  const size_t last = whole.first + whole.size - first;
  switch (layout_.kind) {
    case Layout::Kind::OFFSETS:
      places_ += first * sizeof(int32_t);
      bytes_ = static_cast<const char*>(array.buffers[2]);
      return check_offsets<int32_t>(last);
    case Layout::Kind::LARGE_OFFSETS:
      places_ += first * sizeof(int64_t);
      bytes_ = static_cast<const char*>(array.buffers[2]);
      return check_offsets<int64_t>(last);
    default:
      open_views(array, first);
  }
}

void TextColumn::open_views(const ArrowArray& array, size_t first) {
  places_ += first * VIEW_BYTES;
  // The last buffer has the sizes of those between.
  const auto count = static_cast<size_t>(array.n_buffers) - 3;
  const auto* sizes = static_cast<const uint8_t*>(array.buffers[array.n_buffers - 1]);
  require(count == 0 || sizes != nullptr, "the column lacks the sizes of its buffers");
  for (size_t b = 0; b < count; ++b) {
    const auto bytes = load<int64_t>(sizes, b);
    const auto* data = static_cast<const char*>(array.buffers[b + 2]);
    require(bytes >= 0 && (bytes == 0 || data != nullptr), "a buffer of the column has a negative size, or is missing");
    buffers_.emplace_back(data, static_cast<size_t>(bytes));
  }
  check_views();
}

void TextColumn::open_dictionary(const ArrowArray& array, size_t first, size_t size) {
  require_buffers(array, 2);
  rows_ = validity_of(array, first);
  require(array.dictionary != nullptr, "the column lacks its dictionary");
  const auto [values_first, values_size] = range_of(*array.dictionary);
  open_texts(*array.dictionary, values_first, values_size);
  if (size == 0) return;
  require(array.buffers[1] != nullptr, "the column lacks a buffer");
  indices_ = static_cast<const uint8_t*>(array.buffers[1]) + first * index_bytes(layout_.index);
  check_indices();
}

template <class Offset>
void TextColumn::check_offsets(size_t last) const {
  Offset before = load<Offset>(places_, 0);
  require(before >= 0, "the offsets of the column begin below 0");
  bool descends = false;
  for (size_t place = 1; place <= texts_; ++place) {
    const Offset offset = load<Offset>(places_, place);
    descends |= offset < before;
    before = offset;
  }
  descends |= load<Offset>(places_, last) < before;
  require(!descends, "the offsets of the column descend");
  require(bytes_ != nullptr || before == load<Offset>(places_, 0), "the column lacks a buffer");
}

void TextColumn::check_views() const {
  for (size_t place = 0; place < texts_; ++place) {
    if (!values_[place]) continue;  // means nothing there
    const uint8_t* view = places_ + place * VIEW_BYTES;
    const auto length = load<int32_t>(view, 0);
    require(length >= 0, "a view of the column has a negative length");
    if (static_cast<size_t>(length) <= INLINE_BYTES) continue;
    const auto buffer = load<int32_t>(view, 2), offset = load<int32_t>(view, 3);
    require(
        buffer >= 0 && static_cast<size_t>(buffer) < buffers_.size() && offset >= 0 &&
            static_cast<size_t>(offset) + static_cast<size_t>(length) <= buffers_[static_cast<size_t>(buffer)].size(),
        "a view of the column points beyond its buffers");
  }
}

void TextColumn::check_indices() const {
  for (size_t row = 0; row < size_; ++row) {
    if (!table_[row] || !rows_[row]) continue;
    const int64_t index = index_at(row);
    require(index >= 0 && static_cast<uint64_t>(index) < texts_, "a row of the column points beyond its dictionary");
  }
}

int64_t TextColumn::index_at(size_t row) const {
  switch (layout_.index) {
    case 'c':
      return load<int8_t>(indices_, row);
    case 'C':
      return load<uint8_t>(indices_, row);
    case 's':
      return load<int16_t>(indices_, row);
    case 'S':
      return load<uint16_t>(indices_, row);
    case 'i':
      return load<int32_t>(indices_, row);
    case 'I':
      return load<uint32_t>(indices_, row);
    default:  // the largest ones are negative here, and refused as such
      return load<int64_t>(indices_, row);
  }
}

bool TextColumn::is_null(size_t row) const {
  return !table_[row] || !rows_[row] || layout_.kind == Layout::Kind::NOTHING || !values_[place_of(row)];
}

std::string_view TextColumn::operator[](size_t row) const {
  return is_null(row) ? std::string_view() : text_at(place_of(row));
}

std::string_view TextColumn::text_at(size_t place) const {
  if (layout_.kind == Layout::Kind::VIEWS) return view_at(place);
  const bool large = layout_.kind == Layout::Kind::LARGE_OFFSETS;
  const int64_t begin = large ? load<int64_t>(places_, place) : load<int32_t>(places_, place);
  const int64_t end = large ? load<int64_t>(places_, place + 1) : load<int32_t>(places_, place + 1);
  return begin == end ? std::string_view() : std::string_view(bytes_ + begin, static_cast<size_t>(end - begin));
}

std::string_view TextColumn::view_at(size_t place) const {
  const uint8_t* view = places_ + place * VIEW_BYTES;
  const auto length = static_cast<size_t>(load<int32_t>(view, 0));
  if (length <= INLINE_BYTES) return {reinterpret_cast<const char*>(view) + sizeof(int32_t), length};
  return buffers_[static_cast<size_t>(load<int32_t>(view, 2))].substr(static_cast<size_t>(load<int32_t>(view, 3)),
                                                                      length);
}

}  // namespace unilid::columns
