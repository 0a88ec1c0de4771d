"""Bots' files with errors of every kind, in processes of their own."""

from __future__ import annotations

from pathlib import Path

from fuzzing import cases, rng_of
from helpers import JIT
from mangling import TEXTS, garble
from processes import Case, fuzz_processes

HEAD = "from simcore.kit import Parameter, plays\nimport numpy as np\n"
ARGS = "setting, table, seat, hand, own"
FIRST = "plays(setting, table, seat, hand)[0]"
GOOD = f"{HEAD}def choose({ARGS}):\n    return {FIRST}\n"
MODEL = f"{HEAD}class choose:\n    def choose(self, {ARGS}):\n        "

AT_IMPORT = (  # a line of a file that is not loaded
    *("1 / 0", "import nothing_like_it", "from simcore.kit import nothing", "raise SystemExit(0)"),
    *(
        "exit(3)",
        "import sys; sys.exit('bye')",
        "raise KeyboardInterrupt",
        "raise BaseException('x')",
    ),
    *("raise ValueError('a\\nb\\x1b[2J')", "while True: pass", "def f(): f()\nf()", "[0] * 10**18"),
    *("raise GeneratorExit", "import os; os.chdir('/nowhere')", "assert False", "x = y"),
    *(
        "class E(Exception):\n    __str__ = None\nraise E",
        "raise StopIteration",
        "[][1]",
        "{}['x']",
    ),
    *("raise ExceptionGroup('many', [ValueError(1), KeyError(2)])", "raise MemoryError"),
    *("class E(Exception):\n    def __str__(self): raise RuntimeError('no')\nraise E", "int('x')"),
)
SYNTAX = (
    *(
        "def (",
        "return 1",
        "if True:\nx = 1",
        "\tx = 1\n  y = 2",
        "x = '",
        "'''",
        "(" * 300,
        "é = $",
    ),
    *("f(**", "nonlocal x", "await x", "class", "lambda: (yield)\n)", "-" * 100_000 + "1"),
)
CHOOSE = (  # the body of a function, and what can be told of it
    *(("return 'x'", 2), ("return None", 2), ("return 1.5", 2), ("pass", 2), ("return (1, 2)", 2)),
    *(("return -1", 1), ("return 10**9", 1), ("return 1 << 62", 1), ("return True", 0)),
    *(("return hand[99]", 1), ("return hand[-99]", 1), ("return 1 // (seat - seat)", 1)),
    *(("return own.nothing", 2), ("return table.nothing", 2), ("return setting.deck", 2)),
    *(("hand[0] = 1\n    return 0", 2), ("table.turn = 5\n    return 0", 1), ("yield 1", 2)),
    *(("setting.teams = 1\n    return 0", 1), ("table.chip[3] = 1\n    return 0", 1)),
    *((f"return choose({ARGS})", 2), ("while True: pass", 2), ("raise ValueError('x\\ny')", 2)),
    *(("own.memory[6144] = 1\n    return 0", 1), ("own.params = 3\n    return 0", 2)),
    *(("return undefined", 2), ("import os\n    return 0", 2), ("return [0, 'x'][0]", 2)),
    *(("print('x')\n    return 0", 0), ("return len(setting)", 2), ("return np.zeros(3)", 2)),
    *(("global z\n    z = 1\n    return z", 2), ("while seat < 99: pass\n    return 0", 1)),
    *(("assert seat > 99\n    return 0", 1), ("return np.linalg.nothing(3)", 2)),
    *(("while True: np.zeros(9)\n    return 0", 2), (f"return {FIRST}", 0)),
)  # fmt: skip
METHOD = (  # the same of a method, which is not compiled
    *(("return 'x'", 1), ("return None", 1), ("return 1.5", 1), ("return -1", 1), ("1 / 0", 1)),
    *(("return own.nothing", 1), ("table.turn = 5", 1), ("hand[0] = 3", 1), ("exit(3)", 1)),
    *(("while True: pass", 1), ("raise KeyboardInterrupt", 1), ("return self.choose()", 1)),
    *((f"return self.choose({ARGS})", 1), ("raise ValueError('a\\nb')", 1), ("yield 1", 1)),
    *(
        ("import nothing_like_it", 1),
        ("return 10**30", 1),
        ("return [1]", 1),
        (f"return {FIRST}", 0),
    ),
    *(("return lambda: 1", 1), ("own.memory[9999] = 1", 1), ("setting.teams = 1", 1)),
)
FILES = (  # whole files
    *(
        "",
        "\n",
        "# nothing",
        "choose = 3",
        "choose = None",
        "choose = 'x'",
        "choose = len",
        "choose = [1]",
    ),
    *(
        "class choose: pass",
        "class choose:\n    choose = 3",
        "class choose:\n    def choose(self): pass",
    ),
    *(
        "class choose:\n    def __init__(self, x): pass",
        "class choose:\n    def __init__(self): 1 / 0",
    ),
    *(
        "def choose(): return 0",
        "def choose(a, b): return 0",
        "choose = lambda *a: 'x'",
        "chose = 1",
    ),
    *("import math as choose", "from simcore.strategy import Bot\nchoose = Bot('x', 'y', None)"),
    *(
        "from simcore.strategy import Bot\nchoose = Bot('x', 'y', 3, parameters=4)",
        "choose = print",
    ),
    *("class choose:\n    def __getattr__(self, name): raise OSError('x')", "choose = object()"),
    *("class M(type):\n    def __call__(self): exit(1)\nclass choose(metaclass=M): pass",),
    *("class choose:\n    def __init__(self):\n        while True: pass",),
)
EXTRA = (  # added to a bot that plays
    *("PARAMETERS = 3", "PARAMETERS = ('x',)", "PARAMETERS = None", "start = 3", "exchange = 'x'"),
    *(
        "PARAMETERS = (Parameter('x', 9, 0, 1, 'y'),)",
        "PARAMETERS = (Parameter('a b', 0, 0, 1, ''),)",
    ),
    *("PARAMETERS = (Parameter('x', 0, 0, 1, 'y'),) * 2", "def start(a): return 1", "forfeit = 1"),
    *("PARAMETERS = [Parameter(f'p{i}', 0, 0, 1, '') for i in range(99)]", "def forfeit(): pass"),
    *("PARAMETERS = (Parameter('no_blocking', 0, 0, 1, ''),)", "def exchange(a): return 1"),
    *(
        "def start(setting, params): return 'x'",
        "def start(setting, params): return np.zeros(9999)",
    ),
    *("def start(setting, params): 1 / 0", "def start(setting, params): return np.zeros((2, 2))"),
    *("def start(setting, params):\n    while True: pass", "def start(setting, params): exit(1)"),
    *("def start(setting, params):\n    setting.teams = 9\n    return np.zeros(1)",),
    *("def start(setting, params): return np.array([1e300, np.nan])", "__name__ = 3", "plays = 3"),
)
NAMES = (
    "bot.py:choose",
    "bot.py:Choose",
    "bot.py:",
    "bot.py",
    "bot.py::choose",
    "bot.py:choose:x=1",
)


def make(number: int, home: Path) -> Case:
    """Write a file and return a command that names it."""
    rng = rng_of("bot files", number)
    file, name, codes = home / "bot.py", "bot.py:choose", (0, 1, 2)
    kind = number % 10
    if kind == 0:
        body = f"{GOOD}{rng.choice(AT_IMPORT)}\n"
        codes = (2,)
    elif kind == 1:
        body, codes = f"{GOOD}{rng.choice(SYNTAX)}\n", (2,)
    elif kind in (2, 3):
        told, code = rng.choice(CHOOSE)
        body, codes = (
            f"{HEAD}def choose({ARGS}):\n    {told}\n",
            (code, 1) if code == 0 else (code,),
        )
    elif kind in (4, 5):
        told, code = rng.choice(METHOD)
        body, codes = MODEL + told + "\n", (code,)
    elif kind == 6:
        body, codes = rng.choice(FILES), (2,)
    elif kind == 7:
        body = f"{GOOD}{rng.choice(EXTRA)}\n"
    elif kind == 8:
        body, name = GOOD, rng.choice((*NAMES, "bot.py:" + rng.choice(TEXTS[1:])))
    else:
        body = ""
    name = name.replace("\0", "?")
    if kind == 9 and rng.random() < 0.2:
        file.mkdir()
    elif kind == 9:
        file.write_bytes(garble(rng, GOOD.encode()))
    else:
        file.write_text(body)
    play = ("simulate", "-s", name, "-s", "random", "--games", "4", "--threads", "1", "--out", "o")
    words = play if kind in (2, 3, 4, 5) or rng.random() < 0.6 else ("strategies", name)
    return Case(
        words,
        codes if words is play else (0, 1, 2),
        file.read_text("latin-1") if file.is_file() else "",
    )


@cases(5 if JIT else 2, 300)
def test_bot_files(count: int, tmp_path: Path) -> None:
    fuzz_processes("bot files", count, make, tmp_path, SEQLAB_STUCK_SECONDS="8")
