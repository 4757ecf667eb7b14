"""Triage for coding assistants, over the Model Context Protocol.

Read-only, and confined: `_folders` says which files may be read, `_desk` does the work
and keeps the latest `_scans`, `_rows` makes short answers of it, and `_server` is the
protocol. Only `_server` needs the `mcp` package.
"""
