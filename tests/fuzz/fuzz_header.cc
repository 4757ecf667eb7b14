// Prefixes and envelopes of single lines.
#include <functional>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "check.h"
#include "record/envelope.h"
#include "record/log_header.h"

using pt2triage::CompileId;
using pt2triage::Envelope;
using pt2triage::EnvelopeParser;
using pt2triage::FindLogHeader;
using pt2triage::LogHeader;
using pt2triage::NextLine;
using pt2triage::ParseTracePrefix;

namespace {

bool Inside(std::string_view part, std::string_view whole) {
  const std::less_equal<const char*> le;
  return part.empty() ||
         (le(whole.data(), part.data()) &&
          le(part.data() + part.size(), whole.data() + whole.size()));
}

void CheckHeader(std::string_view line) {
  const std::optional<LogHeader> header = FindLogHeader(line);
  if (!header) return;
  for (std::string_view part :
       {header->time, header->process, header->path, header->path_line,
        header->artifact, header->identity, header->body}) {
    Check(Inside(part, line), "views lie in the line");
  }
  Check(header->start < line.size(), "a header begins in the line");
  Check(line.ends_with(header->body), "the body is the rest");
  Check(header->level != 0, "a header has a level");
  if (header->compile_id) {
    const auto again = CompileId::Parse(header->compile_id->ToString());
    Check(again == header->compile_id, "compile ids come back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text = Text(data, size);
  EnvelopeParser parser;
  Envelope envelope;
  while (!text.empty()) {
    const std::string_view line = NextLine(&text);
    CheckHeader(line);
    const auto prefix = ParseTracePrefix(line);
    const std::string_view json = prefix ? prefix->json : line;
    if (!parser.Parse(json, &envelope)) continue;
    Check(Inside(envelope.metadata, envelope.text.view()),
          "metadata lies in the envelope's text");
  }
  return 0;
}
