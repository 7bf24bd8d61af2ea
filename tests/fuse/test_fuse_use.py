# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes mounted by f2fsfuse in use: trees that are copied, databases, full volumes, programs that are killed, other
programs beside it, and views that write nothing."""
import errno
import hashlib
import json
import mmap
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

import uml

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WRITER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sqlite_writer.py")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def make_tree(top):
    """A tree with something of everything."""
    for name in ("deep/er/est", "empty", "döner"):
        os.makedirs(top / name)
    for i in range(300):
        (top / "deep" / ("file-%d" % i)).write_bytes(b"%d\n" % i * (i * i % 7000))
    (top / "deep" / "er" / "big").write_bytes(os.urandom(5 << 20))
    with open(top / "holes", "wb") as file:
        file.seek(3 << 20)
        file.write(b"end")
    os.symlink("deep/er/big", top / "link")
    os.link(top / "holes", top / "deep" / "again")
    os.mkfifo(top / "fifo")
    os.chmod(top / "empty", 0o1777)
    os.utime(top / "deep" / "file-7", ns=(10**18, 10**18 + 7))


def test_trees_come_back(mount, volume, tmp_path, peer_check, run_tool):
    source = tmp_path / "source"
    source.mkdir()
    make_tree(source)
    image = volume("128M")
    mounted = mount(image)
    to = mounted.point / "copy"
    subprocess.run(["cp", "-a", source, to], check=True)
    subprocess.run(["diff", "-r", "--no-dereference", "--exclude=fifo", source, to], check=True)
    with subprocess.Popen(["tar", "-C", to, "--format=pax", "-cf", "-", "."], stdout=subprocess.PIPE) as packed:
        (mounted.point / "untarred").mkdir()
        subprocess.run(["tar", "-C", mounted.point / "untarred", "-xf", "-"], stdin=packed.stdout, check=True)
    copies = [to, mounted.point / "untarred"]
    if shutil.which("rsync"):
        copies.append(mounted.point / "synced")
        subprocess.run(["rsync", "-aH", "%s/" % to, copies[-1]], check=True)
    assert mounted.unmount() == ""
    peer_check(image)
    again = mount(image)
    for copy in copies:
        copy = again.point / copy.name
        subprocess.run(["diff", "-r", "--no-dereference", "--exclude=fifo", source, copy], check=True)
        assert os.stat(copy / "holes").st_nlink == 2
        assert os.stat(copy / "deep" / "file-7").st_mtime_ns == 10**18 + 7
        assert os.stat(copy / "empty").st_mode & 0o7777 == 0o1777
    shutil.rmtree(again.point / "copy")
    assert again.unmount() == ""
    peer_check(image)


def test_two_processes_write_at_once(mount, volume, peer_check):
    image = volume("128M")
    mounted = mount(image)
    text = r"""
import os, sys
top, mine = sys.argv[1:]
for i in range(200):
    with open("%s/log-%s" % (top, mine), "ab") as file:
        file.write(mine.encode() * 3000)
    os.makedirs("%s/dir-%d" % (top, i), exist_ok=True)
    open("%s/dir-%d/%s" % (top, i, mine), "w").close()
    if i % 20 == 19:
        os.rename("%s/dir-%d/%s" % (top, i - 10, mine), "%s/dir-%d/moved-%s" % (top, i, mine))
"""
    writers = [subprocess.Popen([sys.executable, "-c", text, mounted.point, str(k)]) for k in range(4)]
    assert [w.wait() for w in writers] == [0] * 4
    for k in range(4):
        assert (mounted.point / ("log-%d" % k)).read_bytes() == str(k).encode() * 600000
    assert len(os.listdir(mounted.point)) == 204
    assert mounted.unmount() == ""
    peer_check(image)


def test_reads_beside_a_writer(mount, volume, peer_check):
    """Clean files are read without the lock, past the kernel's cache, while blocks are freed and used again. No byte of
    another file is seen. Zeros are: the kernel fills up a short answer while the file is cut and grows again."""
    image = volume("64M")
    mounted = mount(image, "gc_idle=1,gc_min_sleep_time=1,gc_max_sleep_time=1")
    kept, control = mounted.point / "kept", mounted.point / ".f2fs" / "control"
    contents = b"".join(b"%08d" % i * 512 for i in range(2048))
    kept.write_bytes(contents)
    control.write_text("checkpoint")
    text = r"""
import mmap, os, random, sys
path, size, turns = sys.argv[1], 8 << 20, random.Random(int(sys.argv[2]))
fd, room = os.open(path, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 1 << 17)
while not os.path.exists(path + ".end"):
    at = turns.randrange(size // 4096) * 4096
    n = os.preadv(fd, [room], at)
    for i in range(0, n, 4096):
        assert room[i:i + 4096] in (b"%08d" % ((at + i) // 4096) * 512, bytes(4096)), (at, i)
"""
    readers = [subprocess.Popen([sys.executable, "-c", text, kept, str(seed)]) for seed in range(2)]
    for turn in range(60):
        (mounted.point / "other").write_bytes(b"%c" % (turn + 128) * (6 << 20))
        if turn % 3 == 0:               # the same bytes, at other places
            with open(kept, "wb", buffering=0) as file:
                for at in range(0, len(contents), 20480):
                    file.write(contents[at:at + 20480])
        control.write_text("checkpoint")
    seen = json.loads((mounted.point / ".f2fs" / "status").read_bytes())
    (mounted.point / "kept.end").touch()
    assert [reader.wait() for reader in readers] == [0, 0]
    assert seen["direct_reads"] > 100 and seen["spliced_reads"] > 100
    assert mounted.unmount() == ""
    peer_check(image)


def test_spliced_blocks_are_used_again(mount, volume, tmp_path, build_dir, monkeypatch, peer_check):
    """While a read is held between the image and the kernel, its blocks get the bytes of another file. It sees none of them."""
    image, contents = volume("256M"), random.Random(3).randbytes(8 << 20)
    monkeypatch.setenv("LD_PRELOAD", os.path.join(build_dir, "tests/common/libheld_splice.so"))
    monkeypatch.setenv("F2FSKIT_HOLD", str(tmp_path))
    mounted = mount(image)
    monkeypatch.delenv("LD_PRELOAD")
    kept, control, status = mounted.point / "kept", mounted.point / ".f2fs" / "control", mounted.point / ".f2fs" / "status"
    kept.write_bytes(contents)
    control.write_text("checkpoint")
    (tmp_path / "hold").touch()
    text = "import mmap, os, sys; r = mmap.mmap(-1, 1 << 17); n = os.preadv(os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), [r], 4 << 20); " \
           "sys.stdout.buffer.write(r[:n])"
    reader = subprocess.Popen([sys.executable, "-c", text, kept], stdout=subprocess.PIPE)
    while not (tmp_path / "held").exists():
        assert reader.poll() is None
        time.sleep(0.01)
    piece = contents[4 << 20:][:1 << 17]
    place = image.read_bytes().index(piece)
    with open(kept, "r+b", buffering=0) as file:  # the same bytes, at other places
        file.write(contents)
    for turn in range(50):
        control.write_text("checkpoint")
        (mounted.point / "other").write_bytes(b"%c" % turn * (6 << 20))
        with open(image, "rb") as file:
            file.seek(place)
            place_now = file.read(len(piece))
        if place_now != piece:
            break
    assert place_now != piece
    (tmp_path / "held").unlink()
    assert reader.communicate()[0] == piece
    seen = json.loads(status.read_bytes())
    assert (seen["spliced_reads"], seen["repeated_reads"]) == (0, 1)
    assert mounted.unmount() == ""
    peer_check(image)


def counted(mounted, name, length=1 << 20):
    """Read a file past the kernel's cache. Return its bytes, and how many reads were spliced and direct."""
    status = mounted.point / ".f2fs" / "status"
    before = json.loads(status.read_bytes())
    fd, room = os.open(mounted.point / name, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, length)
    n = os.preadv(fd, [room], 0)
    os.close(fd)
    after = json.loads(status.read_bytes())
    return room[:n], after["spliced_reads"] - before["spliced_reads"], after["direct_reads"] - before["direct_reads"]


def test_which_reads_are_spliced(volume, mount, peer_check):
    """Large reads of plain files that are unchanged since the last checkpoint; all others are copied."""
    image = volume("128M", "-O", "compression,extra_attr")
    data = random.Random(7).randbytes(1 << 20)
    plain, odd, holes, inline = data, data[:300001], data[:65536] + bytes(200000) + data[:65536], b"few bytes"
    mounted = mount(image, "compress_extension=packed")
    files = {"plain": plain, "odd": odd, "inline": inline, "text.packed": b"words " * 100000}
    for name, contents in files.items():
        (mounted.point / name).write_bytes(contents)
    with open(mounted.point / "holes", "wb") as file:
        file.write(holes[:65536])
        file.seek(len(holes) - 65536)
        file.write(holes[-65536:])
    files["holes"] = holes
    assert counted(mounted, "plain") == (plain, 0, 0)  # not in a checkpoint yet
    os.sync()
    (mounted.point / ".f2fs" / "control").write_text("checkpoint")
    for name, contents in files.items():
        found, spliced, direct = counted(mounted, name)
        assert found == contents, name
        assert (spliced > 0, direct > 0) == (name in ("plain", "odd"), name in ("plain", "odd", "holes")), name
    with open(mounted.point / "plain", "r+b", buffering=0) as file:
        file.write(b"new")
        assert counted(mounted, "plain")[:2] == (b"new" + plain[3:], 0)
    assert mounted.unmount() == ""
    mounted = mount(image, "no_splice")
    found, spliced, direct = counted(mounted, "odd")
    assert found == odd and spliced == 0 and direct > 0
    assert mounted.unmount() == ""
    peer_check(image)


def test_a_splice_that_fails(volume, mount, tmp_path, build_dir, monkeypatch):
    """The read gets its bytes in another way, and later ones are spliced again, unless the file cannot be spliced."""
    image, contents = volume("64M"), bytes(range(256)) * 4096
    monkeypatch.setenv("LD_PRELOAD", os.path.join(build_dir, "tests/common/libheld_splice.so"))
    monkeypatch.setenv("F2FSKIT_HOLD", str(tmp_path))
    mounted = mount(image)
    monkeypatch.delenv("LD_PRELOAD")
    (mounted.point / "file").write_bytes(contents)
    os.sync()
    (mounted.point / ".f2fs" / "control").write_text("checkpoint")
    for error, is_spliced, is_lasting in ((errno.EINTR, True, True), (0, False, True), (errno.EIO, False, True), (errno.EINVAL, False, False)):
        os.symlink(str(error), tmp_path / "fail")
        found, spliced, direct = counted(mounted, "file", 1 << 17)
        assert not os.path.lexists(tmp_path / "fail")
        assert (found, spliced, direct) == (contents[:1 << 17], is_spliced, 1), error
        assert counted(mounted, "file", 1 << 17)[1] == is_lasting, error
    assert mounted.unmount() == ""


def fill(path, piece):
    """Write until there is no room; how much there was."""
    done = 0
    with open(path, "wb", buffering=0) as file:
        while True:
            try:
                done += file.write(os.urandom(piece))
            except OSError as e:
                assert e.errno == errno.ENOSPC
                return done


def test_a_full_volume(mount, volume, peer_check):
    image = volume("64M")
    mounted = mount(image)
    os.mkdir(mounted.point / "d")
    (mounted.point / "d" / "kept").write_bytes(b"kept" * 1000)
    for i in range(20):     # inside their inodes
        (mounted.point / "d" / ("inline-%d" % i)).write_bytes(b"\xff" * 3000)
    first = fill(mounted.point / "big", 1 << 20)
    assert os.statvfs(mounted.point).f_bavail < 64    # the last write of 1 MiB came short
    with pytest.raises(OSError) as refused:
        for i in range(10000):
            (mounted.point / "d" / ("small-%d" % i)).write_bytes(b"x" * 5000)
    assert refused.value.errno == errno.ENOSPC
    for i in range(20):
        with open(mounted.point / "d" / ("inline-%d" % i), "r+b", buffering=0) as file:
            with pytest.raises(OSError) as refused:
                file.write(b"x" * 9000)
                file.seek(20000)
                file.write(b"x" * 40000)
            assert refused.value.errno == errno.ENOSPC
    with open(mounted.point / "big", "r+b") as file:  # old contents can be overwritten
        for at in range(0, first - 4096, 65536):
            file.seek(at)
            file.write(b"over")
        os.fsync(file.fileno())
    for _ in range(3):
        os.unlink(mounted.point / "big")
        assert fill(mounted.point / "big", 300000) > first * 0.9
    os.unlink(mounted.point / "big")
    assert (mounted.point / "d" / "kept").read_bytes() == b"kept" * 1000
    (mounted.point / "after").write_bytes(b"after")
    assert mounted.unmount() == ""
    peer_check(image)


def test_killed_at_any_moment(mount, volume, tmp_path, peer_check, run_tool):
    """SIGKILL while files are written and fsynced: all files whose fsync had returned are there, whole."""
    image = volume("128M")
    text = r"""
import os, sys
top, turn = sys.argv[1:]
os.makedirs(top + "/dir-" + turn)
for i in range(1000000):
    name = "%s/dir-%s/%d" % (top, turn, i)
    fd = os.open(name, os.O_CREAT | os.O_WRONLY)
    os.write(fd, b"%d " % i * 2000)
    os.fsync(fd)
    os.close(fd)
    print(i, flush=True)
    open(name + ".not", "wb").write(b"x" * 9000)
"""
    for turn in range(4):
        mounted = mount(image, "commit=1")
        writer = subprocess.Popen([sys.executable, "-c", text, mounted.point, str(turn)], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        last = 0
        while last < 40 + 33 * turn:
            last = int(writer.stdout.readline())
        mounted.kill()
        rest = writer.communicate()[0].split()
        last = int(rest[-1]) if rest else last
        seen = mount(image, "state=recovered")
        for i in range(last + 1):
            assert (seen.point / ("dir-%d" % turn) / str(i)).read_bytes() == b"%d " % i * 2000
        assert seen.unmount() == ""
        again = mount(image)
        for i in range(last + 1):
            assert (again.point / ("dir-%d" % turn) / str(i)).read_bytes() == b"%d " % i * 2000
        assert again.unmount() == ""
        peer_check(image)


@pytest.mark.parametrize("option", ["rw", "writeback_cache"])
def test_a_database_is_killed(mount, volume, peer_check, option):
    """SQLite with the program killed beneath it: each transaction that was committed is there, and the database whole."""
    image = volume("128M")
    last = {}
    for turn in range(4):
        mode = ("delete", "wal")[turn % 2]
        mounted = mount(image, option)
        writer = subprocess.Popen([sys.executable, WRITER, mounted.point / mode, mode], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        start = int(writer.stdout.readline())
        assert start == last.get(mode, 0) + 1 or start == last[mode] + 2   # the last one may be durable, too
        told = start
        while told < start + 60 + turn:
            told = int(writer.stdout.readline())
        mounted.kill()
        last[mode] = int((writer.communicate()[0].split() or [told])[-1])
    mounted = mount(image)
    for mode, n in last.items():
        db = sqlite3.connect(mounted.point / mode)
        assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
        rows = db.execute("select n, x from t order by n").fetchall()
        assert [k for k, x in rows] == list(range(1, len(rows) + 1)) and len(rows) in (n, n + 1)
        assert all(x == bytes([k % 256]) * (k * 37 % 5000) for k, x in rows)
        db.close()
    assert mounted.unmount() == ""
    peer_check(image)


def test_a_signal_unmounts_and_commits(mount, volume, peer_check):
    image = volume("128M")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        mounted = mount(image)
        (mounted.point / ("at-%d" % number)).write_bytes(b"there")
        mounted.process.send_signal(number)
        assert mounted.wait() == "" and not os.path.ismount(mounted.point)
        peer_check(image)
    for option in ("ro", "norecovery"):
        mounted = mount(image, option)
        assert len(os.listdir(mounted.point)) == 3 and (mounted.point / "at-15").read_bytes() == b"there"
        with pytest.raises(OSError) as refused:
            (mounted.point / "new").touch()
        assert refused.value.errno == errno.EROFS and mounted.unmount() == ""


def test_in_the_background(program, volume, tmp_path, peer_check, tool):
    """As mount(8) calls it: the program returns when the volume is mounted, with words for libfuse among its own."""
    image, point = volume("128M"), tmp_path / "point"
    point.mkdir()
    done = subprocess.run([program, image, point, "-o", "rw,nosuid,noauto,x-systemd.automount,relatime,fsname=mine,commit=5"],
                          capture_output=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with open("/proc/self/mounts", encoding="utf-8") as file:
        row = [line.split() for line in file if line.split()[1] == str(point)]
    assert row[0][0] == "mine" and row[0][2] == "fuse.f2fsfuse" and "nosuid" in row[0][3]
    (point / "f").write_bytes(b"f")
    busy = subprocess.run([program, image, point], capture_output=True)
    assert busy.returncode == 1 and b"in use" in busy.stderr
    subprocess.run(["fusermount3", "-u", point], check=True)
    while b"in use" in subprocess.run([tool("fsck.f2fs"), "-n", image], capture_output=True).stderr:
        time.sleep(0.02)     # the last checkpoint is being written
    peer_check(image)


def test_wrong_words(program, volume, tmp_path):
    image = volume("128M")
    point = tmp_path / "point"
    point.mkdir()
    for words, status, text in (
            ([], 16, "an image and a mountpoint"), ([image], 16, "an image and a mountpoint"),
            ([image, point, "-o", "commit"], 16, "needs a value"), ([image, point, "-o", "ro=1"], 16, "takes no value"),
            ([image, point, "-o", "state=good"], 16, "is none of current"), ([image, point, "-o", "options=ro"], 16, "no mount option"),
            ([image, point, "-o", "discard_unit=zone"], 16, "is none of block, segment, section"),
            ([image, point, "-o", "state=rescue,as_of=-1"], 16, "is a second state"), ([image, point, "-o", "umask=999"], 16, "octal"),
            ([image, point, "-o", "nonsense"], 1, "unknown option"), ([tmp_path / "none", point], 1, "No such file"),
            ([image, tmp_path / "none"], 1, "No such file"), ([image, image], 1, "Not a directory"), ([image, point, "-o", "ro,as_of=-1000"], 1, "oldest")):
        done = subprocess.run([program, "-f", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == status and text in done.stderr, (words, done)
        assert not os.path.ismount(point)


def test_one_writer(mount, program, volume, tmp_path, tool):
    image = volume("128M")
    mounted = mount(image)
    for words in ([program, "-f", image, tmp_path], [program, "-f", "-o", "ro", image, tmp_path], [tool("f2fs"), "-w", image, "mkdir", "/d"],
                  [tool("fsck.f2fs"), "-y", image]):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode and "is mounted on" in done.stderr, (words, done)
    (mounted.point / "f").write_bytes(b"f")
    assert mounted.unmount() == ""
    first, second = mount(image, "ro"), mount(image, "ro")
    assert (first.point / "f").read_bytes() == (second.point / "f").read_bytes()


def test_a_connection_is_broken_off(mount, volume, monkeypatch, build_dir, peer_check):
    """Linux ends a session with ECONNABORTED when it still had requests: no message, and a checkpoint, as always."""
    image = volume()
    monkeypatch.setenv("LD_PRELOAD", os.path.join(build_dir, "tests/common/libbroken_off.so"))
    mounted = mount(image)
    monkeypatch.delenv("LD_PRELOAD")
    (mounted.point / "file").write_bytes(b"contents")
    assert mounted.unmount() == ""
    peer_check(image)
    mounted = mount(image, "ro")
    assert (mounted.point / "file").read_bytes() == b"contents"
    mounted.unmount()


def test_a_lazy_unmount(mount, program, volume, tmp_path, peer_check):
    """Files that are open keep the mount alive, and the image in use."""
    image = volume("64M")
    mounted = mount(image)
    fd = os.open(mounted.point / "file", os.O_CREAT | os.O_RDWR)
    gone = os.open(mounted.point / "gone", os.O_CREAT | os.O_RDWR)
    os.unlink(mounted.point / "gone")
    assert subprocess.run(["fusermount3", "-u", mounted.point], stderr=subprocess.DEVNULL).returncode
    subprocess.run(["fusermount3", "-u", "-z", mounted.point], check=True)
    for one in (fd, gone):
        os.write(one, b"data" * 5000)
        assert os.pread(one, 4, 4000) == b"data"
    other = tmp_path / "other"
    other.mkdir()
    done = subprocess.run([program, image, other], stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"is in use by process" in done.stderr
    os.close(fd)
    os.close(gone)
    assert mounted.wait() == ""
    peer_check(image)
    again = mount(image)
    assert os.listdir(again.point) == ["file"] and (again.point / "file").read_bytes() == b"data" * 5000
    assert again.unmount() == ""


def test_mounted_again_at_once(mount, program, volume, tmp_path, peer_check):
    """umount(8) returns before the last checkpoint is written. The next mount waits for it."""
    image = volume("128M")
    mounted = mount(image)
    (mounted.point / "f").write_bytes(b"f" * 100000)
    mounted.process.send_signal(signal.SIGSTOP)
    subprocess.run(["fusermount3", "-u", "-z", mounted.point], check=True)
    with subprocess.Popen([program, image, tmp_path], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as again:
        with pytest.raises(subprocess.TimeoutExpired):
            again.wait(0.2)
        mounted.process.send_signal(signal.SIGCONT)
        assert (again.wait(), again.stderr.read()) == (0, b"")
    assert (tmp_path / "f").read_bytes() == b"f" * 100000
    assert mounted.wait() == ""
    subprocess.run(["fusermount3", "-u", tmp_path], check=True)
    wait_for(lambda: b"in use" not in subprocess.run([program, "-f", image, tmp_path / "none"], capture_output=True).stderr)
    peer_check(image)


def test_reading_writes_nothing(mount, volume):
    image = volume("128M")
    mounted = mount(image)
    make_tree(mounted.point)
    assert mounted.unmount() == ""
    before, changed = digest(image), os.stat(image).st_mtime_ns
    mounted = mount(image, "ro")
    for folder, _, files in os.walk(mounted.point):
        for name in files:
            path = os.path.join(folder, name)
            if not os.path.islink(path) and os.path.isfile(path):
                open(path, "rb").read()
    with pytest.raises(OSError) as refused:
        (mounted.point / "new").touch()
    assert refused.value.errno == errno.EROFS
    assert mounted.unmount() == ""
    assert digest(image) == before and os.stat(image).st_mtime_ns == changed
    mounted = mount(image)      # nor does writing, when nothing is written
    (mounted.point / "holes").read_bytes()
    assert mounted.unmount() == ""
    assert digest(image) == before


def test_other_states_of_a_volume(mount, volume, run_tool):
    """Earlier, recovered, repaired, and rescued: the image stays as it is."""
    image = volume("128M")
    for turn in ("first", "second"):
        mounted = mount(image)
        (mounted.point / turn).write_bytes(turn.encode() * 1000)
        assert mounted.unmount() == ""
    mounted = mount(image)
    with open(mounted.point / "third", "wb") as file:
        file.write(b"third")
        os.fsync(file.fileno())
    mounted.kill()
    before = digest(image)
    shown = {}
    for words in ("ro", "state=recovered", "state=repaired", "state=rescue", "as_of=-1"):
        mounted = mount(image, words)
        shown[words] = sorted(os.listdir(mounted.point))
        with pytest.raises(OSError):
            (mounted.point / "new").touch()
        said = mounted.unmount()
        assert ("not shown" in said) == (words == "ro"), said
        assert digest(image) == before
    assert shown["ro"] == ["first", "second"] and shown["as_of=-1"] == ["first"]
    assert shown["state=recovered"] == shown["state=repaired"] == ["first", "second", "third"]
    assert set(shown["state=rescue"]) >= {"first", "second"}


def test_a_partition_and_owners(mount, volume, tmp_path, run_tool):
    disk = tmp_path / "whole.img"
    with open(disk, "wb") as file:
        file.truncate(200 << 20)
    run_tool("mkfs.f2fs", "-q", "--offset", "1M", disk, "128M")
    mounted = mount(disk, "offset=1M,uid=1234,gid=4321,umask=027")
    (mounted.point / "f").write_bytes(b"f")
    st = os.stat(mounted.point / "f")
    assert (st.st_uid, st.st_gid, st.st_mode & 0o7777) == (1234, 4321, 0o750)
    assert mounted.unmount() == ""
    mounted = mount(disk, "offset=1M,ro")
    assert os.stat(mounted.point / "f").st_uid == os.geteuid()


JOB = r"""
set -e
mount /dev/ubda $MNT
diff -r --no-dereference --exclude=fifo "$1" $MNT/tree
echo kernel > $MNT/tree/kernel
rm -r $MNT/tree/deep/er
umount $MNT
"""


def test_the_kernel_goes_on(mount, volume, tmp_path, peer_check):
    """Linux mounts a volume that f2fsfuse wrote, reads the same, and writes; then f2fsfuse changes it again."""
    try:
        uml.find_or_build_kernel()
    except uml.NoKernel as e:
        pytest.skip(str(e))
    source = tmp_path / "source"
    source.mkdir()
    make_tree(source)
    image = volume("128M")
    mounted = mount(image)
    subprocess.run(["cp", "-a", source, mounted.point / "tree"], check=True)
    assert mounted.unmount() == ""
    uml.run(JOB, images=[image], args=[str(source)], strict=True).check()
    mounted = mount(image)
    assert (mounted.point / "tree" / "kernel").read_bytes() == b"kernel\n"
    assert not (mounted.point / "tree" / "deep" / "er").exists()
    (mounted.point / "tree" / "kernel").unlink()
    assert mounted.unmount() == ""
    peer_check(image)


def test_an_image_that_cannot_be_written(mount, volume, peer_check):
    """A failed write stops all writing, and fsync says so. The image keeps its last checkpoint and all fsynced files."""
    image = volume("128M")
    mounted = mount(image)
    (mounted.point / "old").write_bytes(b"old" * 1000)
    fd = os.open(mounted.point / "safe", os.O_CREAT | os.O_RDWR)
    os.write(fd, b"safe" * 1000)
    os.fsync(fd)
    resource.prlimit(mounted.process.pid, resource.RLIMIT_FSIZE, (4096, 4096))
    os.write(fd, b"lost" * 1000)
    other = os.open(mounted.point / "old", os.O_RDWR)
    for one in (fd, other, fd):     # not only at the first
        with pytest.raises(OSError) as refused:
            os.fsync(one)
        assert refused.value.errno == errno.EIO
    for change in (lambda: (mounted.point / "new").touch(), lambda: os.pwrite(fd, b"x", 0), lambda: os.mkdir(mounted.point / "d")):
        with pytest.raises(OSError) as refused:
            change()
        assert refused.value.errno == errno.EIO
    assert os.pread(other, 3, 0) == b"old"
    os.close(fd)
    os.close(other)
    said = mounted.unmount(rc=1)
    assert said.count("writing has stopped") == 1 and "File too large" in said
    again = mount(image)
    assert (again.point / "safe").read_bytes() == b"safe" * 1000
    assert again.unmount() == ""
    peer_check(image)


def test_an_image_that_is_cut(mount, volume):
    """Requests fail, and the log says why, but not for ever."""
    image = volume("128M")
    mounted = mount(image)
    (mounted.point / "file").write_bytes(os.urandom(1 << 20))
    assert mounted.unmount() == ""
    mounted = mount(image, "ro")
    os.truncate(image, 8 << 20)
    for _ in range(30):
        with pytest.raises(OSError) as refused:
            (mounted.point / "file").read_bytes()
        assert refused.value.errno == errno.EIO
    said = mounted.unmount().splitlines()
    assert len(said) == 21 and all("disk.img: cannot read" in line for line in said[:20])
    assert "further failures are not reported" in said[20]


def wait_for(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("waited for a minute")


def newest_checkpoint(image):
    """The version and the free segments of the newest of the two checkpoint packs."""
    with open(image, "rb") as file:
        head = file.read(16 << 20)
    start = int.from_bytes(head[1024 + 76:1024 + 80], "little") * 4096      # cp_blkaddr
    packs = [head[at:at + 4096] for at in (start, start + (2 << 20))]
    return max((int.from_bytes(pack[:8], "little"), int.from_bytes(pack[32:36], "little")) for pack in packs)


def test_a_checkpoint_is_written_by_itself(mount, volume, tool):
    """After the interval of --commit a changed volume has a checkpoint, without fsync or the end of the mount."""
    image = volume("128M")
    mounted = mount(image, "commit=1,background_gc=off")
    (mounted.point / "f").write_bytes(b"f" * 5000)
    # a checkpoint may come between the creation and the contents: wait for one that has both
    wait_for(lambda: subprocess.run([tool("dump.f2fs"), "--cat=/f", image], capture_output=True).stdout == b"f" * 5000)
    mounted.kill()
    seen = mount(image, "ro")
    assert (seen.point / "f").read_bytes() == b"f" * 5000
    assert seen.unmount() == ""


def test_garbage_is_collected_when_idle(mount, volume, peer_check):
    image = volume("128M")
    mounted = mount(image, "background_gc=off")
    for i in range(4000):
        (mounted.point / str(i)).write_bytes(b"%d" % i * 3000)
    for i in range(4000):
        if i % 20:
            os.unlink(mounted.point / str(i))
    assert mounted.unmount() == ""
    before = newest_checkpoint(image)[1]
    mounted = mount(image, "gc_idle=1,gc_min_sleep_time=1,gc_max_sleep_time=1")
    (mounted.point / "change").touch()
    wait_for(lambda: newest_checkpoint(image)[1] > before + 5)
    for i in range(0, 4000, 20):
        assert (mounted.point / str(i)).read_bytes() == b"%d" % i * 3000
    assert mounted.unmount() == ""
    peer_check(image)


# mount(8) looks for programs where systems install them, so this happens in a mount namespace of its own.
FSTAB_JOB = r"""
set -e
mount --bind "$1" /usr/local/sbin
for words in "-t fuse.f2fsfuse -o nodev,commit=5 $2 $3" "-T $4 $3"; do
    mount $words
    findmnt -no SOURCE,FSTYPE "$3"
    echo there > "$3/$(echo $words | cut -c2)"
    umount "$3"
    while "$5" -n "$2" 2>&1 >/dev/null | grep -q "in use"; do sleep 0.02; done
done
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="mount(8) asks for the superuser")
def test_a_row_of_fstab(mount, program, volume, tmp_path, peer_check, tool):
    if not shutil.which("mount.fuse3", path="/sbin:/usr/sbin"):
        pytest.skip("mount.fuse3 is not installed")
    image, point, table, folder = volume("128M"), tmp_path / "point", tmp_path / "fstab", tmp_path / "sbin"
    point.mkdir()
    folder.mkdir()
    (folder / "f2fsfuse").write_text("#!/bin/sh\nexec %s \"$@\"\n" % program)
    (folder / "f2fsfuse").chmod(0o755)
    table.write_text("%s %s fuse.f2fsfuse rw,noauto,allow_other,background_gc=off,nosuid,user 0 0\n" % (image, point))
    done = subprocess.run(["unshare", "--mount", "sh", "-c", FSTAB_JOB, "job", folder, image, point, table, tool("fsck.f2fs")],
                          capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(image).encode(), b"fuse.f2fsfuse"] * 2
    peer_check(image)
    assert sorted(os.listdir(mount(image, "ro").point)) == ["T", "t"]
