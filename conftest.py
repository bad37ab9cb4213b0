"""Hypothesis as every test of the repository runs it: how long an example takes says nothing.

All environments of tox share two cores, and the first example often pays for imports.
"""

from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
