"""Where fingerprints are not yet what they should be, and where an edit makes no sense.

MISSES: edit -> (what is missing, the logs whose fingerprints it changes).
UNSEEN: edit of tests/edits/failures.py -> (what is missing, the logs where another
failure has the same fingerprint). A miss that is repaired fails as a passed xfail.
"""

RECOMPILE_ERRORS = {
    "2.2.2/error_on_recompile",
    "2.4.1/error_on_recompile",
    "2.6.0/error_on_recompile",
    "2.13.0/error_on_recompile",
    "synthetic/ci_xdist_five_kinds",
    "synthetic/gha_recompile_error",
}
OOM = {
    "synthetic/neg_eager_oom",
    "synthetic/oom_eager_disabled_region",
    "synthetic/oom_generated_alloc",
    "synthetic/oom_in_autotune_lowering",
    "synthetic/other_rank_oom_eager_nccl_echo",
}
# Messages that name a file of the user.
PATHS = RECOMPILE_ERRORS | {
    "reports/003",
    "synthetic/cudagraph_overwrite",
    "synthetic/loguru_diagnose_global_state",
    "synthetic/neg_import_error",
    "synthetic/other_runner_lost_mid_compile",
}

MISSES: dict[str, tuple[str, set[str]]] = {
    "pids": (
        "numbers after PID and Process, and before a shell's Killed",
        {
            "2.13.0/two_ranks",
            "synthetic/other_rank_oom_eager_nccl_echo",
            "synthetic/other_runner_lost_mid_compile",
            "synthetic/sigkill_137_after_autotune",
            "synthetic/torchrun_sigsegv",
        },
    ),
    "hosts": ("IP addresses and ports", {"synthetic/gloo_closed_printed_before_root"}),
    "compile ids": ("`0/0: ` in a text", {"synthetic/guard_same_frame_buildkite"}),
    "home with a space": ("folders with a space", PATHS),
    "home below /tmp": ("files of the user in /tmp keep their names", PATHS),
    "notebook": (
        "the number of a cell in a frame's file name",
        {
            "reports/012",
            "synthetic/openvino_jupyter",
            "synthetic/vscode_links_constraint_chain",
        },
    ),
    "Windows": (
        "an assertion of ATen in a path with backslashes is ATen's",
        {"synthetic/aten_device_assert"},
    ),
    "Windows, conda": (
        "`envs\\NAME\\Lib\\` is the standard library",
        {
            "2.2.2/accuracy_dynamo",
            "2.4.1/accuracy_dynamo",
            "2.4.1/mark_dynamic_violation",
            "2.13.0/two_ranks",
            "synthetic/aten_device_assert",
            "synthetic/pytest_timeout_in_wait",
            *(
                f"{version}/{scenario}"
                for version in ("2.2.2", "2.4.1", "2.6.0", "2.13.0")
                for scenario in ("inductor_cpp_error", "minify_compile", "segfault")
            ),
        },
    ),
    "lines": ("line number: N", {"synthetic/stance_fail_on_recompile_rank1"}),
    "free memory": ("the figures of a device out of memory", OOM),
    "GPU": ("the index of a device", OOM | {"synthetic/memory_fault_rocm"}),
    "accuracy figures": (
        "the figures of RMSE",
        {"reports/027", "synthetic/harness_ci_accuracy_table"},
    ),
    "rank": ("`[N] is setting up`", {"synthetic/nccl_store_timeout_compile_words"}),
}

UNSEEN: dict[str, tuple[str, set[str]]] = {
    "guard source": (
        "of a message only the first line counts",
        RECOMPILE_ERRORS
        | {
            "2.2.2/export_constraint",
            "2.4.1/export_constraint",
            "2.6.0/export_constraint",
            "synthetic/ci_subtests_pytest9",
            "synthetic/ci_tb_line_full_summary",
            "synthetic/export_constraint",
            "synthetic/stance_fail_on_recompile_rank1",
            "synthetic/vscode_links_constraint_chain",
        },
    ),
}

# JSON escapes its backslashes, a Unix shell has no drives.
NOT_APPLICABLE: dict[str, set[str]] = {
    "Windows": {
        "synthetic/other_runner_lost_mid_compile",
        "synthetic/structlog_json_exception",
    },
}
NOT_APPLICABLE["Windows, conda"] = NOT_APPLICABLE["Windows"]

# Patterns of synthetic cases that print one and the same failure.
SAME_FAILURE = [
    r"prefix_|interleaved_ranks$|exception_group$",
    r"ci_unittest_subtests_py310$|ci_xdist_five_kinds$",
    r"ipython_verbose_locals$|rich_show_locals$",
]
