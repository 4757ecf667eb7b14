#include "record/trace_kinds.h"

#include <algorithm>
#include <array>
#include <span>

namespace pt2triage {
namespace {

using Flags = TraceKind;
constexpr uint8_t kPlain = 0;
constexpr uint8_t kIsArtifact = Flags::kIsArtifact;
constexpr uint8_t kInterns = Flags::kInterns;
constexpr uint8_t kKeepPayload = Flags::kKeepPayload;
constexpr uint8_t kReadMetadata = Flags::kReadMetadata;
constexpr uint8_t kStackInMetadata = Flags::kStackInMetadata;
constexpr uint8_t kStackOfRecord = Flags::kStackOfRecord;
constexpr uint8_t kTabulate = Flags::kTabulatePayload;
constexpr uint8_t kUserStack = Flags::kUserStack;

// Sorted by name. Every top-level record that PyTorch 2.4 to 2.13 can write,
// and the two that only tlparse knows.
constexpr auto kRecords = std::to_array<TraceKind>({
    {"aot_autograd_backward_compilation_metrics", kPlain},
    {"aot_backward_graph", kPlain},
    {"aot_forward_graph", kPlain},
    {"aot_inference_graph", kPlain},
    {"aot_joint_graph", kPlain},
    {"artifact", kIsArtifact},
    {"bwd_compilation_metrics", kReadMetadata | kStackOfRecord},
    {"bwd_compilation_metrics_runtime", kPlain},
    {"chromium_event", kPlain},
    {"compilation_metrics", kReadMetadata | kStackOfRecord},
    {"compilation_metrics_runtime", kPlain},
    {"compiled_autograd_graph", kPlain},
    {"create_symbol", kUserStack},
    {"create_unbacked_symbol", kUserStack},
    {"describe_source", kPlain},
    {"describe_storage", kPlain},
    {"describe_tensor", kPlain},
    {"dump_file", kPlain},
    {"dynamo_cpp_guards_str", kPlain},
    {"dynamo_guards", kPlain},
    {"dynamo_output_graph", kPlain},
    {"dynamo_start", kStackInMetadata},
    {"export", kPlain},
    {"exported_program", kPlain},
    {"expression_created", kPlain},
    {"graph_dump", kPlain},
    {"guard_added", kUserStack},
    {"guard_added_fast", kUserStack},
    {"guard_on_data_dependent_error", kUserStack},
    {"inductor_output_code", kPlain},
    {"inductor_post_grad_graph", kPlain},
    {"inductor_pre_grad_graph", kPlain},
    {"link", kPlain},
    {"mismatched_fake_kernel", kPlain},
    {"missing_fake_kernel", kPlain},
    {"optimize_ddp_split_child", kPlain},
    {"optimize_ddp_split_graph", kPlain},
    {"propagate_real_tensors", kUserStack},
    {"propagate_real_tensors_provenance", kUserStack},
    {"str", kInterns},
    {"symbolic_shape_specialization", kUserStack},
});

// Sorted by name. Every `artifact` whose name is fixed; the computed names are
// in kComputed.
constexpr auto kArtifacts = std::to_array<TraceKind>({
    {"after_activation_quantization_bwd_aten_pass", kPlain},
    {"after_activation_quantization_fwd_aten_pass", kPlain},
    {"after_joint_graph", kPlain},
    {"after_post_grad_graph", kPlain},
    {"after_pre_grad_graph", kPlain},
    {"aot_forward_graph_fw_metadata", kPlain},
    {"aot_forward_graph_fw_subclass_metadata", kPlain},
    {"aot_inference_graph_after_hop_passes", kPlain},
    {"aot_joint_graph_sync_decision_cross_ranks", kPlain},
    {"aot_saved_tensors_hooks_graphs", kPlain},
    {"aotautograd_cache_hash", kPlain},
    {"aotautograd_cache_pickle_failure", kTabulate},
    {"backward_epilogue", kPlain},
    {"backward_prologue", kPlain},
    {"backward_subclass_unwrap", kPlain},
    {"backward_subclass_wrapper", kPlain},
    {"before_activation_quantization_bwd_aten_pass", kPlain},
    {"before_activation_quantization_fwd_aten_pass", kPlain},
    {"before_joint_graph", kPlain},
    {"before_post_grad_graph", kPlain},
    {"before_pre_grad_graph", kPlain},
    {"compiled_autograd_compile_reasons", kPlain},
    {"compiled_autograd_graph_pre_reordering", kPlain},
    {"compiled_fn_wrapper", kPlain},
    {"compiled_function_backward", kPlain},
    {"compiled_function_forward", kPlain},
    {"compiler_collective", kPlain},
    {"debug_assert_wrapper", kPlain},
    {"dedup_wrapper", kPlain},
    {"dynamo_cache_bypass", kTabulate},
    {"dynamo_cache_entries", kPlain},
    {"dynamo_cache_exception", kTabulate},
    {"dynamo_error", kKeepPayload | kStackOfRecord},
    {"dynamo_graph_break_reason", kKeepPayload},
    {"dynamo_side_effects", kPlain},
    {"eager_compile_backwards_failure", kKeepPayload | kStackOfRecord},
    {"effect_tokens_wrapper", kPlain},
    {"functionalized_rng_wrapper", kPlain},
    {"fx_bucketing_passes_all_gather_buckets", kPlain},
    {"fx_bucketing_passes_reduce_scatter_buckets", kPlain},
    {"fx_collectives_analytical_estimation", kPlain},
    {"fx_collectives_node_runtime_estimation", kPlain},
    {"fx_compute_nodes_runtime_estimation", kPlain},
    {"fx_graph_bundled_cache_hit", kTabulate},
    {"fx_graph_cache_hash", kPlain},
    {"fx_graph_cache_hit", kTabulate},
    {"fx_graph_cache_miss", kTabulate},
    {"fx_graph_runnable", kPlain},
    {"fx_interpreter_error", kKeepPayload | kStackOfRecord},
    {"fx_net_acc_splitter_finder_events", kPlain},
    {"get_extra_remote_code_state", kPlain},
    {"graph_execution", kPlain},
    {"guard_collective", kPlain},
    {"inductor_autotune_at_compile_time_code", kPlain},
    {"inductor_collective_schedule", kTabulate},
    {"inductor_fx_passes_overlap_bucketing", kPlain},
    {"inductor_generated_kernel_to_post_grad_nodes", kPlain},
    {"inductor_graph_execution", kPlain},
    {"inductor_overlap_cyclic_extra_deps", kPlain},
    {"inductor_post_grad_graph", kPlain},
    {"inductor_post_to_pre_grad_nodes", kPlain},
    {"inductor_provenance_tracking_kernel_stack_traces", kPlain},
    {"inductor_provenance_tracking_node_mappings", kPlain},
    {"inductor_runtime_and_tensor_meta", kPlain},
    {"inductor_spmd_graph_mismatch", kPlain},
    {"inductor_triton_kernel_to_post_grad_nodes", kPlain},
    {"invoke_subgraph_backward_duplicate", kPlain},
    {"make_fx_fail_partial", kKeepPayload | kStackOfRecord},
    {"min_cut_failed_edge_list", kPlain},
    {"min_cut_failed_fx_graph", kPlain},
    {"min_cut_failed_svg", kPlain},
    {"min_cut_information", kPlain},
    {"mutation_epilogue", kPlain},
    {"output_alias_wrapper", kPlain},
    {"overlap_scheduling_graph_after", kPlain},
    {"overlap_scheduling_graph_before", kPlain},
    {"pge_profile_vs_analytical", kPlain},
    {"post_decomp_comms", kPlain},
    {"pre_bucketing_collective_sizes", kPlain},
    {"pre_bucketing_collective_sizes_after", kPlain},
    {"pre_bucketing_fsdp_collectives", kPlain},
    {"pre_decomp_comms", kPlain},
    {"precompile_cache_bypass", kTabulate},
    {"put_local_code_state", kPlain},
    {"put_remote_code_state", kPlain},
    {"recompile_reasons", kKeepPayload},
    {"reorder_communication_preserving_peak_memory", kPlain},
    {"runtime_wrapper_orchestration", kPlain},
    {"scheduler_nodes_before_comm_overlap", kPlain},
    {"sink_waits_iterative_info", kPlain},
    {"subclass_wrapper", kPlain},
    {"synthetic_base_wrapper", kPlain},
    {"torch._functorch.config", kPlain},
    {"torch_version", kKeepPayload},
    {"triton_kernel_info", kPlain},
});

// Names with a part that is made at run time.
struct Computed {
  std::string_view prefix;
  std::string_view suffix;
  bool artifact;
  TraceKind kind = {"", kPlain};
};
constexpr auto kComputed = std::to_array<Computed>({
    {"", "_MODIFIED_BYTECODE", true},
    {"", "_ORIGINAL_BYTECODE", true},
    {"", "_ITERATIVE_RECOMPUTE_ERROR", true},
    {"", "_fused", true},
    {"", "_post_grad", true},
    {"", "_pre_grad", true},
    {"aotautograd_cache_", "", true, {"", kTabulate}},
    {"cff_", "", true},
    {"fx_graph_cache_", "", true, {"", kTabulate}},
    {"get_", "_code_state", true},
    {"optimus_", "", true},
    {"put_", "_code_state", true},
    {"aot_", "_saved_tensors_hooks", false},
    {"aot_saved_tensors_hooks_", "", false},
});

const TraceKind* Find(std::span<const TraceKind> table, std::string_view name) {
  const auto it = std::lower_bound(
      table.begin(), table.end(), name,
      [](const TraceKind& kind, std::string_view n) { return kind.name < n; });
  return it != table.end() && it->name == name ? &*it : nullptr;
}

const TraceKind* FindComputed(std::string_view name, bool artifact) {
  const auto* const it =
      std::find_if(kComputed.begin(), kComputed.end(), [&](const Computed& c) {
        return c.artifact == artifact &&
               name.size() > c.prefix.size() + c.suffix.size() &&
               name.starts_with(c.prefix) && name.ends_with(c.suffix);
      });
  return it == kComputed.end() ? nullptr : &it->kind;
}

}  // namespace

const TraceKind* FindRecordKind(std::string_view name) {
  if (const TraceKind* kind = Find(kRecords, name)) return kind;
  return FindComputed(name, false);
}

const TraceKind* FindArtifactKind(std::string_view name) {
  if (const TraceKind* kind = Find(kArtifacts, name)) return kind;
  return FindComputed(name, true);
}

std::span<const TraceKind> AllRecordKinds() { return kRecords; }
std::span<const TraceKind> AllArtifactKinds() { return kArtifacts; }

}  // namespace pt2triage
