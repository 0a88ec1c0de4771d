"""Where an experiment is played and how: what all of them are told alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.record import Record
from simcore.simulation import Progress


@dataclass(frozen=True)
class Session:
    """A folder, the command it is written by, and how its games are played.

    `resume` finishes what is there, `overwrite` replaces it. Nothing here changes a figure.
    """

    out: Path
    threads: int | None = None
    command: str = "seqlab"
    resume: bool = False
    overwrite: bool = False
    progress: Progress | None = None

    @property
    def report(self) -> Path:
        """Where the report goes."""
        return self.out / "report"

    def record(self, told: Mapping[str, Any]) -> Record:
        """Open the folder for an experiment, which is all that `told` says; raises StoreError."""
        return Record(self.out, told, self.command, self.resume, self.overwrite)
