// The parsers of the event layer on any text.
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "check.h"
#include "event/fault_handler.h"
#include "event/frames.h"
#include "event/graph_break.h"
#include "event/guard.h"
#include "event/recompile.h"
#include "event/traceback.h"
#include "triage/chain.h"
#include "triage/normal_forms.h"

using namespace pt2triage;  // NOLINT: nearly all of it

namespace {

void CheckTraceback(const Traceback& traceback) {
  Check(!traceback.blocks.empty(), "a traceback has an exception");
  Check(traceback.blocks.size() <= TracebackParser::kMaxBlocks + 8,
        "chains are bounded");
  for (const ExceptionBlock& block : traceback.blocks) {
    Check(!block.type.empty(), "an exception has a type");
    Check(block.frames.size() <= TracebackParser::kMaxFrames,
          "stacks are bounded");
    Check(block.message.size() <= 2 * TracebackParser::kMaxMessage + 2,
          "messages are bounded");
  }
  for (const ChainMember& member : BuildChain(traceback.blocks)) {
    Check(!member.type.empty(), "a member has a type");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = Text(data, size);
  TracebackParser tracebacks([](Traceback& t) { CheckTraceback(t); });
  CrashParser crashes([](const Event&) {});
  Evidence at;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = NextLine(&rest);
    at.length = line.size() + 1;
    const bool pytest = Consume(&line, "E   ");
    if (!crashes.OnLine({line, at, pytest})) {
      tracebacks.OnLine({line, at, pytest});
    }
    at.offset += at.length;
    ParseRichFrame(line);
    ParseListingLine(line);
    ParseGuard({"0/0", std::string(line)});
    NormaliseText(line);
  }
  tracebacks.Finish();
  crashes.Finish();
  for (const Traceback& traceback : ParseTracebacks(text)) {
    CheckTraceback(traceback);
  }
  Event event;
  ParseGraphBreakRecord(text, &event);
  ParseRecompileRecord(text, &event);
  ParseLimitRecord(text, &event);
  ParseGbMessage(text);
  return 0;
}
