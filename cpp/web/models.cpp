// Word models of checked tables, and what explains and extends them.
#include <utility>

#include "base/loops.h"
#include "explanation/explain.h"
#include "models/context.h"
#include "models/lexicon.h"
#include "models/unigram.h"
#include "models/vocabulary.h"
#include "web/exports.h"

namespace unilid::web {

UNILID_EXPORT("make_vocabulary")
const std::shared_ptr<Vocabulary>* make_vocabulary(const char* blob, const uint32_t* firsts, size_t tokens) {
  const std::vector<int64_t> offsets(firsts, firsts + tokens + 1);
  return new std::shared_ptr<Vocabulary>(
      std::make_shared<Vocabulary>(std::string_view(blob, firsts[tokens]), offsets.data(), tokens));
}

UNILID_EXPORT("make_unigram")
ModelHandle* make_unigram(const std::shared_ptr<Vocabulary>* vocabulary, const uint32_t* firsts,
                          const uint16_t* languages, const uint8_t* costs, const uint8_t* unseen, size_t count) {
  auto handle = std::make_unique<ModelHandle>();
  handle->offsets.assign(firsts, firsts + (*vocabulary)->size() + 1);
  handle->model =
      std::make_shared<UnigramModel>(*vocabulary, TokenCosts{handle->offsets.data(), languages, costs, unseen, count});
  return handle.release();
}

// `levels` has four places for each: characters, first_child (0 at the last), first_entry and entries.
UNILID_EXPORT("make_context")
ModelHandle* make_context(const uint32_t* code_points, const uint32_t* sizes, const uintptr_t* levels, size_t order,
                          const uint8_t* root_backoff, uint32_t base, size_t languages, const uint16_t* uses,
                          size_t use_count) {
  ContextTable table{code_points, {}, root_backoff, static_cast<uint8_t>(base), languages};
  for (size_t k = 0; k < order; ++k, levels += 4) {
    table.levels.push_back({sizes[k], reinterpret_cast<const uint16_t*>(levels[0]),
                            reinterpret_cast<const uint32_t*>(levels[1]), reinterpret_cast<const uint32_t*>(levels[2]),
                            reinterpret_cast<const uint8_t*>(levels[3])});
  }
  const ScriptTable scripts(uses_of(uses, use_count), languages);
  return new ModelHandle{std::make_shared<ContextModel>(std::move(table), scripts), {}};
}

UNILID_EXPORT("release_model") void release_model(const ModelHandle* handle) { delete handle; }

UNILID_EXPORT("make_lexicon")
const std::shared_ptr<const Lexicon>* make_lexicon(const uint32_t* first_word, const uint32_t* fingerprints,
                                                   const uint32_t* first_entry, const uint8_t* entries) {
  return new std::shared_ptr<const Lexicon>(
      std::make_shared<Lexicon>(LexiconTable{first_word, fingerprints, first_entry, entries}));
}

// The pieces of a word: tokens (32 bits) and costs (a byte each).
UNILID_EXPORT("segment")
void segment(const ModelHandle* unigram, const uint8_t* word, size_t size, size_t language) {
  std::vector<uint32_t> tokens;
  std::vector<uint8_t> costs;
  for (const UnigramModel::Piece& piece :
       static_cast<const UnigramModel&>(*unigram->model).segment(word, size, language)) {
    tokens.push_back(piece.token), costs.push_back(piece.cost);
  }
  results.clear(), give(tokens), give(costs);
}

// The characters of a word: their sizes in bytes, and costs (32 bits) under the rows, which ascend.
UNILID_EXPORT("explain_characters")
void explain_characters(const ModelHandle* context, const uint8_t* bytes, size_t size, bool cut_left, bool cut_right,
                        const uint16_t* rows, size_t count) {
  const Word word{bytes,           size,  0,   0, unicode::LETTER, cut_left, cut_right, Reason::NONE, 0,
                  unicode::LETTER, false, true};
  const ExplainedCharacters characters = unilid::explain_characters(*context->model, word, rows, count);
  results.clear(), give(characters.sizes), give(characters.costs);
}

}  // namespace unilid::web
