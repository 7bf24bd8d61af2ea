# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every program that writes changes Android sparse files, too: a new one takes the old one's place when all is well."""
import errno
import fcntl
import hashlib
import json
import os
import signal
import stat
import struct
import subprocess

import pytest

MAGIC = 0xED26FF3A
TREE = {"etc/fstab": b"none\n", "system/lib.so": bytes(range(256)) * 4000, "empty": b""}


@pytest.fixture
def tree(tmp_path):
    for name, data in TREE.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_bytes(data)
    return tmp_path / "tree"


@pytest.fixture
def sparse(run_tool, tmp_path, tree):
    """A sparse file in blocks of 4096 bytes."""
    path = tmp_path / "system.img"
    run_tool("mkfs.f2fs", "-q", "-S", "96M", "--root-dir", tree, path)
    return path


def is_sparse(path):
    with open(path, "rb") as f:
        return struct.unpack("<I", f.read(4))[0] == MAGIC


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check(run_tool, path):
    """The file is a sparse one, of a sound volume with the same files."""
    assert is_sparse(path)
    run_tool("fsck.f2fs", "-n", "-f", "--content", path)
    for name, data in TREE.items():
        assert run_tool("f2fs", path, "cat", "/" + name).stdout == data
    assert sorted(p.name for p in path.parent.iterdir()) == ["system.img", "tree"], "nothing is left beside it"


def test_edit_label_inject_fsck_and_sload(run_tool, sparse, tree):
    before = sparse.stat()
    os.chmod(sparse, 0o640)
    run_tool("f2fs", "-w", "-c", "mkdir /new; touch /new/file; write /new/file 0 text; commit; touch /late", sparse)
    check(run_tool, sparse)
    assert b"late" in run_tool("f2fs", sparse, "ls", "/").stdout.split()
    assert run_tool("f2fs", sparse, "cat", "/new/file").stdout == b"text"
    assert stat.S_IMODE(sparse.stat().st_mode) == 0o640 and sparse.stat().st_uid == before.st_uid
    run_tool("f2fslabel", sparse, "system")
    assert b"system" in run_tool("f2fslabel", sparse).stdout
    run_tool("inject.f2fs", "--node", "--nid", "3", "--mb", "i_links", "--val", "99", sparse)
    assert run_tool("fsck.f2fs", "-n", "-f", sparse, rc=None).returncode != 0
    run_tool("fsck.f2fs", "-f", "-y", sparse, rc=1)
    check(run_tool, sparse)
    (tree / "further").mkdir()
    (tree / "further" / "more").write_bytes(b"more" * 9000)
    run_tool("sload.f2fs", "-f", tree / "further", sparse)
    assert run_tool("f2fs", sparse, "cat", "/more").stdout == b"more" * 9000
    (tree / "further" / "more").rename(tree / "further" / "again")
    run_tool("sload.f2fs", "-S", "-f", tree / "further", sparse)
    assert run_tool("f2fs", sparse, "cat", "/again").stdout == b"more" * 9000
    check(run_tool, sparse)


def resized(run_tool, sparse, *words):
    """Resize it; the dry run says the same. The length of the contents."""
    told = json.loads(run_tool("resize.f2fs", "-n", "--json", sparse, *words).stdout)
    found = json.loads(run_tool("resize.f2fs", "--json", sparse, *words).stdout)
    assert (told["new_bytes"], told["steps"]) == (found["new_bytes"], found["steps"])
    check(run_tool, sparse)
    with open(sparse, "rb") as f:
        size, blocks = struct.unpack("<12xII8x", f.read(28))
    return found["new_bytes"], size * blocks


def test_resize(run_tool, sparse, tmp_path):
    """Larger, with new areas; smaller; cut. What nobody cares for may be anything, and the volume is still sound."""
    volume, length = resized(run_tool, sparse, "6G")
    assert volume <= length == 6 << 30 and sparse.stat().st_size < 64 << 20
    noisy = tmp_path / "tree" / "noisy.img"
    unpack_over_noise(sparse, noisy)
    run_tool("fsck.f2fs", "-n", "-f", "--content", noisy)
    noisy.unlink()
    small, length = resized(run_tool, sparse, "200M")
    assert small <= 200 << 20 and length == 6 << 30
    small, length = resized(run_tool, sparse, "--truncate", "min")
    assert small == length < 200 << 20


def unpack_over_noise(sparse, path):
    """As flashing does: "don't care" chunks keep the old contents."""
    with open(sparse, "rb") as f, open(path, "wb") as out:
        size, chunks = struct.unpack("<12xI4xI4x", f.read(28))
        for _ in range(chunks):
            kind, blocks, total = struct.unpack("<H2xII", f.read(12))
            if kind == 0xCAC1:
                out.write(f.read(blocks * size))
            elif kind == 0xCAC2:
                out.write(f.read(4) * (blocks * size // 4))
            elif kind == 0xCAC3:  # noise in each block, but sparsely: holes are of no use to this test
                for _ in range(min(blocks, 40000)):
                    out.write(b"noise".ljust(size, b"!"))
                out.seek((blocks - min(blocks, 40000)) * size, os.SEEK_CUR)
            else:
                f.read(total - 12)
        out.truncate(out.tell())


def test_defrag(run_tool, sparse):
    for i in range(5):
        run_tool("f2fs", "-w", "-c", f"touch /one /two; write /one {i * 4096} x; write /two {i * 4096} x", sparse)
    before = digest(sparse)
    run_tool("defrag.f2fs", "-n", sparse)
    run_tool("defrag.f2fs", "--fragmentation", sparse)
    assert digest(sparse) == before
    assert b"moved" in run_tool("defrag.f2fs", sparse).stdout
    assert digest(sparse) != before
    check(run_tool, sparse)


def test_a_link_stays_one(run_tool, sparse, tmp_path):
    (tmp_path / "tree" / "link.img").symlink_to(sparse)
    run_tool("f2fs", "-w", tmp_path / "tree" / "link.img", "mkdir", "/made")
    assert (tmp_path / "tree" / "link.img").is_symlink()
    check(run_tool, sparse)
    assert b"made" in run_tool("f2fs", sparse, "ls", "/").stdout


def test_undo(run_tool, sparse, tmp_path):
    files = run_tool("f2fs", sparse, "find").stdout
    undo = tmp_path / "tree" / "undo"
    run_tool("f2fs", "-w", "--undo", undo, sparse, "rm", "-r", "/system")
    assert run_tool("f2fs", sparse, "find").stdout != files
    run_tool("fsck.f2fs", "--restore", undo, sparse)
    assert run_tool("f2fs", sparse, "find").stdout == files
    check(run_tool, sparse)


def test_nothing_changes_when_nothing_is_written(run_tool, sparse):
    before, number = digest(sparse), sparse.stat().st_ino
    run_tool("fsck.f2fs", "-f", "-y", sparse)
    run_tool("fsck.f2fs", "--dry-run", "-f", sparse)
    run_tool("f2fs", sparse, "ls", "/")
    run_tool("f2fs", "-w", sparse, "rm", "/nothing", rc=2)
    run_tool("f2fs", sparse, "mkdir", "/x", rc=16)
    assert (digest(sparse), sparse.stat().st_ino) == (before, number)


def leftover(sparse):
    """The temporary file of a killed program."""
    return sparse.with_name(sparse.name + ".f2fskit-new")


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_what_a_killed_program_leaves_is_removed_by_the_next(run_tool, sparse, full, mode):
    """Nobody may read it who could not read the image."""
    os.chmod(sparse, mode)
    before = digest(sparse)
    run_tool("f2fs", "-w", sparse, "mkdir", "/x", rc=-signal.SIGKILL, **full(1 << 20, kills=True))
    assert digest(sparse) == before and 0 < leftover(sparse).stat().st_size <= 1 << 20
    assert stat.S_IMODE(leftover(sparse).stat().st_mode) == mode
    run_tool("f2fs", "-w", sparse, "mkdir", "/y")
    check(run_tool, sparse)
    assert {b"y"} == set(run_tool("f2fs", sparse, "ls", "/").stdout.split()) & {b"x", b"y"}


def test_what_a_living_program_writes_stays(run_tool, sparse):
    """One that went without the image's lock."""
    before = digest(sparse)
    with open(leftover(sparse), "wb") as new:
        fcntl.lockf(new, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for words in ("f2fs", "-w", sparse, "mkdir", "/x"), ("f2fslabel", sparse, "label"):
            said = run_tool(*words, rc=1).stderr
            assert leftover(sparse).name.encode() in said and b"in use by" in said
    assert digest(sparse) == before and leftover(sparse).exists()
    leftover(sparse).unlink()
    leftover(sparse).mkdir()
    assert b"is a directory" in run_tool("f2fs", "-w", sparse, "mkdir", "/x", rc=1).stderr
    assert digest(sparse) == before


def set_attributes(path, attributes):
    """Attributes that the host's file system can keep."""
    for name, value in attributes.items():
        try:
            os.setxattr(path, name, value)
        except OSError as e:
            assert e.errno == errno.ENOTSUP
    return {name: os.getxattr(path, name) for name in os.listxattr(path) if name in attributes}


def access_list(*entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


NOBODY = 0xFFFFFFFF
LIST = access_list((1, 6, NOBODY), (2, 4, 12), (4, 0, NOBODY), (16, 4, NOBODY), (32, 0, NOBODY))    # user 12 may read


def test_attributes_stay(run_tool, sparse):
    os.chmod(sparse, 0o600)
    set_attributes(sparse.parent, {"system.posix_acl_default": LIST})     # the file itself has none
    run_tool("f2fs", "-w", sparse, "mkdir", "/x")
    assert stat.S_IMODE(sparse.stat().st_mode) == 0o600 and "system.posix_acl_access" not in os.listxattr(sparse)
    kept = set_attributes(sparse, {"user.note": b"of the user", "user.empty": b"", "system.posix_acl_access": LIST})
    mode = sparse.stat().st_mode
    run_tool("f2fs", "-w", sparse, "mkdir", "/y")
    assert {name: os.getxattr(sparse, name) for name in kept} == kept and sparse.stat().st_mode == mode
    os.removexattr(sparse.parent, "system.posix_acl_default")
    check(run_tool, sparse)


def test_mkfs_beside_a_writer(run_tool, f2fskit, tmp_path):
    path = tmp_path / "image"
    run_tool("mkfs.f2fs", "-q", "-S", 64 << 20, path)
    before = path.read_bytes()
    with f2fskit.Device.open(path, writable=True, sparse=False):
        assert b"in use by" in run_tool("mkfs.f2fs", "-q", "-f", "-S", 64 << 20, path, rc=1).stderr
    assert path.read_bytes() == before
    run_tool("mkfs.f2fs", "-q", "-f", "-S", 64 << 20, "-l", "new", path)
    assert f2fskit.open(path).label == "new"


def test_a_file_of_several_names_stays(run_tool, sparse):
    """A new file would take the place of one name, and the other names would keep the old volume."""
    os.link(sparse, sparse.parent / "tree" / "other.img")
    before = digest(sparse)
    for words in ("f2fs", "-w", sparse, "mkdir", "/x"), ("f2fslabel", sparse, "label"):
        assert b"2 names (hard links)" in run_tool(*words, rc=1).stderr
    assert digest(sparse) == before and sparse.stat().st_nlink == 2
    run_tool("fsck.f2fs", "-n", sparse)


def test_a_full_disk(run_tool, sparse):
    """RLIMIT_FSIZE is the full disk of this test."""
    import resource
    before = digest(sparse)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    run_tool("f2fs", "-w", sparse, "mkdir", "/x", rc=1, preexec_fn=limit)
    assert digest(sparse) == before
    check(run_tool, sparse)


def test_one_writer_at_a_time(tool, run_tool, sparse):
    writer = subprocess.Popen([tool("f2fs"), "-w", sparse], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    writer.stdin.write(b"mkdir /one\ncommit\nls -d /one\n")
    writer.stdin.flush()
    assert writer.stdout.readline() == b"/one\n"
    assert b"in use" in run_tool("f2fs", "-w", sparse, "mkdir", "/two", rc=1).stderr
    writer.stdin.write(b"mkdir /three\n")
    assert writer.communicate()[0] == b"" and writer.returncode == 0
    assert {b"one", b"three"} <= set(run_tool("f2fs", sparse, "ls", "/").stdout.split())
    check(run_tool, sparse)


def test_sparse_where_it_is_none(run_tool, tmp_path, tree):
    run_tool("mkfs.f2fs", "-q", tmp_path / "plain.img", "64M")
    said = run_tool("sload.f2fs", "-S", "-f", tree, tmp_path / "plain.img", rc=8).stderr
    assert b"not an Android sparse file" in said
