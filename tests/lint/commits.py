# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commit subjects: `area: verb object`, imperative, at most 72 characters, one idea.

Checks the commits since the one that added this file. A source tree without its history, such as a release archive,
passes. `--message FILE` checks one message before it is committed; the hook of .githooks calls it.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import lint

LONGEST = 72
FORM = re.compile(r"(?P<area>[a-z0-9][a-z0-9_.,/+ -]*): (?P<rest>\S.*)")
# The first word is a verb in the imperative: neither a noun with its article, nor a clause, nor "adds", "added", "adding".
NO_VERB = {"a", "an", "the", "and", "but", "or", "no", "not", "what", "who", "whoever", "which", "that", "this", "it", "its",
           "when", "where", "whether", "while", "how", "why", "if", "as", "of", "in", "on", "for", "with", "without", "to",
           "more", "most", "some", "all", "each", "every", "one", "two", "new", "is", "are", "was", "were", "of"}
INFLECTED = re.compile(r"[a-z]{2,}(?:ing|ed|[^su]s)$")
IMPERATIVE = {"bring", "embed", "exceed", "feed", "fling", "heed", "need", "ping", "proceed", "ring", "seed", "shed", "sing",
              "speed", "spring", "string", "succeed", "swing", "thread", "weed", "wring", "alias", "canvas", "focus"}
OWN_PATH = "tests/lint/commits.py"
# git writes these itself, and rebasing takes the last two away.
BY_GIT = re.compile(r"(?:Merge|Revert|fixup!|squash!) ?")


def check_subject(subject):
    """Return the fault of a subject, or None."""
    if BY_GIT.match(subject):
        return None
    if len(subject) > LONGEST:
        return f"{len(subject)} characters, more than {LONGEST}"
    form = FORM.fullmatch(subject)
    if not form:
        return "not of the form 'area: verb object'"
    if ";" in subject:
        return "two ideas, joined by ';'"
    if subject.endswith("."):
        return "ends with a full stop"
    words = form["rest"].split()
    first = words[0]
    if not re.fullmatch(r"[a-z]+(?:-[a-z]+)?", first):
        return f"'{first}' is not a verb in lower case"
    if first in NO_VERB or (INFLECTED.search(first) and first not in IMPERATIVE):
        return f"'{first}' is not a verb in the imperative"
    if len(words) == 1:
        return "has no object"
    return None


def git(root, *arguments):
    done = subprocess.run(["git", "-C", str(root), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []


def check(root):
    """Check the commits from the one that added this lint on."""
    if not (root / ".git").exists():
        return []
    added = git(root, "log", "--diff-filter=A", "--format=%H", "--", OWN_PATH)
    if not added:
        return []
    listed = git(root, "log", "--no-merges", "--format=%h %s", added[-1] + "..HEAD")
    listed += git(root, "log", "-1", "--format=%h %s", added[-1])
    found = []
    for line in listed:
        commit, _, subject = line.partition(" ")
        wrong = check_subject(subject)
        if wrong:
            found.append(f"{commit}: '{subject}': {wrong}")
    return found


def check_message(path):
    lines = [line for line in pathlib.Path(path).read_text(errors="replace").splitlines() if not line.startswith("#")]
    wrong = check_subject(lines[0]) if lines else "the message is empty"
    if not wrong and len(lines) > 1 and lines[1]:
        wrong = "no empty line after the subject"
    return [f"'{lines[0] if lines else ''}': {wrong}"] if wrong else []


GOOD = ("lib: add a reader of zones", "mkfs, resize: name the device in errors", "fsck: need less memory",
        "docs/format: process rows in order", "Revert \"lib: add a reader\"")
BAD = (("lib: " + "add a reader of zones " * 4, "more than 72"), ("add a reader", "not of the form"),
       ("lib: adds a reader", "not a verb"), ("lib: added a reader", "not a verb"), ("lib: adding a reader", "not a verb"),
       ("log: who has to recover is told", "not a verb"), ("fsck: a shorter line", "not a verb"),
       ("lib: Add a reader", "lower case"), ("lib: add a reader; drop another", "two ideas"),
       ("lib: add a reader.", "full stop"), ("lib: cleanup", "no object"), ("Lib: add a reader", "not of the form"))


def self_test():
    failures = []
    for subject in GOOD:
        if check_subject(subject):
            failures.append(f"'{subject}' gave: {check_subject(subject)}")
    for subject, wanted in BAD:
        if wanted not in (check_subject(subject) or ""):
            failures.append(f"'{subject}': expected '{wanted}', got: {check_subject(subject)}")
    failures += test_history()
    print(*failures, sep="\n")
    print(f"self-test: {len(GOOD) + len(BAD) + 1} inputs, {len(failures)} failures")
    return 1 if failures else 0


def test_history():
    """A small repository: what came before the lint passes, what came after it does not."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        git(root, "init", "-q")

        def commit(subject, path):
            lint.write_tree(root, {path: subject})
            git(root, "add", path)
            git(root, "-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-q", "-m", subject)

        commit("The first one.", "a")
        commit("lint: check commit subjects", OWN_PATH)
        commit("lib: adds b", "b")
        commit("lib: add c", "c")
        found = check(root)
    return [] if len(found) == 1 and "adds b" in found[0] else [f"a small repository gave: {found}"]


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) == 3 and sys.argv[1] == "--message":
        return lint.report(check_message(sys.argv[2]))
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} ROOT | --message FILE | --self-test", file=sys.stderr)
        return 2
    return lint.report(check(pathlib.Path(sys.argv[1])))


if __name__ == "__main__":
    sys.exit(main())
