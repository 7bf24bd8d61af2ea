# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared parts of the lints: the files of the project, the report of findings, the self-test that proves that a lint can fail.

A lint is a function from the root of a source tree to a list of findings. Its self-test hands it small trees written on
the spot: a good one, which must give no finding, and bad ones, each of which must give the finding that it is about.
"""
import pathlib
import subprocess
import sys
import tempfile

SKIPPED_FOLDERS = {".git", ".venv", ".mesonpy", "__pycache__", ".pytest_cache", ".hypothesis", "dist"}


def project_files(root):
    """Return the paths, relative to root, of all files that are in the repository or about to be."""
    root = pathlib.Path(root)
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        if listed.returncode == 0:
            names = [name for name in listed.stdout.decode("utf-8", "surrogateescape").split("\0") if name]
            return sorted(pathlib.PurePosixPath(name) for name in names if (root / name).is_file())
    found = []
    builds = {path.parent.name for path in root.glob("*/build.ninja")}  # packagers have names of their own for them
    for path in root.rglob("*"):
        parts = path.relative_to(root).parts
        if path.is_file() and not SKIPPED_FOLDERS.intersection(parts) and not parts[0].startswith("build") and parts[0] not in builds:
            found.append(pathlib.PurePosixPath(*parts))
    return sorted(found)


def write_tree(root, files):
    """Write {path: text or bytes} below root."""
    for name, content in files.items():
        path = pathlib.Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def self_test(check, good, bad):
    """Run check over the tree good and over good changed by each (part of a finding, files) of bad."""
    failures = 0
    for wanted, files in [(None, {})] + bad:
        with tempfile.TemporaryDirectory() as root:
            write_tree(root, {**good, **files})
            findings = check(pathlib.Path(root))
        if wanted is None and findings:
            failures += 1
            print("self-test: a good tree gave:", *findings, sep="\n  ")
        elif wanted is not None and not any(wanted in finding for finding in findings):
            failures += 1
            print(f"self-test: expected '{wanted}', got:", *findings, sep="\n  ")
    print(f"self-test: {len(bad) + 1} trees, {failures} failures")
    return 1 if failures else 0


def report(findings):
    """Print findings and return the exit status."""
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings")
    return 1 if findings else 0


def main(check, good, bad):
    """Command line of a lint without further arguments: the root of the tree, or --self-test."""
    if sys.argv[1:] == ["--self-test"]:
        return self_test(check, good, bad)
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} ROOT | --self-test", file=sys.stderr)
        return 2
    return report(check(pathlib.Path(sys.argv[1])))
