"""What one source gave, sent as bytes: the report is the same."""

import pickle

import pytest

from cases import Case, all_cases
from pt2triage import _core


def results_of(case: Case) -> list[_core.Result]:
    results = []
    for path in (case.log, *case.traces):
        scanner = _core.Scanner(bytes(path))
        scanner.feed(path.read_bytes())
        results.append(scanner.finish())
    return results


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_a_case_sent_gives_the_same_report(case: Case) -> None:
    sent = pickle.loads(pickle.dumps(results_of(case)))
    assert _core.make_report(sent) == _core.make_report(results_of(case))


def test_damage_is_told() -> None:
    data = _core.Scanner(b"a").finish().to_bytes()
    with pytest.raises(ValueError, match="it is damaged"):
        _core.Result.from_bytes(data[:-1])
    with pytest.raises(ValueError, match="another version"):
        _core.Result.from_bytes(b"")


def test_a_result_is_used_up() -> None:
    result = _core.Scanner(b"a").finish()
    _core.make_report([result])
    with pytest.raises(ValueError, match="merged into a report already"):
        result.to_bytes()
