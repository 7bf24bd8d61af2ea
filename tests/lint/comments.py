# SPDX-License-Identifier: LGPL-2.1-or-later
"""Comments of the public interface: each F2FS_API function has one of its own, directly above. It begins with a word of
its own, a verb as a rule, and says what comes back: a function that returns int names its errors ("Fails with IO",
"Fails as f2fs_check()"), names its result, or asks a question; a function that returns anything else names its result.

Each struct and enum has a comment directly above, and each member of a struct one above it or beside it. One line declares
one member, so that each comment belongs to one.

Also: a header that is not yet stable says so in its head, the manual page and docs/API.md name it.
"""
import re
import sys

import lint

ERROR_ROW = re.compile(r"\bX\((\w+), \d+, E\w+, ")
DECLARATION = re.compile(r"^F2FS_API\s+([^;]*?)\b(f2fs_\w+)\s*\([^;]*\);", re.M)
COMMENT_ABOVE = re.compile(r"/\*((?:[^*]|\*(?!/))*)\*/\n\Z")
AGGREGATE = re.compile(r"^(struct|union|enum) (f2fs_\w+) \{", re.M)
TOKEN = re.compile(r"/\*.*?\*/|;|[^;/]+|/", re.S)
NAME = re.compile(r"\(\*(\w+)\)|(\w+)(?:\[[^\]]*\])*;")
SCALARS = re.compile(r"[^(]*,[^(]*;")
CAPITALS = re.compile(r"\b[A-Z][A-Z_]+\b")
EXPERIMENTAL = " * Experimental: "
DOCUMENTS = ("docs/API.md", "man/libf2fskit.3.in")


def words_of(comment):
    return " ".join(line.strip().lstrip("*").strip() for line in comment.split("\n")).strip()


def judge(kind, comment, errors):
    """Return the fault of a comment, or None."""
    if comment is None:
        return "has no comment of its own directly above"
    if not re.match(r"[A-Z][a-z]+\b", comment):
        return f"begins with '{comment[:20]}', not with a verb"
    gives = re.search(r"\bReturns?\b|\breturns\b", comment) or re.search(r"\?( |\Z)", comment)
    if kind == "int" and not (gives or re.search(r"\bFails? (with|as)\b", comment)
                              or set(CAPITALS.findall(comment)) & errors):
        return "says neither its errors nor its result"
    if kind not in ("int", "void") and not gives and not comment.startswith("Count"):
        return "does not say what it returns"
    return None


def check_experimental(root, headers):
    """Find the headers that are not yet stable and are not named as such where users read."""
    findings = []
    names = [path.name for path in headers if EXPERIMENTAL in path.read_text()]
    for document in DOCUMENTS:
        text = (root / document).read_text() if (root / document).is_file() else ""
        part = "\n".join(re.findall(r"^.*[Ee]xperimental.*(?:\n.+)*", text, re.M))
        findings += [f"{document}: does not say that {name} is experimental" for name in names if name not in part]
    return findings


def find_bare_members(body):
    """Yield (member, fault) for the members of a struct that have no comment of their own."""
    code, is_above, last = "", False, None
    for token in TOKEN.findall(body + "\n"):
        if token.startswith("/*") and not code.strip():
            if last and "\n" not in code:
                last = None
            else:
                is_above = True
        elif not token.startswith("/*"):
            if last and (code + token).strip():
                yield last, "has no comment"
                last = None
            code += token
            if token == ";":
                name = next(filter(None, NAME.search(code).groups()))
                if SCALARS.match(code):
                    yield name, "shares its declaration with another member"
                last, is_above, code = None if is_above else name, False, ""
    if last:
        yield last, "has no comment"


def check_aggregates(name, text):
    findings = []
    for match in AGGREGATE.finditer(text):
        if not COMMENT_ABOVE.search(text[: match.start()]):
            findings.append(f"{name}: {match[1]} {match[2]} has no comment of its own directly above")
        if match[1] != "enum":
            body = text[match.end(): text.index("\n}", match.end())]
            findings += [f"{name}: {match[2]}.{member} {wrong}" for member, wrong in find_bare_members(body)]
    return findings


def check(root):
    headers = sorted((root / "include/f2fskit").glob("*.h"))
    errors = {row for path in headers for row in ERROR_ROW.findall(path.read_text())}
    findings = check_experimental(root, headers)
    for path in headers:
        text = path.read_text()
        findings += check_aggregates(path.relative_to(root), text)
        for match in DECLARATION.finditer(text):
            above = COMMENT_ABOVE.search(text[: match.start()])
            wrong = judge(match[1].strip(), words_of(above[1]) if above else None, errors)
            if wrong:
                findings.append(f"{path.relative_to(root)}: {match[2]}() {wrong}")
    return findings


TABLE = "#define T(X) X(IO, 10, EIO, \"x\")\n"
GOOD = {
    "include/f2fskit/a.h": TABLE + (
        "/* Read. Fails with IO. */\nF2FS_API int f2fs_a(void);\n"
        "/*\n * Return the number.\n */\nF2FS_API unsigned f2fs_b(int x,\n\t\t\tint y);\n"
        "/* Is it? */\nF2FS_API int f2fs_c(void);\n/* Close it. */\nF2FS_API void f2fs_d(void);\n"
        "/* Read, IO when that fails. */\nF2FS_API int f2fs_e(void);\n"
    ),
    "include/f2fskit/d.h": (
        "/* Two numbers. */\nstruct f2fs_d {\n\tint a; /* one */\n\t/* another, in\n\t * two lines */\n\tint (*b)(int x,\n\t\t int y);\n};\n"
        "/* Names. */\nenum f2fs_e { A = 1, B };\n"
    ),
    "include/f2fskit/b.h": "/*\n * Something.\n *\n * Experimental: it may change.\n */\n",
    "docs/API.md": "Stable is the rest.\n\nExperimental are\n`b.h` and others.\n",
    "man/libf2fskit.3.in": "experimental is b.h\n",
}
BAD = [
    ("f2fs_f() has no comment", {"include/f2fskit/c.h": "/* Read. */\nint x;\nF2FS_API int f2fs_f(void);\n"}),
    ("f2fs_g() has no comment", {
        "include/f2fskit/c.h": "/* Read and write. Fails with IO. */\nF2FS_API int f2fs_f(void);\nF2FS_API int f2fs_g(void);\n"
    }),
    ("f2fs_f() says neither", {"include/f2fskit/c.h": "/* Read it, quickly. */\nF2FS_API int f2fs_f(void);\n"}),
    ("f2fs_f() begins with", {"include/f2fskit/c.h": "/* 3072 bytes. */\nF2FS_API const char *f2fs_f(void);\n"}),
    ("f2fs_f() does not say", {"include/f2fskit/c.h": "/* The bytes. */\nF2FS_API const char *f2fs_f(void);\n"}),
    ("struct f2fs_d has no comment", {"include/f2fskit/c.h": "struct f2fs_d {\n\tint a; /* one */\n};\n"}),
    ("enum f2fs_d has no comment", {"include/f2fskit/c.h": "/* Far. */\n\nenum f2fs_d { A };\n"}),
    ("f2fs_d.b has no comment", {"include/f2fskit/c.h": "/* D. */\nstruct f2fs_d {\n\tint a; /* one */\n\tint b[4];\n};\n"}),
    ("f2fs_d.b has no comment", {
        "include/f2fskit/c.h": "/* D. */\nstruct f2fs_d {\n\t/* one */\n\tint a;\n\tint (*b)(int x,\n\t\t int y);\n};\n"
    }),
    ("f2fs_d.b shares its declaration", {"include/f2fskit/c.h": "/* D. */\nstruct f2fs_d {\n\tint a, b; /* two */\n};\n"}),
    ("API.md: does not say that b.h", {"docs/API.md": "Stable is b.h.\n\nExperimental are others.\n"}),
    ("libf2fskit.3.in: does not say that b.h", {"man/libf2fskit.3.in": "\n"}),
]

if __name__ == "__main__":
    sys.exit(lint.main(check, GOOD, BAD))
