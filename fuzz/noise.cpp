// What is no language: runs of visible ASCII, and whole texts.
#include "words/noise.h"

#include <memory>

#include "input.h"

using namespace unilid;

namespace {

// In memory of its own, so that a byte read beyond the end is found.
std::unique_ptr<char[]> copy(std::string_view text) {
  std::unique_ptr<char[]> bytes(new char[text.size()]);
  std::copy(text.begin(), text.end(), bytes.get());
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (size_t begin = 0; begin < size;) {
    size_t end = begin;
    while (end < size && data[end] > ' ' && data[end] < 0x7F) ++end;
    if (end > begin) {
      const std::unique_ptr<char[]> run = copy(text.substr(begin, end - begin));
      const Reason reason = noise_of({run.get(), end - begin});
      EXPECT(reason == Reason::NONE || (reason >= Reason::ADDRESS && reason <= Reason::IDENTIFIER));
    }
    begin = end + 1;
  }
  const size_t sample_size = std::min(size, MOJIBAKE_SAMPLE);
  const std::unique_ptr<char[]> sample = copy(text.substr(0, sample_size));
  EXPECT(!is_mojibake({sample.get(), sample_size}) || size > 0);
  EXPECT(reason_without_letters(text) <= Reason::MOJIBAKE);
  return 0;
}
