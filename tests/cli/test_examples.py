# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs in examples/ do what they say, and are short enough to be read."""
import glob
import itertools
import os
import re
import subprocess
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture
def example(build_dir):
    def run(name, *args, rc=0):
        done = subprocess.run([os.path.join(build_dir, "examples", name), *map(str, args)], capture_output=True,
                              stdin=subprocess.DEVNULL)
        assert done.returncode == rc, done.stderr
        return done
    return run


def test_list_directory(example, planted):
    image, tree = planted
    got = {line[12:] for line in example("list_directory", image).stdout.split(b"\n") if line}
    assert got == {p for p in tree if b"/" not in p} | {b".", b"..", b"lost+found"}
    assert b"leaf" in example("list_directory", image, "/sub/deeper").stdout
    assert b"no such file" in example("list_directory", image, "/none", rc=1).stderr


def test_copy_file(example, planted):
    image, tree = planted
    for path in (b"hello.txt", b"big", b"empty", b"sub/sparse"):
        assert example("copy_file", image, "/" + path.decode()).stdout == tree[path]
    assert example("copy_file", image, "/sub", rc=1).stderr


def test_segment_use(example, planted, run_tool):
    out = example("segment_use", planted[0]).stdout.decode()
    used, every = map(int, re.search(r"(\d+) of (\d+) blocks", out).groups())
    cells = re.findall(r"^[.0-9#]+$", out, re.M)
    assert sum(map(len, cells)) * 512 == every
    totals = run_tool("dump.f2fs", "--sit", planted[0]).stdout.decode().splitlines()[1:]
    assert used == sum(int(line.split()[1]) for line in totals)


def test_usage_and_bad_images(example, tmp_path):
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    for name in ("list_directory", "copy_file", "segment_use"):
        assert b"usage" in example(name, rc=2).stderr
        args = [empty, "/x"] if name == "copy_file" else [empty]
        assert b"F2FS" in example(name, *args, rc=1).stderr


def test_length():
    lengths = {}
    for path in glob.glob(os.path.join(TOP, "examples", "*.c")):
        with open(path) as f:
            lengths[path] = sum(1 for _ in f)
    assert len(lengths) > 2 and max(lengths.values()) <= 60, lengths


def program_of_readme(heading):
    """The first indented block below a heading of README.md."""
    with open(os.path.join(TOP, "README.md")) as f:
        text = f.read().split("## %s\n" % heading)[1]
    lines = itertools.takewhile(lambda line: line.startswith("    ") or not line, text.lstrip("\n").split("\n"))
    return "".join(line[4:] + "\n" for line in lines)


def test_the_c_program_of_the_readme(example, planted):
    """It is examples/how_full.c, with blanks for tabs."""
    with open(os.path.join(TOP, "examples", "how_full.c")) as f:
        source = f.read().split("*/\n", 2)[2]
    assert program_of_readme("From C").strip() == source.expandtabs(8).strip()
    assert re.fullmatch(rb".*: [1-9]\d* of [1-9]\d* blocks in use\n", example("how_full", planted[0]).stdout)


def test_the_python_program_of_the_readme(f2fskit, python_dir, tmp_path):
    (tmp_path / "rootfs").mkdir()
    (tmp_path / "rootfs" / "file").write_bytes(b"contents")
    done = subprocess.run([sys.executable, "-c", program_of_readme("From Python")], cwd=tmp_path, capture_output=True,
                          text=True, check=True, env=dict(os.environ, PYTHONPATH=python_dir))
    lines = done.stdout.splitlines()
    assert "hostname 5" in lines and lines[-2:] == ["data 1", "()"]


def test_first_try_of_the_readme(tool, tmp_path):
    """Its commands, in an empty folder, with its output but for times, owners and durations."""
    with open(os.path.join(TOP, "README.md")) as readme:
        block = readme.read().split("## First try\n")[1].split("\n## ")[0]
    lines = [line[4:] for line in block.splitlines() if line.startswith("    ")]
    steps = [list(group) for _, group in itertools.groupby(lines, key=lambda line: line.startswith("$ "))]
    path = os.pathsep.join([os.path.dirname(tool(name)) for name in ("mkfs.f2fs", "f2fs", "fsck.f2fs")] + [os.environ["PATH"]])

    def mask(text):
        text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\d+\.\d+ secs", "#", text)
        return [" ".join(re.sub(r"^( *\d+ +[-drwx]{10} +\d+) +\d+ +\d+ ", r"\1 # # ", line).split()) for line in text.splitlines() if line.strip()]

    assert lines[0].startswith("$ ") and len(steps) > 4
    for commands, shown in zip(steps[::2], steps[1::2] + [[]]):
        script = "\n".join(command[2:] for command in commands if "mount" not in command)
        done = subprocess.run(["sh", "-euc", script], cwd=tmp_path, env=dict(os.environ, PATH=path), capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        assert mask(done.stdout) == mask("\n".join(shown)), script


def how_do_i():
    """The commands of that section of the README, in order, each with its question."""
    with open(os.path.join(TOP, "README.md")) as readme:
        block = readme.read().split("## How do I …\n")[1].split("\n## ")[0]
    question, found = "", []
    for line in block.splitlines():
        if line.startswith("    # "):
            question = line[6:]
        elif line.startswith("    "):
            found.append((question, line[4:]))
    return found


def test_how_do_i(tool, tmp_path):
    """Each command does its work on what those before it left. A comparison that finds a difference ends with 1."""
    names = ("mkfs.f2fs", "sload.f2fs", "dump.f2fs", "f2fs", "f2fslabel", "fsck.f2fs", "defrag.f2fs", "resize.f2fs", "tune.f2fs")
    path = os.pathsep.join([os.path.dirname(tool(name)) for name in names] + [os.environ["PATH"]])

    def run(command):
        return subprocess.run(["sh", "-euc", command], cwd=tmp_path, env=dict(os.environ, PATH=path), capture_output=True, text=True)

    assert run("mkdir -p rootfs/etc; echo f2fs >rootfs/etc/hostname; echo welcome >motd").returncode == 0
    assert run("mkfs.f2fs -q --root-dir rootfs disk.img 64M && f2fs -w disk.img put motd /etc/").returncode == 0
    commands = how_do_i()
    assert len({question for question, _ in commands}) >= 20
    for question, command in commands:
        done = run(command)
        assert done.returncode == 0 and not done.stderr, (question, command, done.stdout, done.stderr)
        if "--deleted" in command:
            assert "/data/etc/hostname" in done.stdout
    assert (tmp_path / "found").is_dir() and (tmp_path / "out" / "etc" / "hostname").read_text() == "f2fs\n"


def test_links_of_the_documents():
    """Each file that a document links to is there."""
    for name in glob.glob(os.path.join(TOP, "*.md")) + glob.glob(os.path.join(TOP, "docs", "**", "*.md"), recursive=True):
        with open(name) as document:
            for target in re.findall(r"\]\(([^)#\s]+)", document.read()):
                assert ":" in target or os.path.exists(os.path.join(os.path.dirname(name), target)), (name, target)
