#include "triage/judge_exception.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "event/graph_break.h"
#include "event/guard.h"
#include "event/messages/cause_rules.h"
#include "event/messages/graph_break_types.h"
#include "event/recompile.h"
#include "triage/run_time_rules.h"

namespace pt2triage {
namespace {

std::optional<std::string> BackendOf(const std::vector<ChainMember>& chain,
                                     const StackFacts& facts) {
  bool wrapped_by_debug = false;
  for (const ChainMember& member : chain) {
    std::string_view name = BackendName(member.message);
    if (!name.empty()) return std::string(name);
    wrapped_by_debug =
        wrapped_by_debug || member.message.starts_with("debug_wrapper raised");
  }
  if (!facts.backend_module.empty() && facts.backend_module != "inductor") {
    return facts.backend_module;
  }
  bool inductor = facts.Has(kInductorCompile | kGeneratedCode | kAotInductor |
                            kCudaGraphs) ||
                  facts.backend_module == "inductor";
  for (const ChainMember& member : chain) {
    inductor =
        inductor || (member.known != nullptr &&
                     member.known->module.starts_with("torch._inductor"));
  }
  if (inductor) return "inductor";
  return std::nullopt;
}

bool ProvesCompile(const Event& event, const ChainMember& member) {
  if (member.message.starts_with("backend=")) return true;
  for (const ExceptionBlock& block : event.blocks) {
    if (block.suffixes & ExceptionBlock::kSuppressAdvice) return true;
  }
  return false;
}

// `X.__init__() missing 2 required positional arguments`: X did not survive
// pickling, and is what was raised.
const ExceptionClass* Unpickled(const ChainMember& member) {
  if (AfterLast(member.type, '.') != "TypeError") return nullptr;
  std::string_view message = FirstLine(member.message);
  size_t init = message.find("__init__() missing ");
  if (init == std::string_view::npos) return nullptr;
  std::string_view name = message.substr(0, init);
  if (name.ends_with('.')) name.remove_suffix(1);
  return name.empty() ? nullptr : FindExceptionClass(name);
}

// The texts of `member` and of what it wraps or was raised from.
std::string TextFrom(const std::vector<ChainMember>& chain,
                     const ChainMember& member) {
  std::string text;
  for (size_t i = static_cast<size_t>(&member - chain.data()); i < chain.size();
       ++i) {
    text += chain[i].type + ": " + chain[i].message.substr(0, 4000) + '\n';
  }
  return text;
}

// What the stage of the compile says where no text says more.
std::string_view StageCause(const StackFacts& facts) {
  struct Row {
    uint32_t stage;
    std::string_view cause;
  };
  constexpr Row kRows[] = {
      {kTritonStage, "triton-compile"},
      {kSubprocess, "subprocess"},
      {kFxPass, "fx-pass"},
      {kScheduling, "scheduling"},
      {kCodegen, "codegen"},
      {kLowering, "lowering"},
      {kAotCompile, "aot-autograd"},
  };
  for (const Row& row : kRows) {
    if (facts.stage & row.stage) return row.cause;
  }
  return "other";
}

std::string BackendCause(const std::vector<ChainMember>& chain,
                         const StackFacts& facts, std::string_view text) {
  bool memory = AfterLast(chain.back().type, '.') == "OutOfMemoryError";
  if (memory && facts.Has(kAutotune)) return "autotuning";
  std::string_view cause = CauseOf(Category::kBackendCompilerFailed, text);
  return std::string(cause == "other" ? StageCause(facts) : cause);
}

Category CategoryOfKnown(const std::vector<ChainMember>& chain,
                         const ChainMember& member, const StackFacts& facts,
                         std::string* cause) {
  const ExceptionClass& known = *member.known;
  std::string text = TextFrom(chain, member);
  std::string_view first = FirstLine(member.message);
  bool limit = Contains(first, "cache_size_limit reached") ||
               Contains(first, "recompile_limit reached") ||
               Contains(first, "recompile limit exceeded") ||
               Contains(first, "cache limit exceeded");
  if (known.category == Category::kGraphBreak && limit) {
    *cause = "limit-reached";
    return Category::kRecompilation;
  }
  *cause = !known.cause.empty() ? std::string(known.cause)
           : known.category == Category::kGraphBreak
               ? BreakCause(member.message, text)
           : known.category == Category::kBackendCompilerFailed
               ? BackendCause(chain, facts, text)
               : std::string(CauseOf(known.category, text));
  if (known.name == "TorchRuntimeError") {
    std::string_view better = CauseOf(known.category, text);
    if (better == "missing-fake-kernel") cause->assign(better);
  }
  return known.category;
}

// What an exception that is none of PT2's own means, by where it was raised.
void JudgeForeign(const Event& event, const std::vector<ChainMember>& chain,
                  const StackFacts& facts, const SourceContext& context,
                  Draft* draft) {
  Finding& finding = draft->finding;
  RunTimeVerdict verdict = JudgeRunTime(event, chain, facts, context);
  finding.category = verdict.category;
  finding.cause = verdict.cause;
  draft->pt2 = verdict.category != Category::kOther;
  for (const ChainMember& member : chain) {
    const ExceptionClass* real = Unpickled(member);
    if (real == nullptr || real->category == Category::kNone) continue;
    finding.category = real->category;
    finding.cause = real->cause.empty() ? "other" : std::string(real->cause);
    finding.phase = Phase::kTrace;
    draft->pt2 = true;
    break;
  }
}

// Reason, explanation and hints of the graph break in the chain.
void FillReason(const std::vector<ChainMember>& chain, Finding* finding) {
  // A higher-order operator's error only says that its body broke.
  auto is_break = [](const ChainMember& member, bool unsupported) {
    return member.known != nullptr &&
           member.known->category == Category::kGraphBreak &&
           (!unsupported || member.known->name == "Unsupported");
  };
  const bool unsupported =
      std::any_of(chain.begin(), chain.end(), [&](const ChainMember& member) {
        return is_break(member, /*unsupported=*/true);
      });
  for (const ChainMember& member : chain) {
    if (!is_break(member, unsupported)) continue;
    GbMessage message = ParseGbMessage(member.message);
    if (message.reason.empty()) continue;
    finding->reason = std::move(message.reason);
    if (!message.explanation.empty()) {
      finding->explanation = std::move(message.explanation);
    }
    finding->hints = std::move(message.hints);
    if (!message.id.empty()) finding->graph_break_id = std::move(message.id);
    return;
  }
}

// A trace says that capture failed, and where, but not with which exception.
void JudgeUnnamed(const Event& event, Finding* finding) {
  StackFacts facts = FactsOf(event);
  finding->category = Category::kGraphBreak;
  finding->cause = "other";
  finding->message = event.message;
  finding->phase = Phase::kTrace;
  finding->compile_mode = ModeOf(facts);
  SetUserFrame(UserFrameOf(event, 0), finding);
}

}  // namespace

const StackFrame* UserFrameOf(const Event& event, size_t selected) {
  const std::vector<ExceptionBlock>& blocks = event.blocks;
  std::vector<size_t> order;
  if (selected < blocks.size()) order.push_back(selected);
  for (size_t i = blocks.size(); i-- > 0;) {
    if (i != selected) order.push_back(i);
  }
  for (bool package : {false, true}) {
    for (size_t i : order) {
      if (blocks[i].user_frames.empty()) continue;
      const StackFrame* frame = InnermostForeignFrame(blocks[i].user_frames);
      if (frame != nullptr) return frame;
    }
    for (size_t i : order) {
      const StackFrame* frame = InnermostUserFrame(blocks[i].frames, package);
      if (frame != nullptr) return frame;
    }
  }
  return nullptr;
}

void SetUserFrame(const StackFrame* frame, Finding* finding) {
  if (frame != nullptr) finding->user_frame = *frame;
}

StackFacts FactsOf(const Event& event) {
  StackFacts facts;
  for (const ExceptionBlock& block : event.blocks) {
    AddStackFacts(block.frames, &facts);
    if (block.suffixes & ExceptionBlock::kListsCompile) {
      facts.bits |= kListedCompile;
    }
  }
  return facts;
}

void AppendGuardFailures(const std::vector<GuardText>& guards,
                         Finding* finding) {
  for (const GuardText& guard : guards) {
    finding->guard_failures.push_back(ParseGuard(guard));
  }
}

std::string BreakCause(std::string_view reason, std::string_view text) {
  const GraphBreakType* type = FindGraphBreakType(Trim(FirstLine(reason)));
  if (type != nullptr) {
    // The registry has one type for all that is skipped.
    bool skipped = type->cause == "skipped-function" &&
                   Contains(text, "third-party C/C++ Python extension");
    return skipped ? "c-extension" : std::string(type->cause);
  }
  std::string_view cause = CauseOf(Category::kGraphBreak, reason);
  if (cause == "other") cause = CauseOf(Category::kGraphBreak, text);
  return std::string(cause);
}

void FillChain(const std::vector<ChainMember>& chain, Finding* finding) {
  for (const ChainMember& member : chain) {
    finding->exception_chain.push_back({member.type, member.message});
    Category category = member.known ? member.known->category : Category::kNone;
    bool new_category =
        category != Category::kNone && category != finding->category &&
        !(finding->category == Category::kBackendCompilerFailed &&
          category == Category::kTritonKernel) &&
        !(finding->category == Category::kRecompilation &&
          category == Category::kGraphBreak);
    std::vector<Category>& others = finding->secondary_categories;
    if (new_category &&
        std::find(others.begin(), others.end(), category) == others.end()) {
      others.push_back(category);
    }
  }
}

void JudgeException(const Event& event, const SourceContext& context,
                    Draft* draft) {
  Finding& finding = draft->finding;
  std::vector<ChainMember> chain = BuildChain(event.blocks);
  finding.severity = event.logged ? Severity::kWarning : Severity::kError;
  if (chain.empty() && event.name == "make_fx_fail_partial") {
    JudgeUnnamed(event, &finding);
    return;
  }
  if (chain.empty()) {  // only a launcher's summary
    finding.category = Category::kOther;
    finding.cause = "other";
    finding.message = std::string(FirstLine(event.message));
    draft->collateral = true;
    draft->pt2 = false;
    return;
  }
  StackFacts facts = FactsOf(event);
  const ChainMember& member = *SelectMember(chain);
  bool own = member.known != nullptr &&
             (member.known->flags & ExceptionClass::kPt2) != 0;
  if (own) {
    finding.category = CategoryOfKnown(chain, member, facts, &finding.cause);
  } else {
    JudgeForeign(event, chain, facts, context, draft);
  }
  draft->collateral =
      chain.front().known != nullptr && !own &&
      (chain.front().known->flags & ExceptionClass::kReraise) != 0;
  finding.exception = member.type;
  finding.message = member.message;
  FillChain(chain, &finding);
  FillReason(chain, &finding);
  if (Phase phase = PhaseOf(facts); phase != Phase::kUnknown) {
    finding.phase = phase;
  }
  if (own && finding.phase == Phase::kUnknown) {
    bool run = (member.known->flags & ExceptionClass::kRunTime) != 0 ||
               finding.category == Category::kTritonKernel;
    finding.phase = run ? Phase::kRun : Phase::kTrace;
  }
  finding.compile_mode = ModeOf(facts);
  if (CompileMode attempt = ModeOfHeading(event.context);
      attempt != CompileMode::kUnknown) {
    finding.compile_mode = attempt;
  }
  if (finding.compile_mode == CompileMode::kUnknown && !facts.Has(kExport) &&
      ProvesCompile(event, member)) {
    finding.compile_mode = CompileMode::kCompile;
  }
  SetUserFrame(UserFrameOf(event, member.block), &finding);
  const std::vector<StackFrame>& root = event.blocks[chain.back().block].frames;
  if (!root.empty()) finding.raised_at = root.back();
  if (finding.category != Category::kOther &&
      finding.category != Category::kGraphBreak &&
      finding.category != Category::kRecompilation) {
    finding.backend = BackendOf(chain, facts);
  }
  if (finding.category == Category::kBackendCompilerFailed &&
      finding.cause == "other" &&
      finding.backend.value_or("inductor") != "inductor") {
    finding.cause = "custom-backend";
  }
  Event recompile;
  if (finding.category == Category::kRecompilation) {
    if (ParseRecompileRecord(member.message, &recompile) ||
        ParseStanceError(member.message, &recompile)) {
      AppendGuardFailures(recompile.guards, &finding);
      if (recompile.user_frame) finding.user_frame = recompile.user_frame;
    }
    if (!finding.guard_failures.empty() && finding.cause == "other") {
      finding.cause = finding.guard_failures.front().cause;
    }
    finding.compile_mode = CompileMode::kCompile;
    finding.phase = Phase::kTrace;
  }
  bool faulted = finding.category == Category::kRuntimeCrash ||
                 finding.category == Category::kTritonKernel ||
                 (finding.category == Category::kAccuracy && !own);
  // Such texts come out of compiled code that runs, whoever shows them.
  const bool runs = finding.cause == "size-stride-assert" ||
                    finding.cause == "cudagraph-overwrite" ||
                    finding.cause == "nan-assert";
  if (faulted && finding.phase == Phase::kUnknown &&
      (runs ||
       (!event.blocks.empty() && !event.blocks.back().frames.empty()))) {
    finding.phase = Phase::kRun;  // a device's fault reaches any later call
  }
  if (finding.category == Category::kGraphBreak &&
      finding.phase == Phase::kUnknown) {
    finding.phase = Phase::kTrace;
  }
  if (finding.category == Category::kOther) {
    finding.phase = Phase::kUnknown;
    finding.compile_mode = CompileMode::kUnknown;
  }
}

}  // namespace pt2triage
