"""A slow, plain reader of the record grammar of docs/log-grammar.md.

It exists only for tests: the C++ core must find the same records in every file
of tests/data. It favours being obviously right over everything else: whole
files in memory, one regular expression per rule, standard library only.
"""

from oracle.records import Record, read_records

__all__ = ["Record", "read_records"]
