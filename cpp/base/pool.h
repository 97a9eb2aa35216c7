// Objects that are dear to make, kept for the next one who needs one.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#if !defined(__wasm__)  // where there are no threads
#include <mutex>
#include <thread>
#endif

namespace unilid {

// Nobody waits for its lock: where another thread has it (perhaps since before a fork, and then for ever), there is
// nothing to take, and what is given back is dropped.
template <class T>
class Pool {
 public:
  // Null where there is none.
  std::unique_ptr<T> take() {
    std::unique_ptr<T> object;
    if (const Lock lock(*this); lock && !free_.empty()) {
      object = std::move(free_.back());
      free_.pop_back();
    }
    return object;
  }
  // No more are kept than threads can run at once.
  void give_back(std::unique_ptr<T> object) {
    if (const Lock lock(*this); lock && free_.size() < most()) free_.push_back(std::move(object));
  }

 private:
#if defined(__wasm__)
  struct Lock {
    explicit Lock(const Pool&) {}
    explicit operator bool() const { return true; }
  };
  static size_t most() { return 1; }
#else
  struct Lock : std::unique_lock<std::mutex> {
    explicit Lock(Pool& pool) : std::unique_lock<std::mutex>(pool.mutex_, std::try_to_lock) {}
  };
  static size_t most() { return std::thread::hardware_concurrency(); }
  std::mutex mutex_;
#endif
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace unilid
