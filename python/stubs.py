# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write enums.pyi, errors.pyi and records.pyi: types of the classes made at import from the library's tables.

Run it with PYTHONPATH=build/python after a table has changed. A test compares its output with the files.

    python3 python/stubs.py python/f2fskit
"""

from __future__ import annotations

import enum
import pathlib
import sys
from typing import Iterable

# The package beside this script lacks its extension module: take the one that was built.
sys.path[:] = [entry for entry in sys.path if pathlib.Path(entry).resolve() != pathlib.Path(__file__).resolve().parent]

import f2fskit  # noqa: E402
from f2fskit import enums, errors, records  # noqa: E402

HEAD = "# SPDX-License-Identifier: LGPL-2.1-or-later\n# Written by python/stubs.py.\n"


def enums_stub() -> str:
    """Return the text of enums.pyi."""
    lines = [HEAD + "import enum\nfrom typing import Any, Literal\n"]
    for name in sorted(enums.__all__):
        kind: type[enum.Enum] = getattr(enums, name)
        base = "IntFlag" if issubclass(kind, enum.IntFlag) else "IntEnum"
        members = "".join(f"    {key} = {int(value.value)}\n" for key, value in kind.__members__.items())
        lines.append(f"class {name}(enum.{base}):\n{members}")
    for kind in enums.NAMED:
        names = ", ".join(f'"{key.lower()}"' for key in kind.__members__)
        lines.append(f"{kind.__name__}Name = Literal[{names}]\n")
    lines.append("NAMED: tuple[Any, ...]\n")
    lines.append("FLAGS: dict[str, type[enum.IntFlag]]\n\ndef choose(kind: Any, value: Any) -> Any: ...\n")
    names = "".join(f'    "{name}",\n' for name in sorted(enums.__all__))
    return "\n".join([lines[0], f"__all__ = [\n{names}]\n", *lines[1:]])


def errors_stub() -> str:
    """Return the text of errors.pyi."""
    lines = [
        HEAD + "import contextlib\nfrom typing import Any\n",
        "class Error(Exception):\n"
        "    code: int\n    name: str\n    errno: Any\n    message: str\n    structure: str | None\n"
        "    rule: str | None\n    block: int | None\n    nid: int | None\n    offset: int | None\n    result: Any\n    filename: Any\n    filename2: Any\n    is_host: bool\n"
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


def field_type(field: f2fskit.Field) -> str:
    """Return the type of a field's value in a record."""
    value = field.convert(bytes(field.count)) if field.code == "s" else 0
    if field.name in enums.FLAGS:
        return f"enums.{enums.FLAGS[field.name].__name__}"
    if isinstance(value, tuple):
        return "tuple[str, ...]"
    if field.code == "s":
        return "uuid.UUID" if type(value).__name__ == "UUID" else type(value).__name__
    return "int" if field.count == 1 else "tuple[int, ...]"


def fields_stub(fields: Iterable[f2fskit.Field]) -> str:
    return "".join(f"    {field.name}: {field_type(field)}\n" for field in fields)


def records_stub() -> str:
    """Return the text of records.pyi."""
    lines = [HEAD + "import uuid\n\nfrom . import enums\nfrom .format import Record\n", "def class_name(structure: str) -> str: ...\n"]
    inode = [*f2fskit.structs["inode"].fields.values(), *f2fskit.structs["inode_extra"].fields.values()]
    words = "    i_addr: tuple[int, ...]\n    i_nid: tuple[int, ...]\n"
    lines.append("class InodeFields:\n" + fields_stub(inode) + words)
    for found in f2fskit.structs.values():
        lines.append(f"class {records.class_name(found.name)}(Record):\n" + fields_stub(found.fields.values()))
    names = "".join(f'    "{name}",\n' for name in records.__all__)
    return "\n".join([lines[0], f"__all__ = [\n{names}]\n", *lines[1:]])


def main(folder: pathlib.Path) -> None:
    (folder / "enums.pyi").write_text(enums_stub())
    (folder / "errors.pyi").write_text(errors_stub())
    (folder / "records.pyi").write_text(records_stub())


if __name__ == "__main__":
    assert f2fskit.__version__
    main(pathlib.Path(sys.argv[1]))
