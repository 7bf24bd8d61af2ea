# SPDX-License-Identifier: LGPL-2.1-or-later
"""One writer at a time: two of them destroy a volume."""
import os
import subprocess
import sys

import pytest

import f2fskit

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the holder has no name")

WRITER = """
import sys, f2fskit
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
done = 0
while done < count:
    try:
        with f2fskit.open(path, "r+") as volume:
            volume.path("/%s%d" % (name, done)).write_text(name * 3000)
            done += 1
    except f2fskit.BusyError:
        pass
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "volume.img"
    f2fskit.mkfs(path, 64 << 20)
    return path


def in_child(function):
    """Return the result of the function (a short str), called in a forked process."""
    from_child, to_parent = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(to_parent, str(function()).encode())
        except BaseException as error:
            os.write(to_parent, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(to_parent)
    with open(from_child, "rb") as f:
        said = f.read().decode()
    os.waitpid(pid, 0)
    return said


@linux
def test_one_process_twice(path):
    with f2fskit.open(path, "r+") as volume:
        volume.path("/a").write_text("one")
        for attempt in (lambda: f2fskit.open(path, "r+"), lambda: f2fskit.check(path, repair=True),
                        lambda: f2fskit.mkfs(path), lambda: f2fskit.mkfs(path, 64 << 20, overwrite=True),
                        lambda: f2fskit.fields(path, "r+"), lambda: f2fskit.Device.create(path, 5, exist_ok=True),
                        lambda: f2fskit.open(path, recover="apply")):
            with pytest.raises(f2fskit.BusyError, match=r"in use by this process \(%d\)" % os.getpid()):
                attempt()
        with f2fskit.open(path) as reader:  # a note reports it
            assert any("has the volume open for writing" in note for note in reader.notes)
    with f2fskit.open(path, "r+") as volume:  # the lock went with the volume
        assert volume.path("/a").read_text() == "one"
    with f2fskit.open(path) as reader:
        assert not reader.notes
    assert f2fskit.check(path).found == 0


@linux
def test_tools_name_the_holder(path, run_tool):
    with f2fskit.open(path, "r+") as volume:
        volume.path("/a").write_text("one")
        before = path.read_bytes()
        for command in (["f2fs", "-w", path, "rm", "/b"], ["f2fslabel", path, "new"], ["fsck.f2fs", "-y", path],
                        ["fsck.f2fs", path], ["sload.f2fs", "-f", __file__, path], ["mkfs.f2fs", "-f", path],
                        ["mkfs.f2fs", "-f", path, "128M"],
                        ["inject.f2fs", "--sb", "1", "--mb", "feature", "--val", "1", path]):
            done = run_tool(*command, rc=None)
            assert done.returncode != 0
            assert b"is in use by process %d" % os.getpid() in done.stderr, done
        assert path.read_bytes() == before
        seen = run_tool("f2fs", path, "ls", "/", rc=None)
        assert seen.returncode == 0 and b"process %d" % os.getpid() in seen.stderr
    assert run_tool("f2fslabel", path, "new")


def test_tools_without_the_lock(path, run_tool):
    """They continue, and the commit of the earlier writer is refused."""
    volume = f2fskit.open(path, "r+")
    volume.path("/a").write_text("one")
    assert run_tool("f2fs", "-w", "--no-lock", path, "mkdir", "/b")
    with pytest.raises(f2fskit.StateError, match="somebody else has written"):
        volume.commit()
    volume.close()
    assert f2fskit.check(path).found == 0
    with f2fskit.open(path) as volume:
        assert [name for name in ("a", "b") if volume.path("/" + name).exists()] == ["b"]


@pytest.mark.parametrize("change", ["commit", "mkfs", "trim", "label"])
def test_a_second_writer_without_the_lock(path, change):
    first = f2fskit.open(path, "r+")
    if change == "mkfs":
        device = f2fskit.Device.open(path, writable=True, lock=False)
        f2fskit.mkfs(device, overwrite=True)
        device.close()
    else:
        with f2fskit.open(path, "r+", lock=False) as second:
            second.path("/b").write_text("two")
    changes = {"trim": first.trim, "label": lambda: first.set_label("x")}
    with pytest.raises(f2fskit.StateError, match="somebody else has written"):
        changes.get(change, lambda: first.path("/a").write_text("one"))()
    first.close()
    assert f2fskit.check(path).found == 0


def test_fork(path):
    """The lock is the same on both sides of a fork, so only the parent writes."""
    volume = f2fskit.open(path, "r+")
    volume.path("/a").write_text("one")
    assert in_child(volume.commit).startswith("StateError")
    assert in_child(lambda: f2fskit.open(path, "r+")).startswith("BusyError")
    assert in_child(lambda: volume.path("/a").read_text()) == "one"
    volume.commit()
    stays, end = os.pipe()
    pid = os.fork()
    if pid == 0:  # has the file open until the pipe is closed
        os.close(end)
        os.read(stays, 1)
        os._exit(0)
    volume.close()
    with f2fskit.open(path, "r+") as volume:
        assert volume.path("/a").read_text() == "one"
    os.close(end)
    os.waitpid(pid, 0)
    assert f2fskit.check(path).found == 0


def test_fork_with_a_worker(path):
    """Long writes are done by a thread, which a fork does not take along: the child can close its inherited objects."""
    volume = f2fskit.open(path, "r+")
    volume.path("/a").write_bytes(bytes(range(256)) * 20000)
    assert in_child(lambda: volume.close() or volume.closed) == "True"
    volume.close()
    assert f2fskit.check(path, content=True).found == 0


def test_two_processes(path):
    """Each of them gets its turn, and nothing is lost."""
    count = 12
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(f2fskit.__file__))}
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, name, str(count)], env=environment) for name in "xy"]
    assert [writer.wait(300) for writer in writers] == [0, 0]
    assert f2fskit.check(path, content=True).found == 0
    with f2fskit.open(path) as volume:
        for name in "xy":
            for i in range(count):
                assert volume.path("/%s%d" % (name, i)).read_text() == name * 3000


def test_overlays_write_nothing(path):
    with f2fskit.open(path, "r+"), f2fskit.Device.open(path) as below, below.overlay() as overlay:
        with f2fskit.open(overlay, "r+") as volume:
            volume.path("/c").write_text("three")
        assert f2fskit.check(overlay).found == 0


def test_a_reader_notices_a_writer(path, tmp_path):
    with f2fskit.open(path, "r+") as volume:
        volume.path("/a").write_text("one")
        volume.commit()
        volume.path("/b").write_text("two")
        volume.check_current()
    with f2fskit.open(path) as reader:
        reader.extract(tmp_path / "first")
        reader.check_current()
        with f2fskit.open(path, "r+") as volume:
            volume.path("/a").unlink()
            volume.path("/c").write_text("three")
        with pytest.raises(f2fskit.StateError, match="another program wrote"):
            reader.check_current()
        with pytest.raises(f2fskit.StateError, match="another program wrote") as error:
            reader.extract(tmp_path / "second")
        assert error.value.result.files == 2
    with f2fskit.open(path) as reader:
        reader.extract(tmp_path / "third")


@pytest.mark.parametrize("damaged", [False, True])
def test_a_check_beside_a_writer(path, damaged):
    """Its findings may mix two states. If it finds nothing, all is well."""
    with f2fskit.open(path, "r+") as volume:
        volume.path("/a").write_text("one")
        ino = volume.path("/a").stat().st_ino
    if damaged:
        with f2fskit.fields(path, "r+") as fields:
            fields["inode[%d].i_links" % ino] = 9
    written = []

    def write(progress):
        if progress.done > 0 and not written:
            written.append(True)
            with f2fskit.open(path, "r+") as volume:
                volume.path("/b").write_text("two")

    if damaged:
        with pytest.raises(f2fskit.StateError, match="another program wrote"):
            f2fskit.check(path, progress=write)
    else:
        assert not f2fskit.check(path, progress=write).problems
    assert written
