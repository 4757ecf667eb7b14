"""A report for people to read: as text, as HTML."""
