# SPDX-License-Identifier: LGPL-2.1-or-later
"""Words: count the idioms that readers read twice, per 1,000 words, in each area of the project.

Each area has a limit. An area may only become better: lower its limit with its text. `words.py ROOT --list AREA` prints
every place.
"""
import collections
import re
import sys

import lint

# A clause where a noun belongs, everyday words in an old sense, and idioms that no manual page has.
IDIOMS = [re.compile(pattern, re.I) for pattern in (
    r"\bwhat (?:is|was|it|are|were|has|had|can|cannot|no|somebody|they|a|the|we)\b",
    r"\bwho(?:ever)? \w+s\b",
    r"\bthat which\b",
    r"\bbehind\b(?! (?:a|the) (?:NAT|proxy))",
    r"\b(?:tells?|told|telling|untold)\b",
    r"\b(?:lies|lie|lay)\b",
    r"\banew\b",
    r"\b(?:go|goes|going|went|gone) on\b",
    r"\bof another kind\b",
    r"\b(?:giv(?:e|es|en|ing)|gave)(?: it)? up\b",
    r"\bso many\b",
    r"\bwhich nobody\b",
)]

# The most idioms in 1,000 words of each area.
LIMITS = {
    "manual pages": 1.0,
    "front documents": 0.5,
    "documents": 0.5,
    "public headers": 0.5,
    "messages": 0.5,
    "comments": 0.5,
    "python": 0.5,
    "tests": 0.8,
}

FRONT = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")
C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
C_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
PYTHON_TEXT = re.compile(r'"""(.*?)"""|#([^\n]*)', re.S)


def pieces(name, text):
    """Yield (area, offset, piece) for each piece of prose in a file."""
    is_test = name.startswith(("tests/", "bench/"))
    if name.endswith((".c", ".h", ".def")):
        area = "public headers" if name.startswith("include/") else "tests" if is_test else "comments"
        for match in C_COMMENT.finditer(text):
            yield area, match.start(), match[0]
        if not is_test:
            bare = C_COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
            for match in C_STRING.finditer(bare):
                if " " in match[1]:
                    yield "messages", match.start(), match[1]
    elif name.startswith("man/") and name.endswith((".in", ".3")):
        yield "manual pages", 0, text
    elif name.endswith(".md"):
        yield ("front documents" if name in FRONT else "documents"), 0, text
    elif name.endswith((".py", ".pyi")) or text.startswith("#!"):
        for match in PYTHON_TEXT.finditer(text):
            yield ("tests" if is_test else "python"), match.start(), match[1] or match[2] or ""


def count(root):
    """Return {area: (words, [(file, line, idiom)])}."""
    words, found = collections.Counter(), collections.defaultdict(list)
    for path in lint.project_files(root):
        name, content = str(path), (root / path).read_bytes()
        if b"\0" in content or name == "LICENSE" or name.startswith("tests/fuzz/corpus/") or name.endswith("words.py"):
            continue
        text = content.decode(errors="replace")
        for area, offset, piece in pieces(name, text):
            words[area] += len(re.findall(r"[A-Za-z']+", piece))
            for idiom in IDIOMS:
                found[area] += [(name, text.count("\n", 0, offset + match.start()) + 1, match[0]) for match in idiom.finditer(piece)]
    return {area: (words[area], found[area]) for area in LIMITS}


def check(root):
    findings = []
    for area, (words, found) in count(root).items():
        # a text of a few words has no rate: one idiom is always allowed
        if len(found) > max(1, words * LIMITS[area] / 1000):
            rate = 1000 * len(found) / words
            findings.append(f"{area}: {rate:.1f} idioms in 1,000 words, {LIMITS[area]} are allowed (--list '{area}')")
    return findings


def listing(root, area):
    for name, line, idiom in sorted(count(root)[area][1]):
        print(f"{name}:{line}: {idiom}")


BADLY = "What is behind it tells what it lies on, anew, and goes on.\n"
GOOD = {
    "README.md": "The tool prints the block after the superblock.\n",
    "lib/a.c": "/* Print the block. */\nint a; /* what is past the end */\n",
}
BAD = [
    ("front documents: ", {"README.md": BADLY}),
    ("manual pages: ", {"man/a.8.in": BADLY}),
    ("documents: ", {"docs/a.md": BADLY}),
    ("public headers: ", {"include/a.h": "/* " + BADLY + " */\n"}),
    ("messages: ", {"lib/a.c": 'const char *a = "' + BADLY[:-1] + '";\n'}),
    ("comments: ", {"lib/a.c": "/* " + BADLY + " */\n"}),
    ("python: ", {"python/a.py": '"""' + BADLY + '"""\n'}),
    ("tests: ", {"tests/a.py": "# " + BADLY}),
]

if __name__ == "__main__":
    if "--list" in sys.argv:
        import pathlib
        listing(pathlib.Path(sys.argv[1]), sys.argv[sys.argv.index("--list") + 1])
    else:
        sys.exit(lint.main(check, GOOD, BAD))
