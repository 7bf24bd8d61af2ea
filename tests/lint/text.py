# SPDX-License-Identifier: LGPL-2.1-or-later
"""Text: the repository speaks of the project alone. No paths of one machine, no hosts of package registries, nothing
about how the work was organised; and plain UTF-8 lines without trailing blanks.
"""
import re
import sys

import lint

# Written in pieces, so that this file does not find itself.
FORBIDDEN = [
    (r"(?<![\w.])/wor" r"k/", "a path of one machine"),
    (r"(?<![\w.])/roo" r"t/", "a path of one machine"),
    (r"(?<![\w.])/hom" r"e/\w", "a path of one machine"),
    (r"\.\./shar" r"ed\b", "a path outside of the repository"),
    (r"\b(?:pyp" r"i|pythonhost" r"ed|crat" r"es|npm" r"js|rubyge" r"ms)\.(?:org|io|com)\b", "host of a registry"),
    (r"\b(?:deb|ftp|snapshot|security|archive)\.(?:debi" r"an|ubun" r"tu)\.(?:org|com)\b", "host of a registry"),
    (r"\b(?:proxy\.gol" r"ang|regis" r"try\.npm|regis" r"try-1\.doc" r"ker)\b", "host of a registry"),
    (r"(?i)\b(?:iss" r"ue|tick" r"et)s? #?\d", "how the work is organised"),
    (r"\b(?:br" r"ief|des" r"ign|vol" r"ume|fil" r"es|kern" r"el|pe" r"ers)\.md\b", "a text outside of the repository"),
    (r"(?i)\b(?:claud" r"e|anthrop" r"ic|chat" r"gpt|language mod" r"el)\b", "how the work is organised"),
    (r"(?i)\b(?:other|another|this|next) (?:sess" r"ion|help" r"er|agen" r"t)\b(?! (?:function|script))",
     "how the work is organised"),
]
PATTERNS = [(re.compile(pattern), what) for pattern, what in FORBIDDEN]
# Test inputs and the licence are bytes that must stay as they are.
VERBATIM = ("tests/fuzz/corpus/", "tests/golden/", "LICENSE")


def check_text(name, content):
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return [f"{name}: not UTF-8: {error}"]
    findings = []
    if text and not text.endswith("\n"):
        findings.append(f"{name}: no newline at the end")
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            findings.append(f"{name}:{number}: trailing blanks")
        findings += [f"{name}:{number}: {what}: {line.strip()}" for pattern, what in PATTERNS if pattern.search(line)]
    return findings


def check(root):
    findings = []
    for name in lint.project_files(root):
        content = (root / name).read_bytes()
        if b"\0" not in content and not str(name).startswith(VERBATIM):
            findings += check_text(name, content)
    return findings


GOOD = {
    "a.md": "The f2fs_root of http" "s://example.com/work/ is at home, and so on.\n",
    "b.bin": b"\0\xff /wor" b"k/",
    "empty": "",
}
BAD = [
    ("path of one machine", {"a.md": "see /wor" "k/main\n"}),
    ("path of one machine", {"a.md": "in '/hom" "e/someone'\n"}),
    ("outside of the repository", {"a.md": "../shar" "ed/x\n"}),
    ("host of a registry", {"a.md": "from http" "s://pyp" "i.org/simple\n"}),
    ("host of a registry", {"a.md": "deb http" "://deb.debi" "an.org/debian\n"}),
    ("how the work", {"a.md": "as iss" "ue #12 says\n"}),
    ("outside of the repository", {"a.md": "see vol" "ume.md §4\n"}),
    ("trailing", {"a.md": "x \n"}),
    ("trailing", {"a.md": "x\r\n"}),
    ("no newline", {"a.md": "x"}),
    ("not UTF-8", {"a.md": b"\xff\n"}),
]

if __name__ == "__main__":
    sys.exit(lint.main(check, GOOD, BAD))
