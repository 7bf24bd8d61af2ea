# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs: copying out, to directories and archives, and as f2fs-tools' -i and -r."""
import io
import json
import os
import stat
import subprocess
import tarfile

import pytest

import volumes


def listing(top):
    """{relative path as bytes: contents, None for a directory, str for the target of a symlink}"""
    top, found = os.fsencode(top), {}
    for where, dirs, files in os.walk(top):
        for name in dirs + files:
            full = os.path.join(where, name)
            path = os.path.relpath(full, top)
            if os.path.islink(full):
                found[path] = os.fsdecode(os.readlink(full))
            elif os.path.isdir(full):
                found[path] = None
            else:
                with open(full, "rb") as f:
                    found[path] = f.read()
    return found


def with_lost_found(tree):
    return {**tree, b"lost+found": None}


@pytest.fixture
def dump(run_tool, planted, tmp_path):
    """dump(*args, after=(paths,)): a run on the planted volume in a directory of its own."""
    def run(*args, rc=0, image=None, after=(), **kwargs):
        return run_tool("dump.f2fs", *args, image or planted[0], *after, rc=rc, cwd=tmp_path, **kwargs)
    return run


def test_everything(dump, planted, tmp_path):
    done = dump("--extract=out")
    assert listing(tmp_path / "out") == with_lost_found(planted[1])
    assert b"%d files" % sum(isinstance(v, bytes) for v in planted[1].values()) in done.stdout
    assert done.stderr == b""
    entries = json.loads(dump("--json", "--ls=/").stdout)["ls"][0]["entries"]
    for e in entries:
        if e["type"] == "regular" and "name_hex" not in e:
            st = os.stat(tmp_path / "out" / e["name"])
            assert (st.st_mtime_ns, stat.S_IMODE(st.st_mode)) == (e["mtime"] * 10**9 + e["mtime_nsec"], e["permissions"])


def test_attributes_stay_with_their_file(f2fskit, run_tool, tmp_path):
    """A directory with attributes is left while a file with attributes waits for room in a batch."""
    image, out = tmp_path / "volume.img", tmp_path / "out"
    f2fskit.mkfs(image, 128 << 20, features=["extra_attr"])
    with f2fskit.open(image, "r+") as volume:
        root = volume.path("/")
        (root / "dir").mkdir()
        (root / "dir" / "file").write_bytes(b"x")
        (root / "dir").inode().xattrs["user.dir"] = b"dir"
        for i in range(8):
            (root / f"file{i}").write_bytes(bytes([i + 1]) * (1 << 20))
            (root / f"file{i}").inode().xattrs["user.file"] = b"%d" % i
    done = run_tool("dump.f2fs", f"--extract={out}", "--threads=1", image)
    assert done.stderr == b""
    assert {name: os.getxattr(out / name, "user.file") for name in os.listdir(out) if name != "dir"} == {f"file{i}": b"%d" % i for i in range(8)}


def test_paths(dump, planted, tmp_path):
    dump("--extract=a", after=("/sub/deeper", "hello.txt"))
    assert set(listing(tmp_path / "a")) == {b"sub", b"sub/deeper", b"sub/deeper/leaf", b"hello.txt"}
    dump("--extract=b", "--relative", after=("/sub/deeper",))
    assert set(listing(tmp_path / "b")) == {b"deeper", b"deeper/leaf"}
    dump("--extract=c", "--strip=1", after=("/sub/deeper",))
    assert set(listing(tmp_path / "c")) == {b"deeper", b"deeper/leaf"}


def test_patterns(dump, tmp_path):
    dump("--extract=a", "--include=file-00?", "--exclude=file-003")
    assert {os.path.basename(p) for p, v in listing(tmp_path / "a").items() if v is not None} == \
        {b"file-%03d" % i for i in range(10) if i != 3}
    dump("--extract=b", "--exclude=/sub", "--exclude=big")
    got = listing(tmp_path / "b")
    assert b"hello.txt" in got and not [p for p in got if p.startswith(b"sub") or p == b"big"]


def test_missing_path_writes_nothing(dump, tmp_path):
    done = dump("--extract=out", after=("/hello.txt", "/nothing"), rc=2)
    assert b"nothing" in done.stderr and not (tmp_path / "out").exists()


def test_existing(dump, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/hello.txt").write_text("mine")
    done = dump("--extract=out", after=("hello.txt", "medium"), rc=4)
    assert b"/hello.txt" in done.stderr and (tmp_path / "out/hello.txt").read_text() == "mine"
    assert (tmp_path / "out/medium").exists()
    dump("--extract=out", "--existing=skip", after=("hello.txt",))
    assert (tmp_path / "out/hello.txt").read_text() == "mine"
    dump("--extract=out", "--existing=replace", after=("hello.txt",))
    assert (tmp_path / "out/hello.txt").read_text() == "hello\n"


def test_an_extraction_that_is_refused_leaves_the_time_of_the_directory(dump, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/hello.txt").write_text("mine")
    os.utime(tmp_path / "out", ns=(10**18, 10**18 + 1))
    dump("--extract=out", after=("hello.txt",), rc=4)
    assert (tmp_path / "out").stat().st_mtime_ns == 10**18 + 1


def test_json_result(dump, planted, tmp_path):
    got = json.loads(dump("--json", "--extract=out").stdout)["extract"]
    tree = planted[1]
    assert got["problems"] == [] and got["problem_count"] == 0
    assert got["files"] == sum(isinstance(v, bytes) for v in tree.values())
    assert got["symlinks"] == 1 and got["directories"] == 4


def test_damaged_file_is_named_and_the_rest_copied(run_tool, damaged, planted, tmp_path):
    path, _ = damaged
    ino, addr = None, None
    got = json.loads(run_tool("dump.f2fs", "--json", "--inode=/medium", path).stdout)["inode"][0]
    ino, addr = got["ino"], got["nat"]["block_addr"]
    volumes.patch(path, addr * volumes.BLOCK + 16, b"\x01")
    done = run_tool("dump.f2fs", "--extract", tmp_path / "out", path, rc=4)
    lines = [x for x in done.stderr.decode().split("\n") if x]
    assert len(lines) == 1 and "/medium" in lines[0] and "INODE_CHECKSUM" in lines[0] and str(addr) in lines[0]
    expected = with_lost_found(planted[1])
    del expected[b"medium"]
    assert listing(tmp_path / "out") == expected
    got = json.loads(run_tool("dump.f2fs", "--json", "--extract", tmp_path / "again", path, rc=4).stdout)
    assert got["exit_status"] == 4
    problem, = got["extract"]["problems"]
    assert (problem["path"], problem["kind"], problem["rule"], problem["ino"]) == \
        ("/medium", "unreadable", "INODE_CHECKSUM", ino)


def read_tar(data, mode="r:"):
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode=mode, encoding="utf-8", errors="surrogateescape") as tar:
        for m in tar:
            name = os.fsencode(os.path.normpath(m.name))
            if name != b".":
                found[name] = None if m.isdir() else m.linkname if m.issym() else tar.extractfile(m).read()
    return found


def test_tar(dump, planted, tmp_path):
    assert read_tar(dump("--tar=-").stdout) == with_lost_found(planted[1])
    done = dump("--tar=part.tar", after=("/sub/deeper",))
    assert b"1 files" in done.stdout
    assert read_tar((tmp_path / "part.tar").read_bytes())[b"sub/deeper/leaf"] == planted[1][b"sub/deeper/leaf"]


def test_compressed_tar(dump, planted, tmp_path):
    try:
        dump("--tar=all.tar.gz")
    except AssertionError as e:
        if "not built in" in str(e) or "UNSUPPORTED" in str(e):
            pytest.skip("libarchive is not built in")
        raise
    assert read_tar((tmp_path / "all.tar.gz").read_bytes(), "r:gz") == with_lost_found(planted[1])
    dump("--tar=named", "--tar-compression=gzip")
    assert read_tar((tmp_path / "named").read_bytes(), "r:gz") == with_lost_found(planted[1])


def test_ids_and_keep(dump, planted):
    uid = os.getuid()
    data = dump("--tar=-", "--uid-map=%d:7777" % uid, "--gid-map=%d:8888:2" % os.getgid(), after=("hello.txt",)).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        m = tar.getmember("hello.txt")
        owner = json.loads(dump("--json", "--ls=/hello.txt").stdout)["ls"][0]["entries"][0]
        assert m.uid == (7777 if owner["uid"] == uid else owner["uid"])
        assert m.gid == (8888 if owner["gid"] == os.getgid() else owner["gid"])


@pytest.mark.parametrize("args", [("--keep=mode,what", "--extract=x"), ("--existing=maybe", "--extract=x"),
                                  ("--encrypted=no", "--extract=x"), ("--uid-map=1", "--extract=x"),
                                  ("--uid-map=1:2:0", "--extract=x"), ("--strip=x", "--extract=x"),
                                  ("--tar=-", "--ls"), ("--json", "--tar=-"), ("--tar=-", "--manifest=-"),
                                  ("--extract=x", "--manifest=-", "--fs-config=-")])
def test_bad_options(dump, tmp_path, args):
    assert dump(*args, rc=1).stdout == b""
    assert not list(tmp_path.iterdir())


def test_limits_and_destinations(dump, tmp_path):
    assert dump("--extract=small", "--max-bytes=1M", rc=8).stderr.count(b"\n") == 1
    total = sum(len(v) for v in listing(tmp_path / "small").values() if isinstance(v, bytes))
    assert total <= 2 * volumes.MIB
    (tmp_path / "file").write_text("in the way")
    assert b"file" in dump("--extract=file/deeper", rc=8).stderr
    assert dump("--tar=no/such/place.tar", rc=8).stderr
    assert dump("--tar=/dev/full", rc=8).stderr


def test_manifest(dump, planted, tmp_path):
    dump("--extract=out", "--manifest=list.json")
    entries = [json.loads(line) for line in (tmp_path / "list.json").read_text().splitlines()]
    assert len(entries) == len(planted[1]) + 2
    assert all("path" in e and "type" in e for e in entries)
    for pair in (("--extract=one", "--manifest=same", "--fs-config=./same"), ("--tar=same", "--manifest=same")):
        assert b"same is written by this run already" in dump(*pair, rc=8).stderr
        assert not (tmp_path / "same").exists()
    done = dump("--extract=again", "--manifest=-")
    assert [json.loads(line)["path"] for line in done.stdout.splitlines()] == [e["path"] for e in entries]


# ---- as f2fs-tools

def ino_of(dump, path):
    return json.loads(dump("--json", "--inode=" + path).stdout)["inode"][0]["ino"]


@pytest.mark.parametrize("flag", ["-f", "-y"])
def test_r(dump, planted, tmp_path, flag):
    dump("-r", flag, "-o", "there")
    assert listing(tmp_path / "there") == with_lost_found(planted[1])
    (tmp_path / "there/hello.txt").write_text("changed")
    dump("-rfLP", "-o", "there")
    assert listing(tmp_path / "there") == with_lost_found(planted[1])


def test_r_goes_to_lost_found(dump, planted, tmp_path):
    dump("-rf")
    assert listing(tmp_path / "lost_found") == with_lost_found(planted[1])


def test_i(dump, planted, tmp_path):
    out = dump("-f", "-i", ino_of(dump, "/sub/deeper/leaf")).stdout.decode()
    assert " - File name         : leaf\n - File size         : 160 (bytes)\n" in out
    assert listing(tmp_path / "lost_found") == {b"leaf": planted[1][b"sub/deeper/leaf"]}
    dump("-y", "-i", hex(ino_of(dump, "/sub")), "-o", "dir")
    assert set(listing(tmp_path / "dir")) >= {b"sub", b"sub/deeper/leaf", b"sub/file-000"}


@pytest.mark.parametrize("answer, copied", [("y\n", True), ("Y\n", True), ("n\n", False), ("", False), ("maybe\n", False)])
def test_the_question(tool, planted, tmp_path, dump, answer, copied):
    done = subprocess.run([tool("dump.f2fs"), "-i", str(ino_of(dump, "/hello.txt")), str(planted[0])], cwd=tmp_path,
                          input=answer.encode(), capture_output=True)
    assert done.returncode == 0
    assert b"Do you want to dump this file into ./lost_found/? [Y/N] " in done.stdout
    assert (tmp_path / "lost_found/hello.txt").exists() == copied


def test_the_end_of_the_input_is_no_success_of_r(dump, tmp_path):
    done = dump("-r", rc=4)
    assert b"nothing was copied (-y copies, -N does not)" in done.stderr
    dump("-r", "-N")
    assert not list(tmp_path.iterdir())


def test_n_answers_no(dump, tmp_path):
    assert b"Do you want" not in dump("-N", "-i", "3").stdout
    assert not list(tmp_path.iterdir())


def test_without_p_the_umask_rules(tool, planted, tmp_path, dump):
    subprocess.run(["sh", "-c", 'umask 077; exec "$0" "$@"', tool("dump.f2fs"), "-f", "-i", str(ino_of(dump, "/medium")),
                    planted[0]], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert stat.S_IMODE(os.stat(tmp_path / "lost_found/medium").st_mode) == 0o600
    dump("-f", "-P", "-i", ino_of(dump, "/medium"), "-o", "kept")
    kept = json.loads(dump("--json", "--ls=/medium").stdout)["ls"][0]["entries"][0]["permissions"]
    assert stat.S_IMODE(os.stat(tmp_path / "kept/medium").st_mode) == kept


def test_help_and_manual_agree(run_tool, build_dir):
    page = os.path.join(build_dir, "man", "dump.f2fs.8")
    assert os.path.exists(page)
    with open(page) as f:
        manual = f.read()
    text = run_tool("dump.f2fs", "--help").stdout.decode()
    rows = [line.split("\t") for line in run_tool("dump.f2fs", "--dump-options").stdout.decode().splitlines()]
    options = [r for r in rows if r[0] == "option"]
    assert len(options) > 50
    for _, letter, name, *_ in options:
        spelled = "--" + name if name else "-" + letter
        assert spelled in text, spelled
        assert spelled.replace("-", "\\-") in manual, spelled
    for row in rows:
        if row[0] == "exit":
            assert "  %3s  %s" % (row[1], row[2]) in text and ".B %s\n" % row[1] in manual
    done = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True) if os.path.exists("/usr/bin/groff") \
        else None
    assert not done or not done.stderr, done.stderr


def test_beside_a_writer(tool, run_tool, f2fskit, tmp_path):
    """Blocks of a removed file may be another's by the time they are read: the status says that."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        for i in range(8):
            volume.path("/%d" % i).write_bytes(bytes([i]) * 1_000_000)
    with subprocess.Popen([tool("dump.f2fs"), "--tar=-", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as dump:
        dump.stdout.read(1000)  # the rest waits for the pipe
        run_tool("f2fs", "-w", path, "rm", "/3")
        dump.stdout.read()
        assert b"another program wrote a checkpoint" in dump.stderr.read()
        assert dump.wait() == 4
    run_tool("dump.f2fs", "--tar=/dev/null", path)
