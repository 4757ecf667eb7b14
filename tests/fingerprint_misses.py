"""Where fingerprints are not yet what they should be, and where an edit makes no sense.

MISSES: edit -> (what is missing, the logs whose fingerprints it changes).
UNSEEN: edit of tests/edits/failures.py -> (what is missing, the logs where another
failure has the same fingerprint). A miss that is repaired fails as a passed xfail.
"""

MISSES: dict[str, tuple[str, set[str]]] = {}

UNSEEN: dict[str, tuple[str, set[str]]] = {}

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
    r"tail_\w+_no_compiler$",
    r"prefix_|interleaved_ranks$|exception_group$",
    r"ci_unittest_subtests_py310$|ci_xdist_five_kinds$",
    r"ipython_verbose_locals$|rich_show_locals$",
    r"ci_buildkite_fourteen_classes_210$|spawn_exited_exception_sigsegv$",
    r"data_dependent_attention_24$|data_dependent_double_spaced_24$",
    r"double_spaced_cuda_error_25$|powershell_utf8_bom_first_line$",
    r"mail_wrapped_",
    r"ray_(seg_systemerror|unpickle_typeerror)$",
]
