// A column for other libraries: memory that is shared with whoever takes it, by the Arrow C data interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "columns/arrow.h"

namespace unilid::columns {

// Memory of a column, which lives as long as one of those who share it does.
using Buffer = std::shared_ptr<const void>;

template <class T>
Buffer buffer(std::vector<T>&& values) {
  if (values.empty()) values.emplace_back();  // some libraries want an address also of nothing
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return {owner, owner->data()};
}

// Bits of the rows that are there. Without a null there is no buffer.
class ValidityBuilder {
 public:
  void append(bool valid) {
    if (size_ % 8 == 0) bits_.push_back(0);
    bits_.back() |= static_cast<uint8_t>(valid << (size_ % 8));
    nulls_ += valid ? 0 : 1;
    ++size_;
  }
  int64_t nulls() const { return nulls_; }
  Buffer finish() { return nulls_ == 0 ? nullptr : buffer(std::move(bits_)); }

 private:
  std::vector<uint8_t> bits_;
  size_t size_ = 0;
  int64_t nulls_ = 0;
};

// An array of Arrow with its type. Immutable: it can be handed out many times.
struct Column {
  std::string format, name;
  bool nullable = false;
  size_t size = 0;
  int64_t nulls = 0;
  std::vector<Buffer> buffers;
  std::vector<std::shared_ptr<const Column>> children;
  std::shared_ptr<const Column> dictionary;
};

using SharedColumn = std::shared_ptr<const Column>;

// A column of text.
SharedColumn text_column(const std::vector<std::string>& texts);

// A struct column as a table, which has no nulls of its own: those of its columns say the same.
SharedColumn table_of(const Column& column);

Owned<ArrowSchema> schema_of(const SharedColumn& column);
Owned<ArrowArray> array_of(const SharedColumn& column);

}  // namespace unilid::columns
