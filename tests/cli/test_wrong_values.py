# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every option of every program that takes a value gets one that makes no sense: the message is a sentence that names the
option, and the value once; nothing is written."""
import os
import re
import subprocess

import pytest

WRONG = "no-such.thing"
OPTION = re.compile(r"  (?:-\S, |    )(--[\w-]+)\[?=|  (-\S) [A-Z<]")
PROGRAMS = {"mkfs.f2fs": ["-f"], "fsck.f2fs": ["-n"], "dump.f2fs": [], "sload.f2fs": [], "defrag.f2fs": ["-n"], "resize.f2fs": ["-n"],
            "f2fs": [], "inject.f2fs": [], "f2fslabel": [], "tune.f2fs": []}
# Options for which such a value is one of sense: a text, a pattern, a file that is to be made.
TAKEN = {
    "mkfs.f2fs": {"--label", "--cold-extensions", "--hot-extensions", "--include", "--exclude", "--preset", "-a", "--stamp",
                  "--mount-point", "--fs-config", "--file-contexts"},
    "fsck.f2fs": {"--undo"},
    "dump.f2fs": {"--to", "--read-log", "--report", "--metadata-image", "--used-image", "--restore-image", "--extract", "--tar", "--tar-compression",
                  "--include", "--exclude", "--manifest", "--fs-config", "--file-contexts", "--mount-point", "-o"},
    "sload.f2fs": {"--include", "--exclude", "--target", "--compress-extension", "--plain-extension", "--mount-point", "--fs-config",
                   "--file-contexts", "-p", "--stamp"},
    "defrag.f2fs": {"--svg", "--include", "-d"},
    "resize.f2fs": {"-g"},
    "tune.f2fs": {"--label"},
    "f2fs": {"--commands", "--undo", "--read-log"},
}


@pytest.fixture
def image(run_tool, tmp_path):
    run_tool("mkfs.f2fs", "-q", tmp_path / "disk.img", "64M")
    return tmp_path / "disk.img"


def said(command, folder):
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, cwd=folder, timeout=300, check=False)
    return done.returncode, done.stderr.decode()


def judge(name, command, folder, image):
    """Return the fault of its answer, or None."""
    os.utime(image, ns=(1, 1))          # two changes may share a tick of the clock
    status, text = said(command, folder)
    first = text.partition("\n")[0].partition("no such file or directory")[0]  # that ends with the name that is not there
    if image.stat().st_mtime_ns != 1:
        return "%s: the image was written" % command
    if status <= 0 or not first.startswith(name + ": ") or "(null)" in text:
        return "%s: %d, %r" % (command, status, first)
    return None if first.count(WRONG) <= 1 else "%s: %r says it twice" % (command, first)


@pytest.mark.parametrize("name", PROGRAMS)
def test_options(tool, run_tool, image, tmp_path, name):
    listed = run_tool(name, "--help").stdout.decode()
    options = {m[1] or m[2] for m in map(OPTION.match, listed.splitlines()) if m}
    assert len(options) >= 3 or name in ("f2fslabel", "inject.f2fs")
    wrong = []
    for option in sorted(options - TAKEN.get(name, set())):
        value = ["%s=%s" % (option, WRONG)] if option.startswith("--") else [option, WRONG]
        wrong.append(judge(name, [tool(name), *PROGRAMS[name], *value, image], tmp_path, image))
        assert os.listdir(tmp_path) == [image.name], option
    assert not any(wrong), "\n".join(filter(None, wrong))


def test_commands(tool, run_tool, image, tmp_path):
    """Commands of f2fs: which one it is stands in front."""
    listed = run_tool("f2fs", "--help").stdout.decode()
    run_tool("f2fs", "-w", image, "-c", "mkdir /d; touch /f")
    pairs = [(line.split()[0], letter) for line in listed.splitlines() if re.match(r"  [a-z]+ .*\[-", line)
             for letter in re.findall(r"\[(-\w) [A-Z]", line)]
    assert {("find", "-t"), ("mkdir", "-m"), ("gc", "-p"), ("seal", "-h")} <= set(pairs)
    wrong = []
    for command, option in pairs:
        if (command, option) in (("find", "-n"), ("getfattr", "-n"), ("diff", "-x"), ("diff", "-C"),
                                 ("compress", "-i"), ("compress", "-x")):
            continue
        said_of = judge("f2fs", [tool("f2fs"), "-w", image, command, option, WRONG, "/d", "/f"], tmp_path, image)
        wrong.append(said_of)
        _, text = said([tool("f2fs"), "-w", image, command, option, WRONG, "/d", "/f"], tmp_path)
        if not text.startswith("f2fs: " + command):
            wrong.append("%s %s: %r does not name the command" % (command, option, text))
    assert not any(wrong), "\n".join(filter(None, wrong))


@pytest.mark.parametrize("options, why", [
    (["--root-dir=nowhere"], "nowhere: No such file or directory"), (["--manifest=nowhere"], "nowhere: No such file"),
    (["--root-dir=full", "--fs-config=nowhere"], "nowhere"), (["--root-dir=full", "--file-contexts=nowhere"], "nowhere"),
    (["--root-dir=full", "--file-contexts=odd"], "line 1"), (["--manifest=odd"], "not a value"),
    (["-O", "encrypt", "--root-dir=full", "--encrypt=private", "--key=nowhere"], "nowhere"),
    (["--root-dir=full", "-n", "--fs-config=nowhere"], "nowhere")])
def test_mkfs_overwrites_nothing_before_it_can_fill(run_tool, image, tmp_path, options, why):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_bytes(b"contents")
    (tmp_path / "odd").write_bytes(b"(\n")
    os.utime(image, ns=(1, 1))
    failed = run_tool("mkfs.f2fs", "-q", "-f", *options, image, cwd=tmp_path, rc=1)
    assert why in failed.stderr.decode() and image.stat().st_mtime_ns == 1
    new = tmp_path / "new.img"
    run_tool("mkfs.f2fs", "-q", *options, new, "64M", cwd=tmp_path, rc=1)
    assert not new.exists()
