"""`seqlab study`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from commands.console import print_findings
from commands.options import FolderOptions, Quiet, Seed, Threads
from commands.session import session


def study(
    folder: FolderOptions,
    file: Annotated[Path | None, typer.Argument(help="A TOML file of factors.")] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A study that is shipped: corners, deal, fairness, jacks, ..."),
    ] = None,
    new: Annotated[
        Path | None, typer.Option("--new", help="Write a commented sample file, and stop.")
    ] = None,
    games: Annotated[
        int | None, typer.Option(help="Games of each kind for each variant; as the file says.")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Put variants of the rules side by side on the same deals.

    Example: seqlab study --preset fairness
    """
    from experiments.variants import (
        StudyError,
        parse_study,
        preset_text,
        presets,
        read_study,
        sample_text,
    )

    if new is not None:
        _write_sample(new, sample_text())
        return
    if (file is None) == (preset is None):
        raise StudyError(f"study: give a FILE or --preset; presets: {', '.join(presets())}")
    if file is not None:
        found = read_study(file, games)
    else:
        found = parse_study(preset_text(str(preset)), f"preset {preset}", games)
    from experiments.study import run_study, study_games
    from simcore.simulation import check_numbers

    check_numbers(found.games, threads)
    with session("study", folder, seed, threads, study_games(found, seed), quiet) as how:
        page, sentences = run_study(found, how, seed)
    print_findings(sentences, page, quiet)


def _write_sample(file: Path, text: str) -> None:
    if file.exists():
        raise ValueError(f"new: {file} exists; allowed: a new file")
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"new: {file} cannot be written: {error.strerror or error}") from None
    print(f"{file} is written; play it with: seqlab study {file}", file=sys.stderr)
