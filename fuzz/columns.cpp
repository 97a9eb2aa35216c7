// Columns of other libraries: what cannot be is refused, no text lies out of bounds, and every array is released once.
#include <cstring>

#include "columns/texts.h"
#include "tiny.h"

using namespace unilid;
using namespace unilid::columns;

namespace {

constexpr const char* FORMATS[] = {"u", "U", "vu", "z", "Z", "vz", "n", "l", "c", "C", "s", "S", "i", "I", "L"};
constexpr size_t DATA = 40;  // bytes of the texts: what offsets point into, which the interface cannot check

// Numbers out of the input, 0 behind its end.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes) {}
  uint8_t byte() { return at_ < bytes_.size() ? static_cast<uint8_t>(bytes_[at_++]) : 0; }
  int64_t small(int64_t least, int64_t most) { return least + byte() % (most - least + 1); }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

// An array whose buffers are as long as its length says, and no byte longer.
struct Made {
  Made(Source& source, const std::string& text_format, bool is_index) : format(text_format) {
    array.length = source.small(-1, 12), array.offset = source.small(-1, 3);
    array.null_count = source.small(-2, 2);
    const auto rows = static_cast<size_t>(std::max<int64_t>(array.length + array.offset, 0) + 1);
    add(source.byte() % 4 == 0 ? 0 : rows / 8 + 1, source);
    if (is_index) {
      add(rows * 8, source);
    } else if (format.starts_with("v")) {
      add(rows * 16, source);
      for (int64_t b = source.small(0, 2); b > 0; --b) add(DATA, source), sizes.push_back(source.small(-1, DATA));
      buffers.push_back(std::vector<uint8_t>(sizes.size() * 8));
      if (!sizes.empty()) std::memcpy(buffers.back().data(), sizes.data(), sizes.size() * 8);
    } else {
      const bool large = format == "U" || format == "Z";
      buffers.push_back(std::vector<uint8_t>(rows * (large ? 8 : 4) + (large ? 8 : 4)));
      int64_t offset = 0;
      for (size_t row = 0; row <= rows; ++row) {
        offset = std::min<int64_t>(offset + source.small(-1, 6), DATA);
        std::memcpy(buffers.back().data() + row * (large ? 8 : 4), &offset, large ? 8 : 4);
      }
      add(DATA, source);
    }
    for (const std::vector<uint8_t>& buffer : buffers) {
      pointers.push_back(buffer.empty() || source.byte() == 0xFF ? nullptr : buffer.data());
    }
    array.n_buffers = source.byte() == 0xFF ? source.small(-1, 3) : static_cast<int64_t>(pointers.size());
    if (array.n_buffers > static_cast<int64_t>(pointers.size())) array.n_buffers = 0;
    array.buffers = pointers.data();
    schema.format = format.c_str();
    schema.release = [](ArrowSchema*) {};
    array.private_data = &releases;
    array.release = [](ArrowArray* self) {
      ++*static_cast<int*>(self->private_data);
      self->release = nullptr;
    };
  }

  void add(size_t bytes, Source& source) {
    std::vector<uint8_t> buffer(bytes);
    for (uint8_t& byte : buffer) byte = source.byte();
    buffers.push_back(std::move(buffer));
  }

  std::string format;
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<int64_t> sizes;
  std::vector<const void*> pointers;
  ArrowSchema schema{};
  ArrowArray array{};
  int releases = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::Input input(data, size);
  Source source(input.text);
  const bool has_dictionary = input.options & 1, is_table = input.options & 2;
  const std::string format = FORMATS[(input.options >> 2) % (has_dictionary ? std::size(FORMATS) : 8)];
  Made values(source, FORMATS[(input.options >> 6) % 7], false), own(source, format, has_dictionary);
  if (has_dictionary) own.schema.dictionary = &values.schema, own.array.dictionary = &values.array;
  Made table(source, "+s", true);
  ArrowSchema* schemas[] = {&own.schema};
  ArrowArray* arrays[] = {&own.array};
  table.schema.n_children = source.small(0, 9) == 0 ? 0 : 1, table.schema.children = schemas;
  table.array.n_children = source.small(0, 9) == 0 ? 0 : 1, table.array.children = arrays;
  Made& whole = is_table ? table : own;
  try {
    Owned<ArrowArray> array(whole.array);
    const TextColumn column(Layout(whole.schema), std::move(array));
    size_t sum = 0;
    for (size_t row = 0; row < column.size(); ++row) {
      const std::string_view text = column[row];
      for (const char byte : text) sum += static_cast<uint8_t>(byte);
      EXPECT(!column.is_null(row) || text.empty());
    }
    volatile size_t read = sum;
    (void)read;
  } catch (const ColumnError& error) {
    EXPECT(error.what()[0] != '\0');
  }
  EXPECT(whole.releases == 1);
  return 0;
}
