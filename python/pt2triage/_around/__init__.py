"""What stands around a command of the user's: ``pt2triage run`` and its store."""
