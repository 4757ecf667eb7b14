"""The peak of a command's memory."""

# Runs the command, then tells the peak of its memory (that of rusage may be the
# parent's).
SCRIPT = """
import re, sys
from pt2triage.cli import main
status = main(sys.argv[1:])
with open("/proc/self/status") as file:
    sys.stderr.write(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1])
sys.exit(status)
"""
