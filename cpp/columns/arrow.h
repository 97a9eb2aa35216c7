// The Arrow C data interface: three structs that every library of data frames fills and reads, so that a column passes
// from one to another without a copy and without a library in common.
// https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include <cstdint>
#include <utility>

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace unilid::columns {

constexpr int64_t NULLABLE = 2;  // a flag of ArrowSchema

// One of the three, released exactly once: when its owner goes, unless it was handed on.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  // Takes what another one has, which is empty from then on.
  explicit Owned(Struct& other) : struct_(std::exchange(other, Struct{})) {}
  Owned(Owned&& other) noexcept : struct_(std::exchange(other.struct_, Struct{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(struct_, other.struct_);
    return *this;
  }
  ~Owned() {
    if (struct_.release != nullptr) struct_.release(&struct_);
  }

  bool is_empty() const { return struct_.release == nullptr; }
  Struct* get() { return &struct_; }
  const Struct& operator*() const { return struct_; }
  const Struct* operator->() const { return &struct_; }

 private:
  Struct struct_{};
};

}  // namespace unilid::columns
