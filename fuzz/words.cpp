// Text to words: they lie in the text, in order, and none is too long.
#include "words/words.h"

#include "input.h"

using namespace unilid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  WordReader reader(text), again(text);
  size_t end = 0;
  for (Word word, same; reader.next(word);) {
    uint8_t buffer[WordReader::BUFFER];
    EXPECT(again.next(same, buffer));
    EXPECT(same.size == word.size && std::equal(word.bytes, word.bytes + word.size, same.bytes));
    EXPECT(word.begin >= end && word.begin < word.end && word.end <= size);
    EXPECT(word.size > 0 && word.size <= WORD_CAPACITY && word.letters > 0 && word.letters <= word.size);
    EXPECT(word.kind == unicode::LETTER || word.kind == unicode::DIGIT || word.kind == unicode::SIGN);
    for (size_t i = end; i < word.begin;) {
      const Character between = decode(data + i, data + size);
      EXPECT(class_of(between) == unicode::SPACE);
      i += between.size;
    }
    volatile uint64_t hash = hash_padded(word.bytes, word.size);  // reads what may be read of a short word
    (void)hash;
    end = word.end;
  }
  return 0;
}
