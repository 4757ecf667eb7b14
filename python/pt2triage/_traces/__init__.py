"""Structured traces: their tables, what they answer, what they carry.

``trace`` reads them; ``times`` and ``chains`` answer questions of one run, ``ranks`` of
its ranks, ``diff`` of two runs; ``records`` hands out records with their payloads, of
which ``extract`` and ``chromium`` write files.
"""
