# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trees of 10,000 levels, as mkdir and chdir make them on a mounted volume: no walk of a tree has a limit of its own, and a
walk that comes back to a directory finds its later entries."""
import subprocess

import pytest

LEVELS, STEP = 10_000, 500  # each STEP levels there is more than the next directory


def make(f2fskit, path, levels=LEVELS):
    """A chain of directories; every STEP of them has files and directories before and after the one that continues the
    chain."""
    f2fskit.mkfs(path, 512 << 20)
    names = 0
    with f2fskit.open(path, "r+") as volume:
        folder = volume.root
        for level in range(levels):
            more = level % STEP == STEP - 1
            for name in ("before", "b.d") if more else ():
                folder.create(name, 0o40755 if name.endswith(".d") else 0o100644)
            below = folder.create("d", 0o40755)
            for name in ("z.d", "last") if more else ():
                made = folder.create(name, 0o40755 if name.endswith(".d") else 0o100644)
                if name == "last":
                    made.pwrite(b"level %d" % level, 0)
            names += 5 if more else 1
            folder = below
        volume.commit()
    return names


@pytest.fixture(name="deep", scope="module")
def _deep(f2fskit, tmp_path_factory):
    path = tmp_path_factory.mktemp("deep") / "deep.img"
    return str(path), make(f2fskit, str(path))


def remove(folder):
    """Trees deeper than a path can be: rm goes by steps."""
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.fixture(name="shows")
def _shows(run_tool):
    """shows("f2fs", image, "find"): the output of a program, as text."""
    return lambda *words, **how: run_tool(*words, **how).stdout.decode()


@pytest.fixture(name="copy")
def _copy(deep, tmp_path):
    path = str(tmp_path / "copy.img")
    subprocess.run(["cp", "--sparse=always", deep[0], path], check=True)
    return path


def test_everything_is_found(shows, deep):
    image, names = deep
    bottom = "/d" * LEVELS
    out = shows("f2fs", image, "find").splitlines()
    assert len(out) == names + 1 and bottom in out
    assert sum(line.endswith("/last") for line in out) == LEVELS // STEP
    assert len(shows("dump.f2fs", "--tree", image).splitlines()) >= names
    assert len(shows("f2fs", image, "tree").splitlines()) == names
    hashes = shows("dump.f2fs", "--hashes", image).splitlines()
    deepest = "  " + ("/d" * (LEVELS - 1) + "/last")[1:]
    assert len(hashes) == 2 * LEVELS // STEP and any(line.endswith(deepest) for line in hashes)
    assert shows("f2fs", image, "du").count("\n") == LEVELS + 1 + 2 * LEVELS // STEP
    assert shows("f2fs", image, "ls", "-R").count(":\n") == LEVELS + 1 + 2 * LEVELS // STEP
    assert "0 problems" in shows("fsck.f2fs", image)


def test_python_goes_as_deep(f2fskit, deep):
    with f2fskit.open(deep[0]) as volume:
        assert sum(len(dirs) + len(files) for _, dirs, files in volume.walk("/")) == deep[1]


@pytest.mark.parametrize("kind", ["directory", "tar"])
def test_a_copy_on_the_host_is_whole(f2fskit, run_tool, shows, deep, tmp_path, kind):
    """Extracted and brought into another volume it is the same tree."""
    image, other, out = deep[0], str(tmp_path / "other.img"), tmp_path / "out"
    if kind == "directory":
        run_tool("f2fs", image, "get", "-r", "/", str(out))
    else:
        run_tool("dump.f2fs", f"--tar={out}", image)
    f2fskit.mkfs(other, 512 << 20)
    try:
        run_tool("sload.f2fs", "-f", str(out), other)
    finally:
        if kind == "directory":
            remove(out)
    assert shows("f2fs", image, "diff", other) == ""
    assert "0 problems" in shows("fsck.f2fs", other)


def test_changes_go_as_deep(run_tool, shows, copy, deep):
    run_tool("f2fs", "-w", copy, "cp", "-r", "/d", "/e")
    with_copy = shows("f2fs", copy, "find").splitlines()
    assert len(with_copy) == 2 * deep[1] + 1
    run_tool("f2fs", "-w", copy, "rm", "-r", "/d")
    assert len(shows("f2fs", copy, "find").splitlines()) == deep[1] + 1
    run_tool("f2fs", "-w", copy, "chmod", "-R", "700", "/e")
    run_tool("f2fs", "-w", copy, "mv", "/e", "/d")
    assert "removed" not in shows("f2fs", copy, "diff", "-q", deep[0], rc=1)
    run_tool("defrag.f2fs", copy)
    assert "0 problems" in shows("fsck.f2fs", copy)


def test_what_the_source_lacks_goes(run_tool, shows, copy, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    run_tool("sload.f2fs", "--delete", "-f", str(empty), copy)
    assert shows("f2fs", copy, "find").split() == ["/"]
    assert "0 problems" in shows("fsck.f2fs", copy)


@pytest.mark.long_with_sanitizers
def test_patterns_go_as_deep(f2fskit, run_tool, shows, deep, tmp_path):
    """A directory is made only when something in it is wanted, however many there are on the way."""
    out, other = tmp_path / "out", str(tmp_path / "other.img")
    run_tool("dump.f2fs", f"--tar={out}", "--include=last", deep[0])
    f2fskit.mkfs(other, 512 << 20)
    run_tool("sload.f2fs", "-f", str(out), "--exclude=b.d", other)
    found = shows("f2fs", other, "find", "-t", "f").splitlines()
    assert len(found) == LEVELS // STEP and all(line.endswith("/last") for line in found)


def test_a_message_is_no_path_of_megabytes(run_tool, deep):
    result = run_tool("f2fs", deep[0], "stat", "/d" * 15000 + "/none", rc=None)
    assert result.returncode != 0 and b" ... " in result.stderr and len(result.stderr) < 5000
