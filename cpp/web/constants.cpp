// The constants of the kernel that JavaScript needs, so that it does not repeat them.
#include <iterator>
#include <string>

#include "base/loops.h"
#include "decisions/decide.h"
#include "models/context.h"
#include "models/lexicon.h"
#include "models/vocabulary.h"
#include "spans/spans.h"
#include "store/packing.h"
#include "web/exports.h"

namespace unilid::web {

// As JSON.
UNILID_EXPORT("constants") void constants() {
  std::string json = "{";
  const auto add = [&](std::string_view name, const std::string& value) {
    json += (json.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + value;
  };
  const auto number = [](uint64_t value) { return std::to_string(value); };
  add("LARGE", number(LARGE)), add("MAX_LANGUAGES", number(MAX_LANGUAGES)), add("WEIGHT_STEPS", number(WEIGHT_STEPS));
  add("MAX_TOKENS", number(Vocabulary::MAX_TOKENS)), add("MAX_WORD_BYTES", number(MAX_WORD_BYTES));
  add("MAX_ORDER", number(MAX_ORDER)), add("MAX_CHARACTERS", number(MAX_CHARACTERS)), add("WORD_END", number(WORD_END));
  add("LEXICON_BUCKETS", number(BUCKETS)), add("NO_ENTRY", number(NO_ENTRY));
  add("SIGN", number(unicode::SIGN)), add("DIGIT", number(unicode::DIGIT)), add("LETTER", number(unicode::LETTER));
  add("FIRST_SCRIPT", number(unicode::FIRST_SCRIPT)), add("FIRST_UNDETERMINED", number(FIRST_UNDETERMINED));
  std::string scripts, reasons;
  for (const char* name : unicode::SCRIPTS) scripts += (scripts.empty() ? "[\"" : ",\"") + std::string(name) + "\"";
  const auto add_reason = [&](auto value, const char* name) {
    reasons += (reasons.empty() ? "{\"" : ",\"") + number(static_cast<uint64_t>(value)) + "\":\"" + name + "\"";
  };
  for (const auto& [reason, name] : REASON_NAMES) add_reason(reason, name);
  for (const auto& [verdict, name] : VERDICT_NAMES) add_reason(verdict, name);
  add("SCRIPTS", scripts + "]"), add("REASONS", reasons + "}");
  results.clear();
  results.push_back(json + "}");
}

}  // namespace unilid::web
