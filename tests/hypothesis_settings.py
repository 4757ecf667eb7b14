"""How the property tests of fingerprints run."""

from hypothesis import HealthCheck, settings

# The same examples each time: a new miss is found by who changes something.
SAME_EACH_TIME = settings(
    database=None,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
