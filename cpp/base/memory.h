// Arrays for the vector loops.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace unilid {

// An array that is aligned to 64 bytes, of zeros or (with zeros = false) uninitialised. Large tables are read at
// random, and huge pages, where the system gives them on request, avoid most of the TLB misses.
template <class T>
class Aligned {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Aligned(size_t n = 0, bool zeros = true)
      : size_(n), data_(n ? allocate(n, zeros) : nullptr, Free{alignment(n)}) {}
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](size_t i) { return data_.get()[i]; }
  const T& operator[](size_t i) const { return data_.get()[i]; }
  size_t size() const { return size_; }

 private:
  // Bytes of a huge page on x86-64, and on arm64 with pages of 4 kB.
  static constexpr size_t HUGE_PAGE = size_t{1} << 21;

  static std::align_val_t alignment([[maybe_unused]] size_t n) {
#if defined(__linux__)
    if (n * sizeof(T) >= HUGE_PAGE) return std::align_val_t{HUGE_PAGE};
#endif
    return std::align_val_t{64};
  }

  static T* allocate(size_t n, bool zeros) {
    void* memory = ::operator new[](n * sizeof(T), alignment(n));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (alignment(n) == std::align_val_t{HUGE_PAGE}) madvise(memory, n * sizeof(T), MADV_HUGEPAGE);
#endif
    if (zeros) std::memset(memory, 0, n * sizeof(T));
    return static_cast<T*>(memory);
  }

  struct Free {
    std::align_val_t alignment;
    void operator()(T* p) const { ::operator delete[](p, alignment); }
  };
  size_t size_;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace unilid
