"""What differs between two prints of one failure, as edits of a log's text.

Each edit takes the text and a number that chooses the new value, and gives what
another machine, run, rank or line would have printed. `failures` has the
opposite: edits that make another failure of it. tests/python/test_fingerprints.py
holds both against the fingerprints.
"""

from edits import devices, machine, places, prefixes
from edits.naming import Edit

EDITS: dict[str, Edit] = {
    "pids": machine.other_pids,
    "times": machine.other_times,
    "addresses": machine.other_addresses,
    "ids": machine.other_ids,
    "hosts": machine.other_hosts,
    "uuids": machine.other_uuids,
    "compile ids": machine.other_compile_ids,
    "patch version": machine.other_patch_version,
    "home": places.other_home,
    "home with a space": places.home_with_a_space,
    "home below /tmp": places.home_below_tmp,
    "environment": places.other_environment,
    "generated files": places.other_generated_files,
    "temp folder": places.other_temp_folder,
    "temp names": places.other_temp_names,
    "debug folders": places.other_debug_folders,
    "notebook": places.other_notebook,
    "Windows": places.on_windows,
    "Windows, conda": places.on_windows_with_conda,
    "lines": places.other_lines,
    "free memory": devices.other_free_memory,
    "GPU": devices.other_gpu,
    "threads": devices.other_threads,
    "collective": devices.other_collective,
    "accuracy figures": devices.other_accuracy_figures,
    "rank": prefixes.other_rank,
    "test parameters": prefixes.other_test_parameters,
    "rank prefix": prefixes.with_rank,
    "torchrun prefix": prefixes.with_torchrun,
    "CI times": prefixes.with_ci_times,
    "colour": prefixes.with_colour,
    "CRLF": prefixes.with_crlf,
}
