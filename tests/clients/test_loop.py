# SPDX-License-Identifier: LGPL-2.1-or-later
"""Loop devices and their file are one volume: it has one writer, whichever name it is opened by."""
import subprocess

import pytest


@pytest.fixture
def writer(tool, image):
    """writer(path): a shell that holds the volume open for writing, after it has said so."""
    running = []

    def start(path):
        shell = subprocess.Popen([tool("f2fs"), "-w", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        shell.stdin.write(b"mkdir /held\nls\n")
        shell.stdin.flush()
        assert b"held" in shell.stdout.readline()
        running.append(shell)
        return shell
    yield start
    for shell in running:
        if shell.returncode is None:
            shell.kill()
            shell.communicate()


@pytest.mark.parametrize("first", ["file", "loop"])
@pytest.mark.parametrize("second", ["file", "loop", "another loop"])
def test_there_is_one_writer(run_tool, image, loop, writer, first, second):
    run_tool("mkfs.f2fs", "-q", image)
    names = {"file": image}
    if first == "loop":
        names["loop"] = loop(image)
    holder = writer(names[first])
    if second not in names:
        names[second] = loop(image)
    for words in (["f2fs", "-w", names[second], "mkdir", "/other"], ["mkfs.f2fs", "-f", "-q", names[second]],
                  ["resize.f2fs", names[second], "64M"]):
        done = run_tool(*words, rc=None)
        assert done.returncode != 0 and b"in use by" in done.stderr, words
    out, _ = holder.communicate(b"commit\n", timeout=300)
    assert holder.returncode == 0, out


def test_a_loop_device_alone_is_written(run_tool, image, loop):
    run_tool("mkfs.f2fs", "-q", image)
    device = loop(image)
    run_tool("f2fs", "-w", device, "mkdir", "/new")
    assert b"new" in run_tool("f2fs", device, "ls").stdout


@pytest.mark.parametrize("words", [["f2fs", "{from}", "get", "/f", "{to}"], ["dump.f2fs", "--tar={to}", "{from}"],
                                   *(["dump.f2fs", "--extract=out", "--%s={to}" % what, "{from}"] for what in ("manifest", "fs-config"))],
                         ids=["get", "tar", "manifest", "fs-config"])
@pytest.mark.parametrize("ways", [("file", "loop"), ("loop", "file"), ("loop", "another loop")], ids="-".join)
def test_the_image_is_not_overwritten_under_another_name(run_tool, image, loop, tmp_path, words, ways):
    run_tool("mkfs.f2fs", "-q", image)
    run_tool("f2fs", "-w", image, "touch", "/f", "--", "write", "/f", "0", "text")
    before = image.read_bytes()
    names = {"file": image, "loop": loop(image), "another loop": loop(image)}
    names = {"from": names[ways[0]], "to": names[ways[1]]}
    done = run_tool(*(word.format(**names) for word in words), rc=None, cwd=tmp_path)
    assert done.returncode, done
    assert image.read_bytes() == before
