# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completion for bash: the words offered for a partial word."""
import os
import shlex
import subprocess

import pytest

ASK = """
source %s
COMP_WORDS=(%s)
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_f2fskit "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def offered(build_dir, tool, tmp_path):
    """A function: which words bash offers for the last of these, which may be empty."""
    script = os.path.join(build_dir, "completions/f2fs")

    def ask(name, *words):
        text = ASK % (shlex.quote(script), " ".join(map(shlex.quote, [tool(name), *map(str, words)])))
        done = subprocess.run(["bash", "-u", "-c", text], capture_output=True, cwd=tmp_path, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return sorted(filter(None, done.stdout.splitlines()))
    return ask


def test_options_of_all_programs(offered, build_dir):
    with open(os.path.join(build_dir, "completions/f2fs")) as script:
        names = script.read().split("-F _f2fskit ")[1].split()
    has_fuse = os.path.exists(os.path.join(build_dir, "fuse", "f2fsfuse"))     # with libfuse 3
    has_mounted = os.path.exists(os.path.join(build_dir, "mounted", "f2fs_io"))     # on Linux
    assert len(names) == 11 + has_fuse + 4 * has_mounted
    for name in names:
        assert offered(name, "--hel") == ["--help"], name
    assert offered("dump.f2fs", "--ex") == ["--exclude=", "--existing=", "--extract="]
    assert offered("fsck.f2fs", "-y", "--dry") == ["--dry-run"]
    assert offered("mkfs.f2fs", "disk") == []       # files of the host, which bash adds itself


def test_commands(offered):
    assert offered("f2fs", "image", "set") == ["set", "setfattr", "setgrace", "setquota"]
    assert offered("f2fs", "image", "ls", "--", "pw") == ["pwd"]
    assert offered("f2fs", "-w", "image", "help", "und") == ["undelete"]
    assert offered("f2fs-lab", "r") == ["run"]
    assert offered("f2fs-lab", "run", "r") == []


def test_files_of_the_image(offered, run_tool, tmp_path):
    for path in ("etc/passwd", "etc/profile.d/a.sh", "etc/.hidden", "empty"):
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_text("")
    (tmp_path / "tree/etc/with blank").write_text("")
    (tmp_path / "etcetera").write_text("")
    run_tool("mkfs.f2fs", "-q", "--root-dir", tmp_path / "tree", tmp_path / "disk.img", "64M")
    assert offered("f2fs", "disk.img", "cat", "/e") == ["/empty", "/etc/"]
    assert offered("f2fs", "disk.img", "cat", "/etc/") == ["/etc/passwd", "/etc/profile.d/"]
    assert offered("f2fs", "-w", "disk.img", "rm", "/etc/.h") == ["/etc/.hidden"]
    assert offered("f2fs", "disk.img", "ls", "--", "stat", "em") == ["empty"]
    assert offered("f2fs", "disk.img", "get", "etc") == ["etc/", "etcetera"]
    assert offered("f2fs", "not.img", "cat", "/e") == []
