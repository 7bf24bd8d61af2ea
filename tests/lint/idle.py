# SPDX-License-Identifier: LGPL-2.1-or-later
"""Idle functions: each function that a file of the library gives to others has a caller there. One that only tests call is
code that no volume needs; one that only its own file calls is static, unless a test calls it, too.

    idle.py NM ROOT ARCHIVE...

Definitions are read from the object files of the layers' static libraries, and for inline functions from the headers; callers
from the sources, of which a build compiles only some. Functions of the public interface are called from outside, and names
with two underscores are the compiler's.
"""
import pathlib
import re
import sys

import circles
import lint

COMMENT = re.compile(r"/\*.*?\*/", re.S)
INLINE = re.compile(r"^static inline [^;{}()]*?\b(\w+)\(", re.M)
WORD = re.compile(r"\b[a-z_]\w+\b")
NOT_JUDGED = ("f2fs_", "__")
# Called by tests alone, and why they are here.
KEPT = {
    "acl_parse": "the way back from acl_print(), which fuzz_acl holds it against; shares its words",
    "lzo_bound": "what lzo_compress() promises; the caller of clusters has less room on purpose",
    "quota_lookup": "one id by the tree, which fuzz_quota holds against the walk over all",
    "utf16_decode": "strict; fuzz_text holds the lenient reader and the writer against it",
    "verity_verify_block": "one block by its way up the tree, against the pass over all blocks",
}


def read_sources(root):
    """Return {path: {word: how often it is there outside of comments}} of the library's and the tests' sources."""
    sources = {}
    for name in lint.project_files(root):
        if name.parts[0] in ("lib", "tests") and name.suffix in (".c", ".h", ".def"):
            words = {}
            for word in WORD.findall(COMMENT.sub(" ", (root / name).read_text(encoding="utf-8", errors="replace"))):
                words[word] = words.get(word, 0) + 1
            sources[str(name)] = words
    return sources


def read_inline(root):
    """Return {name: header} of the library's inline functions."""
    return {name: str(path) for path in lint.project_files(root) if path.parts[0] == "lib" and path.suffix == ".h"
            for name in INLINE.findall((root / path).read_text(encoding="utf-8", errors="replace"))}


def check_inline(inline, sources):
    findings = []
    for name, header in sorted(inline.items()):
        used = sum(words.get(name, 0) for path, words in sources.items() if not path.startswith("tests/"))
        if used < 2:
            findings.append(f"{header}: {name}() is called by nobody in the library")
    return findings


def object_of(path):
    """Return what read_defined() calls the object file of a source: two folders may have files of one name."""
    path = pathlib.PurePath(path)
    return f"{path.parent.name}/{path.stem}"


def judge(name, home, sources):
    """Return the fault of a function that an object file defines, or None."""
    at_home = outside = tests = 0
    for path, words in sources.items():
        count = words.get(name, 0)
        if path.startswith("tests/"):
            tests += count
        elif path.endswith(".h"):
            outside += max(count - 1, 0)  # one is the declaration
        elif count and home == object_of(path):
            at_home += count - 1
        else:
            outside += count
    if outside or (at_home and tests):
        return None
    if at_home:
        return "is called by its own file alone: make it static"
    return "is called by tests alone" if tests else "is called by nobody"


def check(defined, sources, kept):
    """defined: {name: object file}."""
    findings = []
    for name, home in sorted(defined.items()):
        wrong = None if name.startswith(NOT_JUDGED) else judge(name, home, sources)
        if wrong and name not in kept:
            findings.append(f"{home}.c: {name}() {wrong}")
        elif not wrong and name in kept:
            findings.append(f"{home}.c: {name}() has a caller by now: take it off the list")
    return findings


def read_defined(nm, archives):
    defined = {}
    for archive in archives:
        for file, (names, _) in circles.read_archive(nm, archive).items():
            defined.update(dict.fromkeys(names, f"{circles.NAME.search(archive)[1]}/{file}"))
    return defined


def self_test():
    sources = {
        "lib/x/a.h": {"a_open": 1, "a_tested": 1, "a_own": 1, "a_dead": 1, "a_inner": 1},
        "lib/x/a.c": {"a_open": 1, "a_tested": 1, "a_own": 2, "a_dead": 1, "a_inner": 2},
        "lib/y/a.c": {"a_open": 1},
        "tests/test_a.c": {"a_tested": 3, "a_inner": 1},
    }
    defined = dict.fromkeys(("a_open", "a_tested", "a_own", "a_dead", "a_inner", "f2fs_a", "__x86.get_pc_thunk.ax"), "x/a")
    results = [
        check(defined, sources, {}) == ["x/a.c: a_dead() is called by nobody",
                                        "x/a.c: a_own() is called by its own file alone: make it static",
                                        "x/a.c: a_tested() is called by tests alone"],
        len(check(defined, sources, {"a_tested": "why"})) == 2,
        check_inline({"a_tested": "lib/x/a.h", "a_open": "lib/x/a.h"}, sources) == [],
        len(check_inline({"a_none": "lib/a.h"}, sources)) == 1,
        "has a caller by now" in check({"a_open": "x/a"}, sources, {"a_open": "why"})[0],
    ]
    if not all(results):
        print(f"self-test: {results}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    found = read_defined(sys.argv[1], sys.argv[3:])
    if not found:
        sys.exit("no symbols read")
    tree = pathlib.Path(sys.argv[2])
    texts = read_sources(tree)
    sys.exit(lint.report(check(found, texts, KEPT) + check_inline(read_inline(tree), texts)))
