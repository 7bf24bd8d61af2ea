# SPDX-License-Identifier: LGPL-2.1-or-later
"""Signals: a program ends at once, says so by its status, and leaves nothing half done.

The tests wait for states, never for times: a program has read most of a pipe, a file exists.
"""
import os
import pty
import select
import shutil
import signal
import subprocess
import tarfile
import time

import pytest

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def usual_signals():
    """Tests may run where SIGINT is ignored, as jobs in the background do."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def start(tool):
    """start(program, *args): a running program with pipes."""
    running = []

    def run(program, *args, **kwargs):
        for stream in ("stdin", "stdout", "stderr"):
            kwargs.setdefault(stream, subprocess.PIPE)
        running.append(subprocess.Popen([str(tool(program)), *map(str, args)], preexec_fn=usual_signals, **kwargs))
        return running[-1]
    yield run
    for process in running:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()


def stop(process, number=signal.SIGINT):
    """Send a signal; (status, messages). The input stays open and the output unread meanwhile."""
    process.send_signal(number)
    status = process.wait(300)
    return status, process.stderr.read().decode()


def wait_for(what):
    end = time.monotonic() + 300
    while not what():
        assert time.monotonic() < end
        time.sleep(0.002)


def archive(size):
    """The beginning of an archive with one large file, more of it than fits into a pipe."""
    info = tarfile.TarInfo("large")
    info.size = size
    return info.tobuf() + bytes(6 << 20)


@pytest.fixture
def image(run_tool, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", path, "128M")
    run_tool("f2fs", "-w", "-c", "touch /huge; truncate /huge 64G; touch /old; write /old 0 old", path)
    return path


@pytest.fixture
def unchanged(run_tool, image):
    """After the test the volume is as it was."""
    yield
    assert sorted(run_tool("f2fs", image, "ls", "/").stdout.split()) == [b"huge", b"old"]
    assert run_tool("f2fs", image, "cat", "/old").stdout == b"old"
    run_tool("fsck.f2fs", "-f", "--dry-run", image)


@pytest.mark.parametrize("number", SIGNALS)
def test_sload(start, image, number, unchanged):
    process = start("sload.f2fs", "-f", "-", image)
    process.stdin.write(archive(64 << 20))
    status, said = stop(process, number)
    assert status == 128 + number and "stopped" in said and process.stdout.read() == b""


def test_mkfs(start, tmp_path):
    """A new file is gone again, as is the temporary copy for finding the size."""
    for size in ("256M", "auto"):
        process = start("mkfs.f2fs", "--root-dir", "-", tmp_path / "new.img", size, env={**os.environ, "TMPDIR": str(tmp_path)})
        process.stdin.write(archive(64 << 20))
        assert stop(process)[0] == 130
        assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["/new", "/old"])
@pytest.mark.parametrize("number", SIGNALS)
def test_put(start, image, number, name, unchanged):
    process = start("f2fs", "-w", image, "put", "-", name)
    process.stdin.write(bytes(6 << 20))
    status, said = stop(process, number)
    assert status == 128 + number and "nothing was changed" in said


def test_put_with_keep_going(start, image, unchanged):
    """Earlier changes go, too: the session is over."""
    process = start("f2fs", "-w", "-k", image, "mkdir", "/dir", "--", "put", "-", "/old")
    process.stdin.write(bytes(6 << 20))
    assert stop(process)[0] == 130


def test_get(start, image, tmp_path):
    """A new file is removed, one that was there is named."""
    new, old = tmp_path / "new", tmp_path / "there"
    process = start("f2fs", image, "get", "/huge", new)
    wait_for(lambda: new.exists() and new.stat().st_size > 1 << 20)
    status, said = stop(process)
    assert status == 130 and not new.exists() and "stopped" in said
    old.write_bytes(b"x")
    process = start("f2fs", image, "get", "/huge", old)
    wait_for(lambda: old.stat().st_size > 1 << 20)
    status, said = stop(process)
    assert status == 130 and "not complete" in said and str(old) in said


def seconds_of(process):
    """Processor time that it has taken."""
    with open(f"/proc/{process.pid}/stat") as f:
        return int(f.read().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")


def test_a_list_of_digests(start, image, tmp_path):
    """It stops within a file, says so, and nothing that is not so; the log of reads is whole."""
    log = tmp_path / "log"
    process = start("dump.f2fs", "--read-log", log, "--hashes", image)
    wait_for(lambda: seconds_of(process) > 0.2)  # opening takes a hundredth of that
    status, messages = stop(process)
    assert status == 128 + signal.SIGINT
    assert "dump.f2fs: stopped" in messages and "could not be written" not in messages
    assert log.read_text().endswith("\n") and "\tread\t" in log.read_text()


@pytest.mark.parametrize("args", [("f2fs", "IMAGE", "cat", "/huge"), ("dump.f2fs", "--cat=/huge", "IMAGE")])
def test_contents_that_nobody_reads_on(start, image, args):
    process = start(*(image if arg == "IMAGE" else arg for arg in args))
    assert len(process.stdout.read(1 << 20)) == 1 << 20
    assert stop(process)[0] == 130


def test_extraction(start, run_tool, tmp_path):
    """Files that are there are whole."""
    image, out = tmp_path / "many.img", tmp_path / "out"
    source = tmp_path / "source"
    source.mkdir()
    out.mkdir()
    want = os.urandom(20 << 20)
    for i in range(12):
        (source / f"file{i:02}").write_bytes(want)
    run_tool("mkfs.f2fs", "-q", "--root-dir", source, image, "512M")
    for threads in (1, 3):
        for turn in range(20):  # again when it was done before the signal came
            place = out / f"{threads}-{turn}"
            process = start("dump.f2fs", "--threads", threads, f"--extract={place}", image)
            wait_for(lambda: (place / "file00").exists() or process.poll() is not None)
            status, said = stop(process)
            if status:
                break
            shutil.rmtree(place)
        found = sorted(place.iterdir())
        assert status == 130 and len(found) < 12, said
        assert all(path.stat().st_size == len(want) and path.read_bytes() == want for path in found)


def test_a_host_that_is_full(run_tool, image, tmp_path):
    """What of a file could be written does not stay. (RLIMIT_FSIZE is the full disk of this test.)"""
    import resource
    out = tmp_path / "out"
    run_tool("f2fs", "-w", image, "rm", "/huge")
    (tmp_path / "large").write_bytes(os.urandom(8 << 20))
    run_tool("f2fs", "-w", image, "put", tmp_path / "large", "/large")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
    run_tool("dump.f2fs", "--extract=%s" % out, image, rc=4, preexec_fn=limit)
    assert sorted(path.name for path in out.iterdir()) == ["old"]
    run_tool("f2fs", image, "get", "/large", tmp_path / "copy", rc=1, preexec_fn=limit)
    assert not (tmp_path / "copy").exists()


def test_signals_that_are_ignored_stay_so(tool, image):
    """As nohup and the background jobs of a script want it."""
    process = subprocess.Popen([str(tool("f2fs")), "-w", str(image), "put", "-", "/new"], stdin=subprocess.PIPE,
                               preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in SIGNALS])
    process.stdin.write(bytes(6 << 20))
    for number in SIGNALS:
        process.send_signal(number)
    process.stdin.close()
    assert process.wait(300) == 0


AT_ONCE = {"label": ("label", "new"), "uuid": ("uuid", "01234567-89ab-cdef-0123-456789abcdef"), "set": ("set", "inode[3].i_links", "7")}


@pytest.fixture
def signalled(run_tool, build_dir, image):
    """signalled(N, WORD...): f2fs -w on the image, which gets SIGTERM with its write number N to it."""
    def run(number, *words, rc):
        env = dict(os.environ, LD_PRELOAD=os.path.join(build_dir, "tests/common/libsignal_write.so"), SIGNAL_WRITE=str(number),
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        return run_tool("f2fs", "-w", image, *words, rc=rc, env=env, preexec_fn=usual_signals)
    return run


@pytest.mark.parametrize("name", AT_ONCE)
def test_what_is_done_at_once_is_done(signalled, run_tool, image, tmp_path, name):
    """A signal that comes meanwhile finds nothing left to be stopped; where more was to be done, what stays is said."""
    before = image.read_bytes()
    run_tool("f2fs", "-w", image, *AT_ONCE[name])
    after = image.read_bytes()
    for more, status in ((), 0), (("--", "mkdir", "/dir"), 143):
        image.write_bytes(before)
        said = signalled(1, *AT_ONCE[name], *more, rc=status).stderr
        assert image.read_bytes() == after and after != before
        assert (b"stopped; earlier changes stay" in said) == bool(more)


def test_a_commit_that_was_done_is_done(signalled, run_tool, image):
    """Commands that follow are not begun."""
    signalled(1, "mkdir", "/one", rc=0)
    said = signalled(1, "mkdir", "/two", "--", "commit", "--", "mkdir", "/three", rc=143).stderr
    assert b"stopped; earlier changes stay" in said
    assert sorted(run_tool("f2fs", image, "ls", "/").stdout.split()) == [b"huge", b"old", b"one", b"two"]


@pytest.mark.parametrize("number", [1, 3, 9])
def test_features_that_are_stopped(run_tool, build_dir, tmp_path, number):
    """tune.f2fs at any of its writes: the volume is whole, and the same command comes to the end."""
    source, image = tmp_path / "source", tmp_path / "many.img"
    source.mkdir()
    for i in range(9000):  # more than one commit rewrites
        (source / str(i)).touch()
    run_tool("mkfs.f2fs", "-q", "--root-dir", source, image, "128M")
    command = "tune.f2fs", "-c", "-O", "large_nat_bitmap,inode_checksum,quota,casefold", image
    env = dict(os.environ, LD_PRELOAD=os.path.join(build_dir, "tests/common/libsignal_write.so"), SIGNAL_WRITE=str(number),
               ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
    said = run_tool(*command, rc=143, env=env, preexec_fn=usual_signals).stderr
    assert b"was stopped" in said
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    run_tool(*command)
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    assert len(run_tool("f2fs", image, "ls", "/").stdout.split()) == 9000


class Shell:
    """f2fs on a terminal, with waits for its output."""

    def __init__(self, *command):
        self.said = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            usual_signals()
            os.execv(command[0], [str(word) for word in command])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def until(self, text):
        while text not in self.said:
            assert select.select([self.fd], [], [], 300)[0], "it waits after %r" % self.said
            self.said += os.read(self.fd, 1000)
        self.said = self.said.split(text, 1)[1]

    def type(self, text, awaited):
        os.write(self.fd, text)
        self.until(awaited)

    def end(self):
        os.write(self.fd, b"quit\n")
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.pid = 0
        return status


def test_ctrl_c_in_the_shell(tool, run_tool, image):
    """It ends the line that is being typed, however soon after a character it comes: earlier changes stay to be committed."""
    with Shell(tool("f2fs"), "-w", image) as shell:
        shell.until(b"f2fs:/> ")
        shell.type(b"mkdir /made\n", b"f2fs:/*> ")
        for _ in range(100):
            shell.type(b"rm -r /ma", b"/ma")
            shell.type(b"\x03", b"f2fs:/*> ")
        shell.type(b"commit\n", b"f2fs:/> ")
        assert shell.end() == 0
    assert sorted(run_tool("f2fs", image, "ls", "/").stdout.split()) == [b"huge", b"made", b"old"]


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_any_name_is_typed(tool, run_tool, image, locale, monkeypatch):
    monkeypatch.setenv("LC_ALL", locale)
    name = "ü€😀".encode()
    with Shell(tool("f2fs"), "-w", image) as shell:
        shell.until(b"f2fs:/> ")
        shell.type(b"touch /" + name + b"\n", b"f2fs:/*> ")
        shell.type(b"commit\n", b"f2fs:/> ")
        assert shell.end() == 0
    assert name in run_tool("f2fs", image, "ls", "/").stdout.split()
