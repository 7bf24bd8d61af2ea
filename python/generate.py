# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generate the C source of the extension module f2fskit._f2fskit from the public headers.

The headers are the only definition of the interface. This script runs them through the C preprocessor, with
F2FSKIT_CDEF defined and empty system headers. It takes the constants from the list of macros, and passes the
declarations to cffi. When the module is compiled, cffi checks each of them against the real headers.

Every function pointer, which is a member of a structure or a parameter of a function, gets a callback of its type that
Python can implement. Names: struct f2fs_device_ops, member read -> py_device_ops_read; f2fs_walk, parameter visit ->
py_walk_visit.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# Headers of the C library that public headers may include; cffi knows the types of those that matter.
SYSTEM_HEADERS = ("errno.h", "limits.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "sys/types.h")

INTEGER_MACRO = re.compile(r"#define\s+(F2FS_\w+)\s+\(?\s*-?(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\s*\)?$")
POINTER_TO_FUNCTION = re.compile(r"([\w\s*]+?)\(\s*\*\s*(\w+)\s*\)\s*\(([^()]*)\)")


def preprocess(compiler: list[str], include: pathlib.Path, headers: list[pathlib.Path], *flags: str) -> str:
    """Return the preprocessor's output for all headers together."""
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder)
        for name in SYSTEM_HEADERS:
            stub = empty / name
            stub.parent.mkdir(exist_ok=True)
            stub.write_text("")
        unit = empty / "all.c"
        unit.write_text("".join(f'#include "{header.resolve()}"\n' for header in headers))
        command = [*compiler, "-E", "-P", "-DF2FSKIT_CDEF", "-nostdinc", "-undef", *flags]
        command += ["-I", str(empty), "-I", str(include), str(unit)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def split_declarations(text: str) -> list[str]:
    """Split preprocessed C into its top-level declarations."""
    found = []
    start = depth = 0
    for i, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth == 0 and char == ";":
            found.append(" ".join(text[start : i + 1].split()))
            start = i + 1
        elif depth == 0 and char == "}" and not re.match(r"\s*(typedef|struct|union|enum)\b", text[start:i]):
            start = i + 1  # a function with a body: not part of the interface of a shared library
    return [declaration for declaration in found if not declaration.startswith("_Static_assert")]


def find_constants(macros: str) -> list[str]:
    """Return the declarations of all macros that are integers."""
    names = {match[1] for line in macros.splitlines() if (match := INTEGER_MACRO.match(line.strip()))}
    return [f"#define {name} ..." for name in sorted(names)]


def find_callbacks(declarations: list[str]) -> list[str]:
    """Return a prototype for each pointer to a function."""
    found = []
    for declaration in declarations:
        if "{" in declaration:
            head, body = declaration.split("{", 1)
            owner = head.split()[1] if len(head.split()) > 1 else ""
        else:
            head, _, body = declaration.partition("(")
            owner = head.split()[-1].lstrip("*")
        for result, name, arguments in POINTER_TO_FUNCTION.findall(body):
            found.append(f"{result.strip()} py_{owner.removeprefix('f2fs_')}_{name}({arguments});")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=pathlib.Path, required=True, help="folder that holds f2fskit/")
    parser.add_argument("--header", type=pathlib.Path, action="append", required=True, help="header to bind")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("compiler", nargs="+")
    arguments = parser.parse_args()

    import cffi  # here, since tests/lint/abi.py takes the headers apart without it

    def run(*flags: str) -> str:
        return preprocess(arguments.compiler, arguments.include, arguments.header, *flags)

    declarations = split_declarations(run())
    ffi = cffi.FFI()
    ffi.cdef("\n".join(find_constants(run("-dM")) + declarations))
    ffi.cdef('extern "Python" {\n' + "\n".join(find_callbacks(declarations)) + "\n}")
    includes = "".join(f'#include "{header.resolve()}"\n' for header in arguments.header)
    ffi.set_source("f2fskit._f2fskit", includes)
    ffi.emit_c_code(str(arguments.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
