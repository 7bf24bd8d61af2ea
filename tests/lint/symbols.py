# SPDX-License-Identifier: LGPL-2.1-or-later
"""Symbols: the shared library exports exactly the functions that the public headers declare with F2FS_API.

    symbols.py LIBRARY HEADERS_FOLDER VERSION_SCRIPT [NM]

Also: each function of a public header is marked F2FS_API and let through by the version
script, and the library asks for no symbol of the f2fs_ name space from elsewhere.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

import lint

COMMENT = re.compile(r"/\*.*?\*/", re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*$", re.M | re.S)
FUNCTION = re.compile(r"\b(\w+)\s*\(")


def statements(text):
    """Yield the declarations of a header at file scope, without comments, preprocessor lines and bodies in braces."""
    text = PREPROCESSOR.sub("", COMMENT.sub("", text)).replace('extern "C" {', "")
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char == "{":
            depth += 1
        elif char == "}":
            depth = max(0, depth - 1)
            if depth == 0 and text[at + 1 :].lstrip()[:1] != ";":
                start = at + 1
        elif char == ";" and depth == 0:
            yield " ".join(text[start:at].split())
            start = at + 1


def declared(headers):
    """Return ({function: header}, findings) of the public headers."""
    functions, findings = {}, []
    for header in sorted(pathlib.Path(headers).glob("*.h")):
        for statement in statements(header.read_text()):
            if "(" not in statement or statement.startswith(("typedef", "struct {", "enum", "union")) or "{" in statement:
                continue
            name = FUNCTION.search(statement.replace("F2FS_API", ""))[1]
            if not statement.startswith("F2FS_API"):
                findings.append(f"{header.name}: {name} is declared without F2FS_API")
            elif not name.startswith("f2fs_"):
                findings.append(f"{header.name}: {name} is outside of the f2fs_ name space")
            elif name in functions:
                findings.append(f"{header.name}: {name} is declared in {functions[name]} already")
            functions[name] = header.name
    return functions, findings


def nm_names(output, kinds):
    """Return the names in nm's output whose kind letter is in kinds, without version suffix."""
    names = set()
    for line in output.splitlines():
        words = line.split()
        if len(words) >= 2 and words[-2] in kinds and not (words[-2] in "WV" and len(words) == 2):
            names.add(words[-1].split("@")[0])
    return names


def script_patterns(text):
    """Return the global patterns of a version script."""
    text = COMMENT.sub("", text)
    found = re.search(r"global:(.*?)local:", text, re.S)
    return [p.strip() for p in found[1].split(";") if p.strip()] if found else []


def compare(functions, exported, patterns):
    findings = [f"{functions[n]}: {n} is declared but the library does not define it" for n in functions if n not in exported]
    findings += [f"the library exports {n}, which no public header declares" for n in sorted(exported - set(functions))]
    findings += [
        f"the version script hides {n}" for n in functions if not any(fnmatch.fnmatchcase(n, p) for p in patterns)
    ]
    return findings


def check(library, headers, script, nm="nm"):
    functions, findings = declared(headers)
    output = subprocess.run([nm, "-D", library], check=True, stdout=subprocess.PIPE, text=True).stdout
    exported = nm_names(output, "TWViDBRSGu")
    wanted = {n for n in nm_names(output, "Uwv") if n.startswith("f2fs_")}
    findings += compare(functions, exported, script_patterns(pathlib.Path(script).read_text()))
    return findings + [f"the library needs {n} from elsewhere" for n in sorted(wanted)]


def self_test():
    header = """
/* one (x); */
#define MACRO(x) \\
	do_not(see) ;
extern "C" {
enum e { A = 1, B };
struct ops { int (*read)(void *self); };
typedef int (*callback)(int);
static inline int hidden(void) { return f(1); }
F2FS_API int f2fs_a(int (*visit)(void *user), void *user);
F2FS_API const struct ops *
f2fs_b(void);
int f2fs_c(void);
F2FS_API int other(void);
}
"""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        lint.write_tree(folder, {"x.h": header})
        functions, findings = declared(folder)
    script = script_patterns("/* c */ V { global: f2fs_*; other; local: *; };")
    nm = "0001 T f2fs_a@@V_0\n0002 T f2fs_b\n     U malloc@GLIBC\n0003 t x\n"
    exported = nm_names(nm, "TDBR")
    expected = [
        (sorted(functions), ["f2fs_a", "f2fs_b", "f2fs_c", "other"]),
        (any("f2fs_c is declared without" in f for f in findings), True),
        (any("other is outside" in f for f in findings), True),
        (len(findings), 2),
        (exported, {"f2fs_a", "f2fs_b"}),
        (script, ["f2fs_*", "other"]),
        (compare({"f2fs_a": "h"}, {"f2fs_a"}, ["f2fs_*"]), []),
        (compare({"f2fs_a": "h"}, set(), ["f2fs_*"]), ["h: f2fs_a is declared but the library does not define it"]),
        (compare({}, {"f2fs_z"}, ["f2fs_*"]), ["the library exports f2fs_z, which no public header declares"]),
        (compare({"f2fs_a": "h"}, {"f2fs_a"}, ["f2fs_b*"]), ["the version script hides f2fs_a"]),
    ]
    failures = [pair for pair in expected if pair[0] != pair[1]]
    for found, wanted in failures:
        print(f"self-test: found {found}, wanted {wanted}")
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    sys.exit(lint.report(check(*sys.argv[1:])))
