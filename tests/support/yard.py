"""A profile with a lease on it, for watchdogs without the rest of the launcher."""

import os
from pathlib import Path
from typing import Any

from launcher import record
from launcher.job import Job
from launcher.leases import Leases


def replaced(job: Job, **changes: Any) -> Job:
    """The same job but for this."""
    return Job(**{**vars(job), **changes})


class Yard:
    """The profile, our lease, and jobs for it."""

    def __init__(self, profile: Path) -> None:
        self.profile = profile
        self.leases = Leases(profile)
        self.leases.prepare()
        self.lease = self.leases.take("test")

    def job(self, program: Path, **changes: Any) -> Job:
        """Start this program, headless, on the profile."""
        job = Job(
            argv=[str(program), "--headless", f"--user-data-dir={self.profile}"],
            profile=str(self.profile),
            headless=True,
            pipes=[],
            keep_open=False,
            remove_profile=False,
            close=5.0,
            terminate=0.5,
        )
        return replaced(job, **changes)

    @property
    def known(self) -> record.Record:
        """The record of the browser that lives now."""
        known = record.read(self.profile)
        assert known is not None
        return known

    @property
    def traces(self) -> set[str]:
        """What is left in the profile, but for the folder of ours."""
        return set(os.listdir(self.profile)) - {".chrome-bridge"}
