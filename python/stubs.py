# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write enums.pyi and errors.pyi: what type checkers see of the classes that are made at import from the library's tables.

Run it with PYTHONPATH=build/python after a table has changed; a test compares its output with the files.

    python3 python/stubs.py python/f2fskit
"""

from __future__ import annotations

import enum
import pathlib
import sys

# The package beside this script lacks its extension module: take the one that was built.
sys.path[:] = [entry for entry in sys.path if pathlib.Path(entry).resolve() != pathlib.Path(__file__).resolve().parent]

import f2fskit  # noqa: E402
from f2fskit import enums, errors  # noqa: E402

HEAD = "# SPDX-License-Identifier: LGPL-2.1-or-later\n# Written by python/stubs.py.\n"


def enums_stub() -> str:
    """Return the text of enums.pyi."""
    lines = [HEAD + "import enum\nfrom typing import Any\n"]
    for name in sorted(enums.__all__):
        kind: type[enum.Enum] = getattr(enums, name)
        base = "IntFlag" if issubclass(kind, enum.IntFlag) else "IntEnum"
        members = "".join(f"    {key} = {int(value.value)}\n" for key, value in kind.__members__.items())
        lines.append(f"class {name}(enum.{base}):\n{members}")
    lines.append("FLAGS: dict[str, type[enum.IntFlag]]\n\ndef choose(kind: Any, value: Any) -> Any: ...\n")
    names = "".join(f'    "{name}",\n' for name in sorted(enums.__all__))
    return "\n".join([lines[0], f"__all__ = [\n{names}]\n", *lines[1:]])


def errors_stub() -> str:
    """Return the text of errors.pyi."""
    lines = [
        HEAD + "import contextlib\nfrom typing import Any\n",
        "class Error(Exception):\n"
        "    code: int\n    name: str\n    errno: Any\n    message: str\n    structure: str | None\n"
        "    rule: str | None\n    block: int | None\n    nid: int | None\n    offset: int | None\n    result: Any\n    is_host: bool\n"
        '    def __init__(self, errno: int = 0, message: str = "") -> None: ...\n',
    ]
    for found in errors.CLASSES.values():
        bases = ", ".join(base.__name__ for base in found.__bases__)
        lines.append(f"class {found.__name__}({bases}): ...\n")
    lines.append(
        "CLASSES: dict[int, type[Error]]\n\n"
        'def make(code: int, message: str, errno: int = 0) -> Error: ...\n'
        "def naming(path: Any, second: Any = None) -> contextlib.AbstractContextManager[None]: ...\n"
        "def is_mistake(error: BaseException) -> bool: ...\n"
        "def from_detail(code: int, detail: Any) -> Error: ...\n"
    )
    names = "".join(f'    "{name}",\n' for name in errors.__all__)
    return "\n".join([lines[0], f"__all__ = [\n{names}]\n", *lines[1:]])


def main(folder: pathlib.Path) -> None:
    (folder / "enums.pyi").write_text(enums_stub())
    (folder / "errors.pyi").write_text(errors_stub())


if __name__ == "__main__":
    assert f2fskit.__version__
    main(pathlib.Path(sys.argv[1]))
