"""Settings of hypothesis under which a loaded machine fails no test; no test has a deadline."""

from hypothesis import HealthCheck, settings

patient = settings(suppress_health_check=[HealthCheck.too_slow])
