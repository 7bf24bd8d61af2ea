# SPDX-License-Identifier: LGPL-2.1-or-later
"""Headers: each compiles alone, twice in a row; the public ones as strict C11 and as C++11, without a warning.

    headers.py ROOT CONFIG_FOLDER COMPILER...

COMPILER is a C compiler command that understands -x c++ (gcc, clang). Without support for C++ that part is skipped,
which the output says.
"""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

import lint

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wundef", "-Werror", "-fsyntax-only"]
# not -Wshadow for C++: a struct and a function of one name (as in stat(2)) are meant
C11 = ["-x", "c", "-std=c11", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes"]
CXX = ["-x", "c++", "-std=c++11", "-Wold-style-cast"]


def compile_text(compiler, language, folders, text):
    """Return the compiler's complaints, empty if there are none."""
    command = compiler + language + STRICT + [f"-I{f}" for f in folders] + ["-"]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else done.stdout.strip() or f"exit status {done.returncode}"


def include_twice(name):
    """A header alone, again (include guards), and something after it, so that it is not an empty translation unit."""
    return f"#include {name}\n#include {name}\nextern int something;\n"


def jobs_of(root, config):
    """Yield (what, language, include folders, text) for each header."""
    for path in sorted((root / "include/f2fskit").glob("*.h")):
        text = include_twice(f"<f2fskit/{path.name}>")
        yield f"{path.name} as C", C11, [root / "include"], text
        yield f"{path.name} as C++", CXX, [root / "include"], text
    for path in sorted((root / "lib").rglob("*.h")):
        name = path.relative_to(root / "lib").as_posix()
        if name.startswith("host/windows/"):  # compile for Windows alone
            continue
        text = include_twice(f'"{name}"')
        flags = C11 + ["-D_POSIX_C_SOURCE=200809L", "-D_FILE_OFFSET_BITS=64"]
        yield name, flags, [root / "lib", root / "include", config], text


def check(root, config, compiler):
    root = pathlib.Path(root)
    jobs = list(jobs_of(root, config))
    if compile_text(compiler, CXX, [], "extern int something;\n"):
        print("no C++ compiler: headers are checked as C only")
        jobs = [job for job in jobs if not job[0].endswith("as C++")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda job: (job[0], compile_text(compiler, *job[1:])), jobs)
    return [f"{what}: {complaint}" for what, complaint in results if complaint]


GOOD = "#ifndef A_H\n#define A_H\n#include <stdint.h>\nstruct a { uint32_t x; };\n#endif\n"
BAD = {
    "twice.h": "struct a { int x; };\n",
    "needs.h": "#ifndef A_H\n#define A_H\nstruct a { uint32_t x; };\n#endif\n",
    "word.h": "#ifndef A_H\n#define A_H\nint f(int class);\n#endif\n",
    "gnu.h": "#ifndef A_H\n#define A_H\nstruct a { };\n#endif\n",
}


def self_test(compiler):
    failures = 0
    with tempfile.TemporaryDirectory() as root:
        lint.write_tree(root, {"include/f2fskit/good.h": GOOD, "lib/base/good.h": GOOD})
        failures += len(check(root, root, compiler))
    for name, text in BAD.items():
        with tempfile.TemporaryDirectory() as root:
            lint.write_tree(root, {f"include/f2fskit/{name}": text})
            findings = check(root, root, compiler)
            if not findings and not (name == "word.h" and compile_text(compiler, CXX, [], "int a;\n")):
                print(f"self-test: {name} was accepted")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        sys.exit(self_test(sys.argv[2:]))
    sys.exit(lint.report(check(sys.argv[1], sys.argv[2], sys.argv[3:])))
