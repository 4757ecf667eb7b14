"""``python -m pt2triage``."""

import sys

from pt2triage.cli import main

if __name__ == "__main__":
    sys.exit(main())
