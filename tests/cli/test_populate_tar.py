# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes filled from tar archives: the way there and back, odd archives, damaged ones."""
import gzip
import io
import os
import stat
import subprocess
import tarfile

import pytest

import volumes
from test_write import same_trees

FEATURES = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"


def plant(source):
    source.mkdir()
    volumes.plant(source)
    os.link(source / "big", source / "sub" / "second-name")
    os.mkfifo(source / "pipe")
    os.makedirs(os.fsencode(source) + b"/" + b"n" * 200 + b"/" + b"m" * 255)
    (source / "e\u0301").write_text("not composed")
    os.utime(source / "medium", ns=(1, 123456789987654321))
    os.chmod(source / "sub", 0o2750)


def archive(entries, format=tarfile.PAX_FORMAT):
    """An archive of (name, contents or None for a directory or dict of members)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as tar:
        for name, what in entries:
            info = tarfile.TarInfo(name)
            info.mtime = 1000000000
            data = b""
            if what is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o700
            elif isinstance(what, dict):
                for key, value in what.items():
                    setattr(info, key, value)
            else:
                data = what
                info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


@pytest.fixture
def load(run_tool, tmp_path, peer_check):
    """load(archive): a volume of it; (the messages, its tree on the host)."""
    def run(data, rc=0):
        image, source, back = tmp_path / "disk.img", tmp_path / "a.tar", tmp_path / "back"
        source.write_bytes(data)
        done = run_tool("mkfs.f2fs", "-q", "-f", "--root-dir", source, image, "64M", rc=rc)
        if rc in (0, 4):
            peer_check(image)
            run_tool("dump.f2fs", "-q", "--extract=%s" % back, image)
        return done.stderr.decode(), back
    return run


@pytest.mark.parametrize("form, compress", [("posix", ""), ("posix", "--gzip"), ("posix", "--xz"), ("gnu", ""), ("ustar", "")])
def test_archive_of_gnu_tar(run_tool, peer_check, tmp_path, form, compress):
    source, back, image = tmp_path / "source", tmp_path / "back", tmp_path / "disk.img"
    plant(source)
    if form == "ustar":
        os.rmdir(os.fsencode(source) + b"/" + b"n" * 200 + b"/" + b"m" * 255)
        os.rmdir(os.fsencode(source) + b"/" + b"n" * 200)
    command = ["tar", "--format=" + form, "-C", str(source), "-cf", str(tmp_path / "a.tar"), "."]
    command[1:1] = [word for word in (compress, "--sparse" if form != "ustar" else "") if word]
    subprocess.run(command, check=True)
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, image, "200M")
    run_tool("sload.f2fs", "-q", "-P", "-f", tmp_path / "a.tar", image)
    peer_check(image)
    run_tool("dump.f2fs", "-q", "--extract=%s" % back, image)
    same_trees(source, back)
    assert stat.S_ISFIFO(os.stat(back / "pipe").st_mode)
    assert os.stat(back / "big").st_ino == os.stat(back / "sub" / "second-name").st_ino
    assert stat.S_IMODE(os.stat(back / "sub").st_mode) == 0o2750
    assert os.stat(back / "sub").st_mtime_ns // 10**9 == os.stat(source / "sub").st_mtime_ns // 10**9
    if form == "posix":
        assert os.stat(back / "medium").st_mtime_ns == 123456789987654321
        assert os.stat(back / "sub").st_mtime_ns == os.stat(source / "sub").st_mtime_ns


def test_extracted_archive_makes_the_same_volume(run_tool, peer_check, tmp_path):
    source, image, again = tmp_path / "source", tmp_path / "disk.img", tmp_path / "again.img"
    plant(source)
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "--root-dir", source, image, "200M")
    first = run_tool("dump.f2fs", "-q", "--keep=all", "--tar=-", image).stdout
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "--root-dir", "-", again, "200M", input=first)
    peer_check(again)
    assert run_tool("dump.f2fs", "-q", "--keep=all", "--tar=-", again).stdout == first


def test_parents_that_come_late_or_never(load):
    said, back = load(archive([
        ("/abs/file", b"1"), ("./dots/./file", b"2"), ("late/below/file", b"3"), ("x", b"4"), ("late", None),
        ("late/below/second", b"5"), ("./", None)]))
    assert not said
    assert (back / "abs/file").read_bytes() == b"1" and (back / "dots/file").read_bytes() == b"2"
    assert (back / "late/below/file").read_bytes() == b"3" and (back / "late/below/second").read_bytes() == b"5"
    for path, mode in (("late", 0o700), ("abs", 0o755), (".", 0o700)):
        assert stat.S_IMODE(os.stat(back / path).st_mode) == mode, path
    assert os.stat(back / "late").st_mtime == 1000000000 and os.stat(back).st_mtime == 1000000000


def test_later_entries_replace_earlier_ones(load):
    link = {"type": tarfile.SYMTYPE, "linkname": "elsewhere"}
    said, back = load(archive([
        ("a", b"old"), ("a", b"new"), ("b", b"file"), ("b", None), ("b/in", b"in"), ("c", None), ("c", link),
        ("a", {"type": tarfile.LNKTYPE, "linkname": "a"}), ("d", {"type": tarfile.LNKTYPE, "linkname": "/./a"})]))
    assert not said
    assert (back / "a").read_bytes() == b"new" and (back / "b/in").read_bytes() == b"in"
    assert os.readlink(back / "c") == "elsewhere"
    assert os.stat(back / "a").st_ino == os.stat(back / "d").st_ino


def test_entries_that_cannot_be_copied_are_named(load):
    said, back = load(archive([
        ("../up", b"1"), ("a/../../up", b"2"), ("link", {"type": tarfile.SYMTYPE, "linkname": "/etc"}),
        ("link/passwd", b"3"),
        ("hard", {"type": tarfile.LNKTYPE, "linkname": "../../etc/passwd"}),
        ("gone", {"type": tarfile.LNKTYPE, "linkname": "nowhere"}), ("full", None), ("full/file", b"4"), ("full", b"5"),
        ("n" * 256, b"6"), ("good", b"7")]), rc=4)
    lines = said.splitlines()
    for text in ("f2fs: /../up: the name may lead out of the tree", "/a/../../up: the name may lead out",
                 "/link/passwd: the name of a parent exists already and is no directory", "/hard: the name may lead out",
                 "/gone: it is a link to an entry that was not copied", "/full: directory inode", "a name has 1 to 255 bytes"):
        assert sum(text in line for line in lines) == 1, (text, said)
    assert len(lines) == 7
    assert sorted(os.listdir(back)) == ["full", "good", "link"] and (back / "full/file").read_bytes() == b"4"


@pytest.mark.parametrize("length", [0, 100, 511, 700, 1500, 6000])
def test_archives_that_are_cut_short(tmp_path, length, load):
    data = archive([("a", b"1" * 1000), ("b", b"2" * 9000), ("c", b"3")])
    said, _ = load(data[:length], rc=1)
    assert "the archive is damaged or cut short" in said and "INTERNAL" not in said
    assert not os.path.exists(tmp_path / "disk.img")


@pytest.mark.parametrize("compressed", [False, True])
def test_an_archive_without_its_end_deletes_nothing(run_tool, tmp_path, compressed):
    """Cut between two entries it looks whole but for the zeros at its end."""
    whole = archive([("a", b"1"), ("b", b"2"), ("c", b"3" * 2_000_000)])
    image, source = tmp_path / "disk.img", tmp_path / "a.tar"
    pack = gzip.compress if compressed else bytes

    def find():
        return run_tool("f2fs", image, "find").stdout.decode().split()

    run_tool("mkfs.f2fs", "-q", image, "64M")
    source.write_bytes(pack(whole))
    run_tool("sload.f2fs", "-q", "-f", source, "--delete", image)
    assert find() == ["/", "/a", "/b", "/c"]
    source.write_bytes(pack(whole[:whole.index(b"c" + bytes(99))]))
    said = run_tool("sload.f2fs", "-q", "-f", source, "--update", "--delete", image, rc=4).stderr.decode()
    assert "/: the archive has no mark of its end" in said and find() == ["/", "/a", "/b", "/c"]
    told = run_tool("f2fs", image, "diff", source, rc=2).stdout.decode()
    assert "! /: the archive has no mark of its end" in told and "/c" not in told
    run_tool("sload.f2fs", "-q", "-f", source, "--update", image)
    source.write_bytes(pack(archive([("a", b"1")])))
    run_tool("sload.f2fs", "-q", "-f", source, "--update", "--delete", image)
    assert find() == ["/", "/a"]


def test_attributes_of_an_archive(run_tool, tmp_path, load):
    acl = "user::rw-,user:7:r--,group::r-x,mask::rwx,other::---"
    headers = {"SCHILY.xattr.user.color": "red", "SCHILY.xattr.user.100%25": "=", "SCHILY.acl.access": acl,
               "mtime": "-1.5", "ctime": "5.25", "LIBARCHIVE.creationtime": "7.125"}
    said, back = load(archive([
        ("a", {"pax_headers": headers, "mode": 0o670, "uid": 70000, "gid": 3000000000})]))
    assert not said
    text = run_tool("dump.f2fs", "--xattr=/a", tmp_path / "disk.img").stdout.decode()
    assert "user.color" in text and "user.100%" in text
    assert b"SCHILY.acl.access=user::rw-,user:7:r--,group::r-x,mask::rwx,other::---\n" in run_tool(
        "dump.f2fs", "-q", "--tar=-", tmp_path / "disk.img").stdout
    inode = run_tool("dump.f2fs", "--inode=/a", tmp_path / "disk.img").stdout.decode()
    for line in ("i_uid = 70000", "i_gid = 3000000000", "i_mtime = -2", "i_mtime_nsec = 500000000", "i_ctime_nsec = 250000000"):
        assert line in inode, inode
    assert stat.S_IMODE(os.stat(back / "a").st_mode) == 0o670


def test_patterns(run_tool, peer_check, tmp_path):
    source, image, back = tmp_path / "source", tmp_path / "disk.img", tmp_path / "back"
    for path in ("a/keep/x", "a/keep/no.o", "a/drop/y", "b/z.c", "b/z.h", "top.c"):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(path)
    os.chmod(source / "b", 0o711)
    subprocess.run(["tar", "-C", str(source), "-cf", str(tmp_path / "a.tar"), "."], check=True)
    for origin in (source, tmp_path / "a.tar"):
        run_tool("mkfs.f2fs", "-q", "-f", image, "64M")
        run_tool("sload.f2fs", "-q", "-f", origin, "--include=/a/keep", "--include=*.c", "--exclude=*.o", "--into=/t", image)
        peer_check(image)
        subprocess.run(["rm", "-rf", str(back)], check=True)
        run_tool("dump.f2fs", "-q", "--extract=%s" % back, image)
        found = sorted(str(p.relative_to(back)) for p in back.rglob("*") if p.is_file())
        assert found == ["t/a/keep/x", "t/b/z.c", "t/top.c"]
        assert stat.S_IMODE(os.stat(back / "t/b").st_mode) == 0o711


def test_names_in_acls(run_tool, load):
    acl = "user::rw-,user:root:rwx,group::r--,group:7:r--,mask::rwx,other::---"
    bad = acl.replace("root", "nobody-of-this-name")
    said, _ = load(archive([("a", {"pax_headers": {"SCHILY.acl.access": acl}}), ("b", {"pax_headers": {"SCHILY.acl.access": bad}}),
                            ("c", {"pax_headers": {"SCHILY.acl.access": acl.replace("root:rwx", "x:rwx:4000000000")}})]), rc=4)
    lines = said.splitlines()
    assert len(lines) == 2 and "/b: system.posix_acl_access: the host does not know nobody-of-this-name" in lines[0]
    assert "/c: system.posix_acl_access: libarchive does not read ids" in lines[1]


@pytest.mark.parametrize("compress", ["", "gz", "xz"])
def test_the_second_before_1970(run_tool, tmp_path, compress):
    """libarchive loses the sign of "-0.5"; headers may span the blocks in which an archive is read."""
    values = ["-0.000000001", "-0.5", "-0.999999999", "-1", "-1.5", "0.5", "0", "-0"]
    want = {"-0": 0}
    image, data, back = tmp_path / "disk.img", tmp_path / "a.tar", tmp_path / "back"
    with tarfile.open(data, "w:" + compress, format=tarfile.PAX_FORMAT) as tar:
        for i, value in enumerate(values * 4):
            info = tarfile.TarInfo("%02d" % i)
            info.pax_headers = {"comment": "x" * (500000 * (i % 2) + 300 * i), "atime": "-0.25", "mtime": value}
            want.setdefault(value, round(float(value) * 10**9))
            info.size = 100000 * (i % 3)
            tar.addfile(info, io.BytesIO(bytes(info.size)))
    run_tool("mkfs.f2fs", "-q", "--root-dir", data, image, "64M")
    run_tool("dump.f2fs", "-q", "--extract=%s" % back, image)
    got = [os.stat(back / ("%02d" % i)) for i in range(4 * len(values))]
    assert [s.st_mtime_ns for s in got] == [want[value] for value in values * 4]
    assert {s.st_atime_ns for s in got} == {-250000000}


def test_times_come_back_from_our_own_archive(run_tool, tmp_path):
    """There and back through our pax headers, to the nanosecond."""
    times = [-1, -999999999, -1000000000, -1000000001, -500000000, 1, 0]
    first, second, data, manifest = (tmp_path / name for name in ("a.img", "b.img", "a.tar", "manifest"))
    manifest.write_text("".join('{"path": "%d", "type": "file", "mode": "0644", "mtime": %s, "atime": %s, "ctime": %s}\n' % (
        i, *("[%d, %d]" % divmod(t + d, 10**9) for d in (0, -1, -2))) for i, t in enumerate(times)))

    def fill(image, *source):
        run_tool("mkfs.f2fs", "-q", image, "64M")
        run_tool("sload.f2fs", "-q", "-P", *source, image)
        shown = (run_tool("f2fs", image, "stat", "/%d" % i).stdout.decode() for i in range(len(times)))
        return [[line for line in text.splitlines() if "time" in line] for text in shown]

    shown = fill(first, "--manifest", manifest)
    run_tool("dump.f2fs", "-q", "--tar=%s" % data, first)
    assert fill(second, "-f", data) == shown
    assert all("1969-12-31" in str(lines) for lines in shown) and len(shown[0]) == 6


def test_a_plain_file_is_no_source(run_tool, tmp_path):
    (tmp_path / "hostname").write_bytes(b"host\n")
    run_tool("mkfs.f2fs", "-q", tmp_path / "image", "64M")
    done = run_tool("sload.f2fs", "-f", tmp_path / "hostname", tmp_path / "image", rc=None)
    assert done.returncode and b"neither a directory nor an archive" in done.stderr, done.stderr
