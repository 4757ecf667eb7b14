"""Answers questions about logs in some folders; keeps the latest scans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pt2triage import knowledge, scan
from pt2triage._cluster_paths import cluster
from pt2triage._diff import Diff
from pt2triage._errors import OpenError
from pt2triage._mcp._folders import Folders, RefusedError
from pt2triage._mcp._rows import cut_lines, diff_row, finding_row, report_row
from pt2triage._mcp._scans import Scans
from pt2triage._saved import is_saved, load
from pt2triage.report.reread import open_again, read_quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage._clusters import Clusters
    from pt2triage._core import Finding
    from pt2triage._mcp._rows import Row
    from pt2triage._report import Report
    from pt2triage._types import Progress

# Findings that are listed, and what is read of a source at once.
FINDINGS = 20
MOST_FINDINGS = 50
LINES = 40
MOST_LINES = 200
_BYTES = 16 << 10
_PLACES = 3

_SCAN_FIRST = "no kept scan has it: call scan first"


class Desk:
    """What the tools of the server do. Several threads may ask at the same time."""

    def __init__(self, folders: Folders, *, confidential: bool = False) -> None:
        self._folders = folders
        self._confidential = confidential
        self._scans = Scans()

    def told(self, error: RefusedError) -> str:
        """Why a question is not answered."""
        if not self._confidential:
            return str(error)
        from pt2triage._confidential import clean

        return clean(str(error))

    def scan(self, paths: Sequence[str], limit: int, progress: Progress) -> Row:
        """What failed in some files or folders."""
        if not paths:
            raise RefusedError("name at least one file or folder")
        real = [self._folders.resolve(path) for path in paths]
        try:
            report = scan(real, progress=progress)
        except OpenError as error:
            raise RefusedError(f"{error.filename}: {error.strerror}") from error
        self._scans.keep(real, report)
        return report_row(self._shown(report), min(max(limit, 1), MOST_FINDINGS))

    def explain(self, word: str) -> Row:
        """What a word means, or the cause of a finding that was scanned."""
        finding = self._find(word)
        about: Row = {}
        if finding is not None:
            about["finding"] = finding_row(finding)
            word = f"{finding.category}/{finding.cause}"
        found = knowledge.explain(word)
        close = [] if found else list(knowledge.close_words(word))
        return {
            **about,
            "explanations": [one.to_dict() for one in found],
            "close": close,
        }

    def evidence(self, fingerprint: str) -> Row:
        """The lines that prove a finding, as far as they can be read again."""
        finding = self._find(fingerprint, whole=True)
        if finding is None:
            raise RefusedError(f"{fingerprint}: {_SCAN_FIRST}")
        places: list[Row] = []
        for place in finding.evidence[:_PLACES]:
            source = (
                None
                if self._confidential
                else self._scans.source(place.source, self._folders)
            )
            quote = read_quote(place, source)
            texts = cut_lines((text for _, text in quote.lines), MOST_LINES)
            numbers = (number for number, _ in quote.lines)
            places.append(
                {
                    **self._named(place.source),
                    "line": place.line,
                    "offset": place.offset,
                    "quoted": [
                        {"line": number, "text": text}
                        for number, text in zip(numbers, texts, strict=False)
                    ],
                }
            )
        return {
            "fingerprint": finding.fingerprint,
            "places": places,
            "more_places": len(finding.evidence) - len(places),
            **self._why_no_lines(),
        }

    def lines_at(self, source: str, offset: int, lines: int) -> Row:
        """Some lines of a source that was scanned."""
        if self._confidential:
            raise RefusedError("the server is confidential: no lines of logs are shown")
        known = self._scans.source(source, self._folders)
        file = None if known is None or offset < 0 else open_again(known)
        if file is None:
            raise RefusedError(
                f"{source}: {_SCAN_FIRST}; streams, members of archives and files that "
                "have changed are not read again"
            )
        with file:
            file.seek(offset)
            data = file.read(_BYTES)
            more = bool(file.read(1))
        texts = data.decode("utf-8", "replace").split("\n")
        if more and len(texts) > 1:
            texts.pop()  # it may be cut
        shown = cut_lines(texts, min(max(lines, 1), MOST_LINES))
        used = sum(len(line) + 1 for line in data.split(b"\n")[: len(shown)])
        end = offset + min(used, len(data))
        return {
            "source": source,
            "offset": offset,
            "quoted": shown,
            "next_offset": end if more or used < len(data) else None,
        }

    def diff(self, before: str, after: str, progress: Progress) -> Row:
        """What failed before, and what fails after."""
        made = Diff(self._side(before, progress), self._side(after, progress))
        return diff_row(made.confidential() if self._confidential else made)

    def next_command(self, fingerprint: str | None) -> Row:
        """How to learn more about a finding: the first of the latest scan if None."""
        if fingerprint is None:
            latest = next(iter(self._scans), None)
            if latest is None or latest.finding is None:
                raise RefusedError(
                    "nothing failed in the latest scan, or there is none"
                )
            fingerprint = latest.finding
        finding = self._find(fingerprint)
        if finding is None:
            raise RefusedError(f"{fingerprint}: {_SCAN_FIRST}")
        row = finding_row(finding)
        kept = ("fingerprint", "category", "cause", "next_command", "remedy")
        commands = [step.command for step in finding.remedy if step.command]
        return {
            **{key: row[key] for key in kept},
            "remedy_commands": cut_lines(commands, _PLACES),
        }

    def _shown(self, report: Report) -> Report:
        return report.confidential() if self._confidential else report

    def _find(self, fingerprint: str, *, whole: bool = False) -> Finding | None:
        """A finding of the latest scans, as it may be shown, or `whole`."""
        found = self._scans.find(fingerprint)
        if found is None:
            return None
        report, index = found
        return (report if whole else self._shown(report)).findings[index]

    def _named(self, source: str) -> dict[str, Any]:
        if not self._confidential:
            return {"source": source}
        from pt2triage._confidential import file_name

        return {"source": file_name(source)}

    def _why_no_lines(self) -> Row:
        if not self._confidential:
            return {}
        return {"confidential": True, "note": "no lines of logs are shown"}

    def _side(self, path: str, progress: Progress) -> Clusters:
        real = self._folders.resolve(path)
        try:
            if is_saved(real):
                return load(real, baselines=False)
        except OpenError as error:
            raise RefusedError(f"{error.filename}: {error.strerror}") from error
        return cluster(real, progress=progress)
