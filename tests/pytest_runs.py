"""Runs of pytest with our plugin in them."""

from importlib.metadata import entry_points

# As an installed package has it; `-p` where only the files are there.
PLUGIN = (
    ()
    if entry_points(group="pytest11", name="pt2triage")
    else ("-p", "pt2triage.pytest_plugin")
)
