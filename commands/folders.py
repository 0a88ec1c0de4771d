"""`seqlab check` and `merge`: folders of runs, looked at and put together."""

import json
from typing import Annotated

import typer

from commands.options import Json, Overwrite, Quiet, Resume
from simcore.given import tame


def check(
    folder: Annotated[str, typer.Argument(help="The folder of a run or comparison, or its URL.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell whether a run's folder is whole and unaltered: every file, by its checksum.

    The exit code is 1 if a file is missing, damaged, surplus or foreign, or parts are not played.

    Example: seqlab check runs/run-0
    """
    from dataclasses import asdict

    from experiments.checked import check_folder

    files, found = check_folder(folder)
    if as_json:
        findings = [asdict(finding) for finding in found]
        print(json.dumps({"files": files, "findings": findings}, indent=1))
    else:
        for finding in found:
            print(tame(f"{finding.kind}: {finding.name}: {finding.told}"))
        if not found and not quiet:
            print(f"{files:,} files, all as written")
    if found:
        raise typer.Exit(1)


def merge(
    folders: Annotated[list[str], typer.Argument(help="The folders of all shares of a run.")],
    out: Annotated[str, typer.Option(help="Folder to write.")],
    resume: Resume = False,
    overwrite: Overwrite = False,
) -> None:
    """Put the shares that `simulate --shard K/N` played together as one run.

    Example: seqlab merge runs/share-1 runs/share-2 --out runs/whole
    """
    from commands.console import keeping
    from simcore.merge import merge

    with keeping(out, "parts"):
        merge(folders, out, resume=resume, overwrite=overwrite)
    print(out)
