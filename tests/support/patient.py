"""Settings of hypothesis under which a loaded machine fails no test."""

from hypothesis import HealthCheck, settings

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
