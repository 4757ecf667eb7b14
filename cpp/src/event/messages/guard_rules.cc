// What guard failures say, from torch/_dynamo/guards.py and
// torch/csrc/dynamo/guards.cpp of 2.2 to 2.13. First match wins.
#include "base/rule_watch.h"
#include "event/guard.h"

namespace pt2triage {
namespace {

constexpr GuardRule kRules[] = {
    {"scalar-value",
     R"(__math_isnan\((?P<source>[^)]*)\)|math\.isnan\((?P<source2>[^)]*)\))",
     "__math_isnan(L['s'])"},
    {"container-length",
     R"(^___tuple_iterator_len\((?P<source>.*)\) == (?P<expected>\d+)$)",
     "___tuple_iterator_len(L['it']) == 2"},
    {"shape",
     R"(^tensor '(?P<source>.*)' size mismatch at index \d+\. expected (?P<expected>[^,]*), actual (?P<actual>.*)$)",
     "tensor 'L['x']' size mismatch at index 0. expected 3, actual 4"},
    {"shape",
     R"(^tensor '(?P<source>.*)' rank mismatch\. expected (?P<expected>[^,]*), actual (?P<actual>.*)$)",
     "tensor 'x' rank mismatch. expected 1, actual 2"},
    {"stride",
     R"(^tensor '(?P<source>.*)' stride mismatch at index \d+\. expected (?P<expected>[^,]*), actual (?P<actual>.*)$)",
     "tensor 'x' stride mismatch at index 0. expected 3, actual 1"},
    {"dtype",
     R"(^tensor '(?P<source>.*)' dtype mismatch\. expected (?P<expected>[^,]*), actual (?P<actual>.*)$)",
     "tensor 'x' dtype mismatch. expected Float, actual Double"},
    {"device",
     R"(^tensor '(?P<source>.*)' (?:Tensor )?device(?: index)? mismatch\. *[Ee]xpected (?P<expected>[^,]*), actual (?P<actual>.*)$)",
     "tensor 'x' Tensor device index mismatch. Expected device index to be 0, "
     "actual 1"},
    {"requires-grad",
     R"(^tensor '(?P<source>.*)' requires_grad mismatch\. expected requires_grad=(?P<expected>\d)(?:, actual (?P<actual>.*))?)",
     "tensor 'x' requires_grad mismatch. expected requires_grad=0"},
    {"dispatch-keys",
     R"(^tensor '(?P<source>.*)' dispatch key set mismatch\. expected (?P<expected>.*), actual (?P<actual>.*)$)",
     "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), "
     "actual DispatchKeySet(CPU, ADInplaceOrView)"},
    {"global-state", R"(^GLOBAL_STATE changed: (?P<source>.*?) *$)",
     "GLOBAL_STATE changed: grad_mode "},
    {"global-state",
     R"(___check_global_state\(\)|^torch_function_mode_stack|___check_torch_function_mode_stack|___check_deterministic|___is_grad_enabled|___check_current_backend\(0\))",
     "___check_global_state()"},
    {"backend-changed", R"(^BACKEND_MATCH failure|___check_current_backend)",
     "BACKEND_MATCH failure: torch.compile detected different backend "
     "callables."},
    {"weakref-died",
     R"((?:because )?(?P<source>\S+) got deallocated|___check_weakref_alive\((?P<source2>.*)\))",
     "Cache line invalidated because L['mod'] got deallocated"},
    {"object-identity",
     R"(^___check_obj_id\((?P<source>.*), (?P<expected>\d+)\))",
     "___check_obj_id(L['mod'], 140234)"},
    {"object-identity",
     R"(^Duplicate tensor found|^(?P<source>\S+) is (?P<expected>\S+)$)",
     "Duplicate tensor found where not expected!"},
    {"type",
     R"(^___check_type_id\((?P<source>.*?), \d+\), type=(?P<expected>.*)$)",
     "___check_type_id(n, 139849913160192), type=<class 'float'>"},
    {"type", R"(^___check_type_id\((?P<source>.*?), (?P<expected>\d+)\)?)",
     "___check_type_id(L['n'], 94021)"},
    {"type",
     R"(^expected type of '(?P<source>.*)' to be a tensor type, +(?:' +)?but found (?P<actual>.*?)'?$)",
     "expected type of 'L['x']' to be a tensor type, ' but found <class "
     "'int'>"},
    {"container-length", R"(^len\((?P<source>.*)\) == (?P<expected>\d+)$)",
     "len(L['xs']) == 2"},
    {"container-length", R"(^not (?P<source>[A-Za-z_]\S*)$)", "not L['xs']"},
    {"dict-keys", R"(^KeyError on (?P<source>.*)$)", "KeyError on L['d']['k']"},
    {"dict-keys",
     R"(^list\(dict\.keys\((?P<source>.*)\)\)\[\d+\] == (?P<expected>.*)$)",
     "list(dict.keys(d))[0] == 'a'"},
    {"dict-keys",
     R"(^(?:set|list|tuple)\((?P<source>.*)\.keys\(\)\) == (?P<expected>.*)$)",
     "set(G['glob'].keys()) == {'0', 'a'}"},
    {"dict-keys",
     R"(___dict_contains\((?P<expected>.*), (?P<source>.*)\)|___dict_version|DICT_VERSION|not ___dict_contains|.*\bin (?P<source2>\S+)$)",
     "___dict_contains('a', L['d'])"},
    {"module-attribute",
     R"(^(?:getattr|hasattr) failed on source (?P<source>.*)$|^(?:not )?(?:getattr|hasattr)\((?P<source2>.*)\))",
     "getattr failed on source self"},
    {"module-attribute", R"(^(?P<source>.*\btraining) == (?P<expected>.*)$)",
     "L['self'].training == True"},
    {"symbolic-shape",
     R"((?P<source>[^ ]*\.(?:size|stride)\(\)\[\d+\]).*(?:==|!=|<|>|%)|\.storage_offset\(\)|Eq\(|Ne\(|Mod\()",
     "L['x'].size()[0] <= 5"},
    {"symbolic-shape",
     R"(^(?:not )?-?\d[\d.]* *(?:<=|<) *(?P<source>.*)$|^(?P<source2>.*) (?:<=|<|>=|>) -?\d+$)",
     "2 <= n"},
    {"scalar-value", R"(^(?P<source>.+?) == (?P<expected>.*)$)", "L['n'] == 3"},
    {"object-identity", R"(^___check_|^(?P<source>\S+) is (?:not )?\S+$)",
     "L['f'] is not None"},
};

PT2TRIAGE_WATCH_TABLE(kRules, row.pattern);

}  // namespace

std::span<const GuardRule> GuardRules() { return kRules; }

}  // namespace pt2triage
