"""The command `seqlab`: parse, call one function, print.

Modules that take long to import are imported inside the commands, so that `--help` is there at
once.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Annotated, Any

import typer

from commands import bots, folders, games, match, play, power, rules, study, tournament, tune, worth
from commands.console import INTERRUPTED, TERMINATED, Interrupted, Terminated
from commands.options import grouped
from simcore.given import InputError, tame

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
_COMMANDS: dict[str, Callable[..., None]] = {
    "run": play.run,
    "simulate": play.simulate,
    "report": play.report,
    "tournament": tournament.tournament,
    "match": match.match,
    "study": study.study,
    "worth": worth.worth,
    "power": power.power,
    "tune": tune.tune,
    "strategies": bots.strategies,
    "new-strategy": bots.new_strategy,
    "rules": rules.rules,
    "board": rules.board,
    "check": folders.check,
    "merge": folders.merge,
    "replay": games.replay,
    "verify": games.verify,
    "bench": play.bench,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(grouped(_command))

# All usage errors of the command line derive from this one, wherever typer keeps it.
_UsageError: Any = typer.BadParameter.__base__


def main() -> None:
    """Run the command line and exit with the code that scripts can rely on.

    0 success, 2 bad input, 1 a failure on the way, 130 interrupted, 143 terminated. Errors are one
    line.
    """
    signal.signal(signal.SIGTERM, _terminate)
    code = _run(typer.main.get_command(app))
    watch = sys.modules.get("simcore.watch")
    if watch is not None and watch.left_behind():
        # A bot that does not stop would keep the process, or be torn down while it runs.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _run(command: Any) -> int:
    try:
        code = int(command.main(standalone_mode=False, prog_name="seqlab") or 0)
        return _interrupted() if code == INTERRUPTED else code
    except _UsageError as error:
        return _refuse(error.format_message())
    except Interrupted as error:
        return _fail(str(error), error.code)
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except BrokenPipeError:
        return 1
    except ValueError as error:
        return _refuse(str(error))
    except (RuntimeError, OSError) as error:
        return _fail(str(error), 1)
    except Exception as error:
        if os.environ.get("SEQLAB_TRACEBACK"):
            raise
        told = f"unexpected {type(error).__name__}: {error}"
        return _fail(f"{told}; SEQLAB_TRACEBACK=1 shows where; please report it", 1)


def _refuse(message: str) -> int:
    """Fail for bad input, which may be of any length, in a line that ends."""
    return _fail(str(InputError(message)), 2)


_terminated = threading.Event()
"""Set by SIGTERM, since typer makes one end of all interrupts."""


def _terminate(number: int, frame: object) -> None:
    _terminated.set()
    raise Terminated


def _interrupted() -> int:
    if _terminated.is_set():
        return _fail("terminated", TERMINATED)
    return _fail("interrupted", INTERRUPTED)


def _fail(message: str, code: int) -> int:
    print(f"error: {tame(message)}", file=sys.stderr)
    return code


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"seqlab {version('sequence-lab')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Play millions of bot games of Sequence, and report what they show.

    Example: seqlab run -s balanced -s greedy --games 200000
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


if __name__ == "__main__":
    main()
