# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs-lab import: traces of other programs and block traces become operations, and errors in them are reported."""
import os
import random
import shutil
import subprocess
import sys

import pytest

STRACE = """\
10 1700000000.000001 openat(AT_FDCWD</t>, "old", O_RDWR|O_CLOEXEC) = 3</t/old>
10 1700000000.000002 read(3</t/old>, "x\\"),\\\\", 5000) = 5000
10 1700000000.000003 openat(AT_FDCWD</t>, "./a/../new", O_WRONLY|O_CREAT|O_EXCL|O_APPEND, 0644) = 4</t/new>
10 1700000000.000004 write(4</t/new>, "abc"..., 100) = 100
10 1700000000.000005 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>
11 1700000000.000006 pwrite64(3</t/old>, "z", 10, 1<<20 <unfinished ...>
10 1700000000.000007 <... clone resumed>, child_tidptr=0x7f) = 11
11 1700000000.000008 <... pwrite64 resumed>) = 10
10 1700000000.000009 write(4</t/new>, "", 5) = -1 ENOSPC (No space left on device)
11 1700000000.000010 write(4</t/new>, "b", 1) = 1
10 1700000000.000011 rename("/t/new", "/t/newer") = 0
10 1700000000.000012 unlink("/t/newer") = 0
10 1700000000.000013 close(4) = 0
11 1700000000.000014 fdatasync(4</t/new>) = 0
11 1700000000.000015 getpid() = 11
11 1700000000.000016 --- SIGTERM {si_signo=SIGTERM} ---
11 1700000000.000017 +++ killed by SIGTERM +++
10 1700000000.000018 openat(AT_FDCWD, "/t/new", O_RDWR|O_CREAT|O_TRUNC, 0600) = 4</t/new>
10 1700000000.000019 lseek(4</t/new>, 4096, SEEK_SET) = 4096
10 1700000000.000020 writev(4</t/new>, [{iov_base="(", iov_len=1}, {iov_base=",", iov_len=1}], 2) = 2
10 1700000000.000021 ftruncate(4</t/new>, 7) = 0
10 1700000000.000022 write(1</dev/pts/0<char 136:0>>, "out", 3) = 3
10 1700000000.000023 openat(AT_FDCWD, "none", O_RDONLY) = -1 ENOENT (No such file or directory)
10 1700000000.000024 sync() = 0
10 1700000000.000025 exit_group(0) = ?
"""
# 1<<20 is an expression that strace never prints: a number ends at its <
STRACE = STRACE.replace("1<<20", "1048576")
STRACE_OPS = """\
create 0 d0/f0
write 0 0 1048586
round 1
read 0 0 5000
create 1 d0/f1
write 1 0 100
write 0 1048576 10
write 1 100 1
fsync 1
remove 1
create 2 d0/f2
write 2 4096 2
truncate 2 7
sync 0
round 2
"""

FIO = """\
fio version 3 iolog
0 /t/a add
1 /t/a open
100 /t/a read 8192 4096
250 /t/b write 0 4096
300 /t/a datasync 0 0
301 /t/a trim 0 4096
400 /t/a sync
500 /t/a close
"""
FIO_OPS = """\
create 0 d0/f0
write 0 0 12288
create 1 d0/f1
write 1 0 4096
round 1
read 0 8192 4096
write 1 0 4096
fsync 0
fsync 0
round 2
"""

BLKPARSE = """\
  8,0    1        1     0.000000000   100  Q   W 2048 + 8 [writer]
  8,0    1        2     0.000001000   100  G   W 2048 + 8 [writer]
  8,0    1        0     0.000001500     0  m   N served anything
  8,0    1        3     0.000002000   100  D   W 2048 + 8 [writer]
  8,0    3        4     0.500000000   101  Q   R 0 + 16 [reader]
  8,0    1        5     0.600000000   100  Q  FN [writer]
  8,0    1        6     0.700000000   100  Q FWS 4096 + 8 [writer]
  8,0    1        7     0.800000000   100  Q  DS 0 + 4096 [writer]
  8,0    1        8     0.900000000     0  C   W 2048 + 8 [0]
CPU1 (8,0):
 Reads Queued:           1,        8KiB  Writes Queued:           2,        8KiB
"""
BLKPARSE_OPS = """\
create 0 d0/f0
write 0 0 2101248
round 1
write 0 1048576 4096
read 0 0 8192
fsync 0
fsync 0
write 0 2097152 4096
round 2
"""

MSR = """\
128166372003061629,hm,1,Read,3833856,32768,413
128166372016382155,hm,1,Write,2822144,4096,1
128166372016382156,hm,0,Write,512,512,13
128166372016382157,hm,1,Write,0,0,13
"""
MSR_OPS = """\
create 0 d0/f0
write 0 0 3866624
create 1 d0/f1
write 1 0 1024
round 1
read 0 3833856 32768
write 0 2822144 4096
write 1 512 512
round 2
"""

ALIBABA = """\
419,W,8790016,16384,1577808144360767
725,R,5910528,360448,1577808144360813
419,W,0,4096,1577808144360814
"""
ALIBABA_OPS = """\
create 0 d0/f0
write 0 0 8806400
create 1 d0/f1
write 1 0 6270976
round 1
write 0 8790016 16384
read 1 5910528 360448
write 0 0 4096
round 2
"""

TENCENT = """\
1538323200,12912,128,0,1063
1538323200,6338,8,1,1627
1538323201,12912,8,1,1063
"""
TENCENT_OPS = """\
create 0 d0/f0
write 0 0 6676480
create 1 d0/f1
write 1 0 3249152
round 1
read 0 6610944 65536
write 1 3245056 4096
write 0 6610944 4096
round 2
"""

MIDAS = """\
0.000000 1 100 4096 0
0.000103 0 7 8192 0
0.250000 3 100 4096 0
1.5 1 0 4096 0
"""
MIDAS_OPS = """\
create 0 d0/f0
write 0 0 413696
round 1
write 0 409600 4096
read 0 28672 8192
write 0 0 4096
round 2
"""

FORMATS = {"strace": (STRACE, STRACE_OPS), "fio": (FIO, FIO_OPS), "blkparse": (BLKPARSE, BLKPARSE_OPS),
           "msr": (MSR, MSR_OPS), "alibaba": (ALIBABA, ALIBABA_OPS), "tencent": (TENCENT, TENCENT_OPS),
           "midas": (MIDAS, MIDAS_OPS)}


@pytest.mark.parametrize("name", FORMATS)
def test_import(name, run_tool, tmp_path):
    """By hand: what each line is; and a trace that is made of it says the same."""
    text, ops = FORMATS[name]
    (tmp_path / "in").write_text(text)
    assert run_tool("f2fs-lab", "import", name, tmp_path / "in").stdout.decode() == ops
    run_tool("f2fs-lab", "import", name, tmp_path / "in", "--trace", tmp_path / "a.f2t")
    again = run_tool("f2fs-lab", "gen", "trace", "--rounds=1", "--set=file=%s" % (tmp_path / "a.f2t"))
    assert again.stdout.decode() == ops
    run_tool("f2fs-lab", "gen", "trace", "--rounds=1", "--set=file=%s" % (tmp_path / "a.f2t"),
             "--trace", tmp_path / "b.f2t")
    assert (tmp_path / "a.f2t").read_bytes() == (tmp_path / "b.f2t").read_bytes()


@pytest.mark.parametrize("name", FORMATS)
def test_imported_traces_run(name, run_tool, tmp_path):
    """As a source of an experiment, without a trace of ours in between."""
    (tmp_path / "in").write_text(FORMATS[name][0])
    (tmp_path / "an.toml").write_text('[volume]\nsize = "64MiB"\n[source.one]\nkind = "%s"\nfile = "%s"\n'
                                      % (name, tmp_path / "in"))
    assert b"waf" in run_tool("f2fs-lab", "run", tmp_path / "an.toml").stdout


def strace_line(call):
    return "10 1.0 openat(AT_FDCWD, \"/t/a\", O_RDWR) = 3\n10 1.0 %s\n" % call


WRONG = [
    ("strace", strace_line("write 3"), "line 2: call: is no call"),
    ("strace", strace_line("write(3, \"a\", 1"), "line 2: write: has no end of its arguments"),
    ("strace", strace_line("write(3, \"a\", 1)"), "line 2: write: has no result"),
    ("strace", strace_line("write(3, \"a\", 1) = x"), "line 2: write: has a result that is no number"),
    ("strace", strace_line("write(x, \"a\", 1) = 1"), "line 2: write: argument 1: is no number"),
    ("strace", strace_line("pwrite64(3, \"a\", 1) = 1"), "line 2: pwrite64: argument 4: is missing"),
    ("strace", strace_line("pwrite64(3, \"a\", 1, 99999999999999999) = 1"), "line 2: offset: ends past 16 TiB"),
    ("strace", strace_line("unlink(\"/t/a\"...) = 0"), "line 2: unlink: argument 1: is no path, or was cut off"),
    ("strace", strace_line("dup2(3, 99999999) = 99999999"), "line 2: dup2: out of memory, or too large a descriptor"),
    ("strace", "10 1.0 getpid() = 10\n", "has no operation on a file"),
    ("strace", "x" * 70000, "line 1: text: is too long"),
    ("fio", "fio version 9 iolog\n", "line 1: version: is neither of 2 nor of 3"),
    ("fio", "fio version 2 iolog\n/t/a\n", "line 2: action: is missing"),
    ("fio", "fio version 2 iolog\n/t/a eat 0 1\n", "line 2: action: is none of fio's"),
    ("fio", "fio version 2 iolog\n/t/a read 0\n", "line 2: read: offset or length is missing"),
    ("fio", "fio version 2 iolog\n/t/a read x 1\n", "line 2: offset: is no number"),
    ("fio", "fio version 2 iolog\n/t/a read 0 -1\n", "line 2: length: is no number"),
    ("fio", "fio version 3 iolog\n/t/a read 0 1\n", "line 2: time: is no number"),
    ("fio", "fio version 2 iolog\n/t/a read 17592186044416 1\n", "line 2: offset: ends past 16 TiB"),
    ("blkparse", "8,0 1 1\n", "line 1: action: is missing"),
    ("blkparse", "8 1 1 0.0 1 Q W 0 + 8\n", "line 1: device: is not MAJOR,MINOR"),
    ("blkparse", "8,0 1 1 x 1 Q W 0 + 8\n", "line 1: time: is no number of seconds"),
    ("blkparse", "8,0 1 1 0.0 1 Q W\n", "line 1: sector: is missing"),
    ("blkparse", "8,0 1 1 0.0 1 Q W 0 + y\n", "line 1: sectors: is no number"),
    ("blkparse", "", "has no operation on a file"),
    ("msr", "128166372003061629,hm,1,Read,0\n", "line 1: Size: is missing"),
    ("msr", "1,hm,1,Read,0,4096,1,2\n", "line 1: line: has too many fields"),
    ("msr", "1,hm,1,Read,0,4096,1\n1,hm,1,read,0,4096,1\n", "line 2: Type: is no kind of request"),
    ("msr", "1,,1,Read,0,4096,1\n", "line 1: Hostname: is empty"),
    ("msr", "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n", "line 1: Type: is no kind of request"),
    ("alibaba", "419,W,-1,16384,1\n", "line 1: offset: is no number"),
    ("alibaba", "419,W,17592186044416,1,1\n", "line 1: offset: ends past 16 TiB"),
    ("alibaba", "419,W,0,4096,x\n", "line 1: timestamp: is no number"),
    ("alibaba", "419,W,0,4096,1e30\n", "line 1: timestamp: is too large"),
    ("tencent", "1,0,34359738369,1,7\n", "line 1: Size: is too large"),
    ("tencent", "1,0,8,2,7\n", "line 1: IOType: is no kind of request"),
    ("midas", "0.0 23 0 4096 0\n", "line 1: type: is no kind of request"),
    ("midas", "0.0 1 0 4096\n", "line 1: stream: is missing"),
    ("midas", "0.0 3 0 4096 0\n", "has no operation on a file"),
]


@pytest.mark.parametrize("name,text,message", WRONG, ids=["%s-%s" % (n, m) for n, _, m in WRONG])
def test_wrong(name, text, message, run_tool, tmp_path):
    (tmp_path / "in").write_text(text)
    done = run_tool("f2fs-lab", "import", name, tmp_path / "in", "--trace", tmp_path / "a.f2t", rc=1)
    assert message in done.stderr.decode()
    assert not os.path.exists(tmp_path / "a.f2t"), "nothing partial is a trace"


@pytest.mark.parametrize("name", FORMATS)
def test_what_cannot_be_read_as_lines(name, run_tool, tmp_path):
    """No line ever ends; a pipe cannot be read a second time."""
    done = run_tool("f2fs-lab", "import", name, "/dev/zero", rc=1, timeout=300)
    assert b"/dev/zero: line 1: text: holds a zero byte" in done.stderr
    (tmp_path / "trace").write_bytes(b"\n" * 5 + b"# no\0t all\n")
    assert b"line 6: text: holds a zero byte" in run_tool("f2fs-lab", "import", name, tmp_path / "trace", rc=1).stderr
    with subprocess.Popen(["echo"], stdout=subprocess.PIPE) as lines:
        done = run_tool("f2fs-lab", "import", name, "/dev/stdin", rc=1, stdin=lines.stdout)
    assert b"is read twice, and only a file can be" in done.stderr


@pytest.mark.parametrize("name,under", [("msr", "hm_1"), ("alibaba", "419"), ("tencent", "1063")])
def test_one_device(name, under, run_tool, tmp_path):
    """Of several devices, that one; times count from the first request of the trace."""
    text, ops = FORMATS[name]
    (tmp_path / "in").write_text(text)
    done = run_tool("f2fs-lab", "import", name, tmp_path / "in", "--set=under=%s" % under)
    assert done.stdout.decode().splitlines() == [line for line in ops.splitlines() if line.split()[1] != "1" or "round" in line]


def test_wrong_operands(run_tool, tmp_path):
    assert "is none of the formats" in run_tool("f2fs-lab", "import", "ycsb", "x", rc=1).stderr.decode()
    assert "No such file" in run_tool("f2fs-lab", "import", "fio", tmp_path / "x", rc=1).stderr.decode()


@pytest.mark.parametrize("name", FORMATS)
def test_any_bytes(name, run_tool, tmp_path, tool):
    """Lines that were damaged, cut and swapped end in operations or in a message, never in a crash."""
    lines = FORMATS[name][0].encode().splitlines(keepends=True)
    rng = random.Random(name)
    for _ in range(40):
        damaged = list(lines)
        for _ in range(rng.randrange(1, 4)):
            i, j = rng.randrange(len(damaged)), rng.randrange(len(damaged))
            line = bytearray(damaged[i])
            line[rng.randrange(len(line))] = rng.choice(b'\0\xff"<>()=,-9\n\\')
            damaged[i] = bytes(line[:1 + rng.randrange(len(line))]) if rng.random() < 0.3 else bytes(line)
            damaged[i], damaged[j] = damaged[j], damaged[i]
        (tmp_path / "in").write_bytes(b"".join(damaged))
        done = subprocess.run([tool("f2fs-lab"), "import", name, tmp_path / "in"], capture_output=True, timeout=300)
        assert done.returncode in (0, 1), (done, damaged)
        assert done.returncode == 0 or b"f2fs-lab: " in done.stderr


@pytest.mark.skipif(not shutil.which("strace"), reason="no strace")
def test_real_strace(run_tool, tmp_path):
    """A trace equals the program's operations."""
    program = ("import os\n"
               "f = os.open('a', os.O_RDWR | os.O_CREAT | os.O_EXCL)\n"
               "os.write(f, b'x' * 5000); os.pwrite(f, b'y' * 10, 100); os.fsync(f); os.close(f)\n"
               "os.rename('a', 'b'); os.unlink('b')\n")
    done = subprocess.run(["strace", "-f", "-y", "-ttt", "-o", "out", sys.executable, "-c", program], cwd=tmp_path,
                          capture_output=True)
    if done.returncode:
        pytest.skip("strace may not trace here: %s" % done.stderr)
    found = run_tool("f2fs-lab", "import", "strace", tmp_path / "out", "--set=under=%s" % tmp_path).stdout.decode()
    assert found.splitlines() == ["round 1", "create 0 d0/f0", "write 0 0 5000", "write 0 100 10", "fsync 0",
                                  "remove 0", "round 2"]
