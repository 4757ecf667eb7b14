#include "triage/normal_forms.h"

#include <re2/re2.h>

#include <deque>

#include "base/lazy_pattern.h"
#include "base/piece.h"

namespace pt2triage {
namespace {

// In order: what holds other things (paths, times) before what stands in them.
constexpr NormalForm kForms[] = {
    // Generated and temporary files: even their names change.
    {R"((?:[A-Za-z]:)?[\w./\\~+-]*[/\\]torchinductor_[\w.+-]*[/\\][\w./\\+-]*(?::\d+)*)",
     "<generated>", "failed in /tmp/torchinductor_me/ab/cab.py",
     "failed in <generated>"},
    {R"((?:[A-Za-z]:)?[/\\](?:[^\s"'<>|:]*[/\\])?tmp[a-z0-9_]{4,8}(?:[/\\][\w./\\+-]*|\b))",
     "<temp>", "no file /var/tmp/tmpab12cd34/main.cpp", "no file <temp>"},
    {R"(\btmp[a-z0-9_]{8}\b)", "<temp>", "tmpab12cd34 is missing",
     "<temp> is missing"},
    {R"(\brun_\d{4}[\d_]*-pid_\d+)", "run_#", "see run_2026_11_29-pid_94/out",
     "see run_#/out"},
    {R"((<eval_with_key>)\.\d+)", R"(\1.#)", "<eval_with_key>.9 is bad",
     "<eval_with_key>.# is bad"},
    {R"(\bIn ?\[\d+\])", "In[#]", "in Cell In[12], line 3",
     "in Cell In[#], line #"},
    {R"(<ipython-input-\d+-[0-9a-f]+>)", "<ipython-input>",
     "in <ipython-input-14-58f2b1d0c3aa>", "in <ipython-input>"},
    {R"([\w./\\-]*ipykernel_\d+[/\\]\d+\.py)", "<ipykernel>",
     "in /tmp/ipykernel_31/2761.py", "in <ipykernel>"},
    // Hashes and ids.
    {R"(\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b)", "<id>",
     "job 0b54a3d2-1c2d-4e5f-8a9b-0c1d2e3f4a5b failed", "job <id> failed"},
    // Times.
    {R"(\d{4}-\d\d-\d\d[ T_]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?)", "<time>",
     "failed at 2025-11-10 03:12:05", "failed at <time>"},
    {R"(\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b)", "<time>", "at 03:12:05.123 it failed",
     "at <time> it failed"},
    // Paths: an absolute one keeps its last component, a relative one too where
    // that is a file.
    {R"((^|[^\w.~+/\\#>-])(?:[A-Za-z]:[\\/]|~[\\/]|[\\/])(?:[^\\/\s:"'<>|(,](?:[^\\/\n:"'<>|(,]*[^\\/\s:"'<>|(,])?[\\/])*([^\\/\s:"'<>|(),]*[^\\/\s:"'<>|(),.]))",
     R"(\1\2)", "in /Users/x y/model/cases.py:52 here", "in cases.py here"},
    {R"((?:[\w.@+=#%~-]+[\\/])+([\w.-]+\.(?:pyx?|cpp|cc|c|cuh?|hpp|hip|h|so|dll|txt|json|ya?ml|log))\b)",
     R"(\1)", "in src/model.py:12 now", "in model.py now"},
    {R"((\.(?:pyx?|cpp|cc|c|cuh?|hpp|hip|h)["']?):\d+(?::\d+)?)", R"(\1)",
     "in model.py:40:7 now", "in model.py now"},
    {R"((\.(?:pyx?|cpp|cc|c|cuh?|hpp|hip|h))\(\d+(?:,\d+)?\))", R"(\1)",
     "kernel.cpp(88): bad", "kernel.cpp: bad"},
    {R"(\b(?:[0-9a-f]{32,}|[a-z2-7]{40,})\b)", "<hash>",
     "in /cache/ab/cabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs.py:3",
     "in <hash>.py"},
    {R"((?i)\b(line|lineno|line number)([:= ]+)\d+)", R"(\1\2#)",
     "line number: 88", "line number: #"},
    {R"(\bat \d+:\d+:)",
     "at #:", "CompilationError: at 9:11:", "CompilationError: at #:"},
    {R"((resume_in_\w+_at)_\d+)", R"(\1_#)", "torch_dynamo_resume_in_f_at_27",
     "torch_dynamo_resume_in_f_at_#"},
    // Addresses; short ones are codes.
    {R"(0[xX][0-9a-fA-F]{9,})", "0x", "object at 0x7f1234abcd00",
     "object at 0x"},
    {R"(\bat (?:0x|[0-9A-F]{12,16}\b))", "at 0x", "<f at 000001A2B3C4D5E0>",
     "<f at 0x>"},
    // Hosts and figures of the run.
    {R"(\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b)", "<host>", "peer [10.1.0.7]:44",
     "peer [<host>]:44"},
    {R"(\b(localhost):\d+)", R"(\1:#)", "localhost:29500 is gone",
     "localhost:# is gone"},
    {R"(\b\d+(?:\.\d+)? ?(ms|us|milliseconds|seconds|minutes)\b)", R"(# \1)",
     "ran for 60012 milliseconds", "ran for # milliseconds"},
    {R"((RMSE \(res-fp64\)): [\d.e+-]+, \(ref-fp64\): [\d.e+-]+)", R"(\1)",
     "RMSE (res-fp64): 0.01702, (ref-fp64): 0.00013", "RMSE (res-fp64)"},
    // Processes, ranks, devices.
    {R"((?i)\b(pids?|pid\(s\)|processe?s?|thread|tid)([:= ]+)\d+(?:, \d+)*)",
     R"(\1\2#)", "received by PID 4161", "received by PID #"},
    {R"(\d+ (Killed|Terminated)\b)", R"(# \1)", "a.sh: line 1:    88 Killed",
     "a.sh: line #:    # Killed"},
    {R"((?i)\b((?:global |local )?rank)([:= _]*)\d+)", R"(\1\2#)",
     "[Rank 3] is gone", "[Rank #] is gone"},
    {R"(^\[\d+\]( is setting up))", R"([#]\1)",
     "[1] is setting up NCCL communicator",
     "[#] is setting up NCCL communicator"},
    {R"(\b(cuda|hip|xpu|npu|hpu):\d+)", R"(\1:#)", "expected device cuda:3",
     "expected device cuda:#"},
    {R"(\b(GPU(?: node-)? ?)\d+)", R"(\1#)", "GPU 3 has a problem",
     "GPU # has a problem"},
    {R"(\b[0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d\b)", "<bus>",
     "device 0000:3B:00.0 fell off", "device <bus> fell off"},
    // What was asked for stays, what was free does not.
    {R"((Tried to allocate [\d.]+) ([KMGT]iB))", R"(\1\2)",
     "Tried to allocate 2.00 GiB", "Tried to allocate 2.00GiB"},
    {R"([\d.]+ (?:[KMGT]iB|bytes))", "# B",
     "GPU 0 has a total capacity of 79 GiB of which 2.5 MiB is free.",
     "GPU # has a total capacity of # B of which # B is free."},
    {R"(\(GPU #;[^)]*\))", "(GPU #)", "it is full (GPU 0; 8 in all; 1 free)",
     "it is full (GPU #)"},
    {R"((?i)\b(block|thread|global id|local id)(: )?\[[\d, ]+\])", R"(\1\2[#])",
     "x.cu: block: [3,0,0], thread: [1,0,0] Assertion",
     "x.cu: block: [#], thread: [#] Assertion"},
    {R"(\b(SeqNum=)\d+)", R"(\1#)", "WorkNCCL(SeqNum=412, OpType=X)",
     "WorkNCCL(SeqNum=#, OpType=X)"},
    // Compile ids, and all that is too long to mean anything.
    {R"((^|[ \[])!?\d+/\d+(?:_\d+)?(\]|: ))", R"(\1#\2)",
     "Guard fail reason: 0/0: x", "Guard fail reason: #: x"},
    {R"(\b\d{6,}\b)", "#", "___check_obj_id(mod, 140123456789)",
     "___check_obj_id(mod, #)"},
};

const std::deque<PatternRow<NormalForm>>& CompiledForms() {
  static const auto& patterns = *MakePatterns(NormalForms());
  return patterns;
}

}  // namespace

std::span<const NormalForm> NormalForms() { return kForms; }

std::string NormaliseText(std::string_view text) {
  std::string out(text);
  for (const PatternRow<NormalForm>& row : CompiledForms()) {
    if (!row.pattern.MayMatch(out)) continue;
    re2::RE2::GlobalReplace(&out, *row.pattern, ToPiece(row.row->form));
  }
  return out;
}

}  // namespace pt2triage
