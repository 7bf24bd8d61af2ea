# SPDX-License-Identifier: LGPL-2.1-or-later
"""Closing during another call: things that the call opens are closed, too, and no code touches freed memory. Each case runs
in a process of its own, which a mistake ends."""
import os
import subprocess
import sys
import tarfile

import pytest

import f2fskit

HEAD = """
import sys, threading
import f2fskit

class Closing:
    '''A device that closes the volume in the middle of a read or a write of it.'''

    def __init__(self, data):
        self.data, self.size, self.volume, self.closes_at = bytearray(data), len(data), None, 0

    def look(self, operation):
        if self.volume is not None and operation == self.closes_at:
            volume, self.volume = self.volume, None
            volume.close()

    def pread(self, length, offset):
        self.look("read")
        return bytes(self.data[offset:offset + length])

    def pwrite(self, data, offset):
        self.look("write")
        self.data[offset:offset + len(data)] = data
        return len(data)

    def flush(self):
        pass

data = bytearray(64 << 20)
with f2fskit.Device.from_buffer(data, writable=True) as device:
    f2fskit.mkfs(device)
with f2fskit.open(data, "r+") as volume:
    for i in range(20):
        volume.path(f"/{i}").write_bytes(bytes(range(256)) * 40)
    volume.commit()
    for i in range(0, 20, 3):
        volume.path(f"/{i}").unlink()
"""

CALLS = {
    "lookup": "volume.lookup('/1').stat()",
    "read": "volume.read_bytes('/1')",
    "entries": "[one.inode().stat() for one in volume.root.iterdir()]",
    "versions": "volume.versions('/1')[0].open().stat()",
    "deleted": "[one.open() for one in volume.deleted()]",
    "timeline": "volume.timeline()",
    "past": "volume.past().inode_at(volume.versions('/1')[0].addr)",
    "metadata": "volume.metadata().read(0, 4096)",
    "create": "volume.path('/new').write_bytes(b'1' * 90000)",
    "link": "volume.root.link('more', volume.lookup('/1'))",
    "commit": "(volume.path('/new').touch(), volume.commit())",
    "gc": "volume.gc()",
}


def run(text, seconds=300):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(f2fskit.__file__))}
    return subprocess.run([sys.executable, "-X", "faulthandler", "-c", text], env=environment, capture_output=True, text=True,
                          timeout=seconds)


@pytest.mark.parametrize("what", CALLS)
@pytest.mark.parametrize("closes_at", ["read", "write"])
def test_in_a_callback(what, closes_at):
    done = run(HEAD + f"""
for access in ("r", "r+"):
    device = Closing(data)
    volume = f2fskit.open(device, access)
    device.volume, device.closes_at = volume, {closes_at!r}
    try:
        {CALLS[what]}
    except (ValueError, f2fskit.Error, OSError) as error:
        print(type(error).__name__, error)
    was_asked = device.volume is None
    assert volume.closed == was_asked
    device.volume = None
    volume.close()
print("done")
""")
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stdout[-500:] + done.stderr[-3000:]


class Closer:
    """A device whose next write closes a volume."""

    def __init__(self, data):
        self.data, self.size, self.volume = bytearray(data), len(data), None

    def pread(self, length, offset):
        return bytes(self.data[offset:offset + length])

    def pwrite(self, data, offset):
        volume, self.volume = self.volume, None
        if volume is not None:
            volume.close()
        self.data[offset:offset + len(data)] = data
        return len(data)

    def flush(self):
        pass


@pytest.fixture
def closer():
    with f2fskit.Device.memory(64 << 20) as device:
        f2fskit.mkfs(device)
        return Closer(device.read(0, 64 << 20))


def test_in_the_middle_of_a_copy(tmp_path, closer):
    """The copy is rolled back, and the end of the block says so."""
    for i in range(50):
        (tmp_path / str(i)).write_bytes(b"x" * 5000)
    seen = []
    with pytest.raises(f2fskit.StateError) as found:
        with f2fskit.open(closer, "r+") as volume:
            def look(path):
                seen.append(path)
                if len(seen) == 7:
                    volume.close()
            volume.populate(tmp_path, on_entry=look)
            assert volume.closed
    assert found.value.committed is False and len(seen) > 7
    with f2fskit.open(closer) as volume:
        assert not list(volume.root.iterdir())


@pytest.mark.parametrize("how", ["commit", "end"])
def test_in_the_middle_of_a_commit(closer, how):
    """The commit continues, is permanent, and no message denies that."""
    with f2fskit.open(closer, "r+") as volume:
        volume.path("/n").write_bytes(b"x" * 9000)
        closer.volume = volume
        if how == "commit":
            volume.commit()
            assert volume.closed
    assert closer.volume is None and volume.closed
    with f2fskit.open(closer) as volume:
        assert volume.read_bytes("/n") == b"x" * 9000


def test_by_another_thread():
    """Threads that look up, list, link and rename; the volume and inodes are closed under their hands."""
    done = run(HEAD + """
sys.setswitchinterval(1e-6)
for turn in range(10):
    volume = f2fskit.open(data, "r+")
    begun = threading.Barrier(4)

    def work(number):
        begun.wait()
        try:
            for i in range(10**6):
                root = volume.root
                [one.inode() for one in root.iterdir()]
                inode = volume.lookup(f"/{1 + number}")
                threading.Thread(target=inode.close).start() if i % 3 == 0 else None
                root.link(f"{number}-{i}", inode)
                root.rename(f"{number}-{i}", root, f"{number}-{i}-b")
        except (ValueError, f2fskit.Error):
            pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    begun.wait()
    for i in range(turn % 7 * 40):
        volume.lookup("/1")
    volume.close()
    for thread in threads:
        thread.join()
print("done")
""")
    assert done.returncode == 0 and done.stdout == "done\n", done.stdout[-500:] + done.stderr[-3000:]


def test_two_volumes_are_compared_both_ways():
    """Threads that compare the same two volumes in opposite order do not wait for each other for ever."""
    done = run(HEAD + """
sys.setswitchinterval(1e-6)
first, second = f2fskit.open(bytearray(data)), f2fskit.open(bytearray(data))

def compare(a, b):
    for _ in range(30):
        assert f2fskit.diff(a, b) == []

threads = [threading.Thread(target=compare, args=pair, daemon=True) for pair in ((first, second), (second, first))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(300)
    assert not thread.is_alive()
print("done")
""")
    assert done.returncode == 0 and done.stdout == "done\n", done.stdout[-500:] + done.stderr[-3000:]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("way", ["folder", "tar"])
def test_a_fork_does_not_go_on_with_its_parents_extraction(tmp_path, way, threads):
    """It gets an error and removes nothing, and its parent makes all files."""
    image, contents, children = tmp_path / "image", bytes(range(250)) * 400, []
    f2fskit.mkfs(image, 64 << 20)
    with f2fskit.open(image, "r+") as volume:
        for i in range(100):
            volume.path("/%d" % i).write_bytes(contents)

    def fork(progress):
        if progress.task == "extract" and not children:
            children.append(os.fork())

    with f2fskit.open(image, progress=fork) as volume:
        try:
            if way == "tar":
                volume.extract(tar=tmp_path / "out", threads=threads)
            else:
                volume.extract(tmp_path / "out", threads=threads)
        except BaseException as error:
            if children == [0]:
                os._exit(not (isinstance(error, f2fskit.StateError) and "forked" in str(error)))
            raise
        if children == [0]:
            os._exit(2)
    assert os.waitpid(children[0], 0)[1] == 0
    if way == "tar":
        with tarfile.open(tmp_path / "out") as archive:
            found = {os.path.basename(m.name): archive.extractfile(m).read() for m in archive if m.isfile()}
    else:
        found = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert found == {"%d" % i: contents for i in range(100)}
