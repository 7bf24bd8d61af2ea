# SPDX-License-Identifier: LGPL-2.1-or-later
"""Static analysis: clang-tidy over every source of library and programs, without a warning (.clang-tidy has the checks).

    tidy.py ROOT BUILD_FOLDER [FILE...]

Without clang-tidy the test is skipped. --self-test proves that a defect is found.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import lint

FOLDERS = ("lib", "cli", "dump", "edit", "fsck", "fuse", "inject", "label", "mkfs", "mounted", "sload")
SKIP = 77


def sources(root, build):
    """Return the sources of library and programs that the build compiles."""
    with open(pathlib.Path(build) / "compile_commands.json") as file:
        entries = json.load(file)
    paths = {(pathlib.Path(e["directory"]) / e["file"]).resolve() for e in entries}
    folders = [root / folder for folder in FOLDERS]
    return sorted(p for p in paths if any(f in p.parents for f in folders) and root / "build" not in p.parents)


def analyse(config, build, path):
    """Return the lines that clang-tidy has to say about one file."""
    command = ["clang-tidy", "--quiet", f"--config-file={config}", "-p", str(build), str(path)]
    # gcc's own warning options in the compile commands are nothing to complain about
    command += ["--extra-arg=-Wno-unknown-warning-option"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    lines = [line for line in done.stdout.splitlines() if " warning: " in line or " error: " in line]
    lines = [os.path.normpath(os.path.join(build, line)) if line.startswith("..") else line for line in lines]
    return lines or ([f"{path}: clang-tidy exited with {done.returncode}"] if done.returncode else [])


def check(root, build, chosen):
    root = pathlib.Path(root).resolve()
    paths = [pathlib.Path(p).resolve() for p in chosen] or sources(root, build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda path: analyse(root / ".clang-tidy", build, path), paths)
    return sorted({line for lines in results for line in lines})


def self_test(root):
    config = pathlib.Path(root).resolve() / ".clang-tidy"
    programs = {
        "good.c": "int twice(int x);\nint twice(int x)\n{\n\treturn 2 * x;\n}\n",
        "bad.c": "int divide(int x);\nint divide(int x)\n{\n\tint zero = 0;\n\treturn x / zero;\n}\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        lint.write_tree(folder, programs)
        entries = [{"directory": folder, "file": name, "arguments": ["cc", "-c", name]} for name in programs]
        lint.write_tree(folder, {"compile_commands.json": json.dumps(entries)})
        found = [bool(analyse(config, folder, pathlib.Path(folder) / name)) for name in programs]
    print(f"self-test: good.c and bad.c complained about: {found}")
    return 0 if found == [False, True] else 1


if __name__ == "__main__":
    if not shutil.which("clang-tidy"):
        print("no clang-tidy")
        sys.exit(SKIP)
    if sys.argv[1] == "--self-test":
        sys.exit(self_test(sys.argv[2]))
    sys.exit(lint.report(check(sys.argv[1], sys.argv[2], sys.argv[3:])))
