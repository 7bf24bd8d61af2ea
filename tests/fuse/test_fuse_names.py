# SPDX-License-Identifier: LGPL-2.1-or-later
"""System calls on names, attributes and space, on a volume mounted by f2fsfuse: they have the results and errors of the
kernel's F2FS."""
import ctypes
import errno
import mmap
import os
import resource
import stat
import struct
import subprocess
import time

import pytest

NO_REPLACE, EXCHANGE, WHITEOUT = 1, 2, 4
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16

libc = ctypes.CDLL(None, use_errno=True)


def fails(call, *args, **kwargs):
    """The name of the errno; None if it works."""
    try:
        call(*args, **kwargs)
    except OSError as e:
        return errno.errorcode[e.errno]
    return None


def system(name, *args):
    if getattr(libc, name)(*args):
        raise OSError(ctypes.get_errno(), name)


def rename2(old, new, flags):
    system("renameat2", -100, os.fsencode(old), -100, os.fsencode(new), flags)


def allocate(fd, mode, offset, length):
    system("fallocate", fd, mode, ctypes.c_long(offset), ctypes.c_long(length))


def give_name(fd, path):
    """Link an open file: AT_FDCWD twice, AT_SYMLINK_FOLLOW."""
    system("linkat", -100, b"/proc/self/fd/%d" % fd, -100, os.fsencode(path), 0x400)


@pytest.fixture
def top(mount, volume, peer_check):
    """A mounted volume's root; afterwards both checkers find nothing."""
    image = volume("128M", "-O", "extra_attr,inode_checksum,inode_crtime,project_quota,quota,casefold", "-C", "utf8")
    mounted = mount(image)
    yield mounted.point
    assert mounted.unmount() == ""
    peer_check(image)


def write(path, data=b""):
    with open(path, "wb") as file:
        file.write(data)


def test_names_of_any_length(top):
    longest, longer = top / ("n" * 255), top / ("n" * 256)
    write(longest)
    assert os.listdir(top) == [longest.name]
    for call in (os.stat, os.mkdir, os.unlink, os.rmdir, os.listdir):
        assert fails(call, longer) == "ENAMETOOLONG", call
    assert fails(os.rename, longest, longer) == "ENAMETOOLONG"
    assert fails(os.link, longest, longer) == "ENAMETOOLONG"
    assert fails(os.open, longer, os.O_CREAT | os.O_RDWR) == "ENAMETOOLONG"


def test_what_is_there_is_not_made_again(top):
    write(top / "file")
    os.mkdir(top / "dir")
    assert fails(os.open, top / "file", os.O_CREAT | os.O_EXCL) == "EEXIST"
    assert fails(os.mkdir, top / "file") == fails(os.mkdir, top / "dir") == "EEXIST"
    assert fails(os.link, top / "file", top / "dir") == "EEXIST"
    assert fails(os.symlink, "x", top / "file") == "EEXIST"
    assert fails(os.rmdir, top / "file") == "ENOTDIR"
    assert fails(os.unlink, top / "dir") == "EISDIR"
    assert fails(os.link, top / "dir", top / "other") == "EPERM"
    assert fails(os.stat, top / "file" / "x") == "ENOTDIR"


def test_renames_and_what_they_refuse(top):
    os.chdir(top)
    try:
        os.mkdir("a")
        os.mkdir("b")
        write("b/x", b"x")
        write("f", b"f")
        assert fails(os.rename, "a", "b") == "ENOTEMPTY"
        assert fails(os.rename, "a", "f") == "ENOTDIR"
        assert fails(os.rename, "f", "a") == "EISDIR"
        assert fails(os.rename, "a", "a/c") == "EINVAL"
        assert fails(os.rename, "none", "a") == "ENOENT"
        assert fails(rename2, "f", "b/x", NO_REPLACE) == "EEXIST"
        assert fails(rename2, "f", "none", EXCHANGE) == "ENOENT"
        rename2("f", "b/x", EXCHANGE)
        assert open("f").read() == "x" and open("b/x").read() == "f"
        rename2("a", "b", EXCHANGE)
        assert os.listdir("a") == ["x"] and os.listdir("b") == []
        rename2("f", "b/moved", NO_REPLACE)
        os.rename("a", "b/under")
        assert sorted(os.listdir("b")) == ["moved", "under"] and os.listdir("b/under/..") == os.listdir("b")
        assert os.stat(".").st_nlink == 3 and os.stat("b").st_nlink == 3
        if os.geteuid() == 0:
            rename2("b/moved", "b/here", WHITEOUT)
            left = os.lstat("b/moved")
            assert stat.S_ISCHR(left.st_mode) and left.st_rdev == 0
        os.mkdir("empty")
        os.rename("b/under", "empty")   # an empty directory gives way
        assert os.listdir("empty") == ["x"]
    finally:
        os.chdir("/")


def test_a_file_lives_while_it_is_open(top):
    fd = os.open(top / "f", os.O_CREAT | os.O_RDWR)
    os.write(fd, b"data" * 5000)
    os.unlink(top / "f")
    assert not os.listdir(top) and os.fstat(fd).st_nlink == 0
    os.pwrite(fd, b"zz", 30000)
    os.fsync(fd)
    write(top / "f", b"another")   # has another number
    assert os.stat(top / "f").st_ino != os.fstat(fd).st_ino
    assert os.pread(fd, 4, 29998) == b"\0\0zz" and os.pread(fd, 4, 0) == b"data"
    os.close(fd)
    old = os.open(top / "f", os.O_RDONLY)
    write(top / "g", b"new")
    os.rename(top / "g", top / "f")
    assert os.read(old, 9) == b"another" and open(top / "f").read() == "new"
    os.close(old)
    os.mkdir(top / "d")
    fd = os.open(top / "d", os.O_RDONLY)
    os.rmdir(top / "d")
    assert os.listdir(fd) == [] and fails(os.open, "x", os.O_CREAT, dir_fd=fd) == "ENOENT"
    os.close(fd)


def test_many_removed_files_are_open(top):
    """More than the handles that the program keeps open: it keeps those of removed files in any case."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[0]),
                                                resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    files = []
    for i in range(1500):
        files.append(os.open(top / "f", os.O_CREAT | os.O_RDWR))
        os.write(files[-1], b"%d" % i)
        os.unlink(top / "f")
        if i % 100 == 0:
            (top / ("d%d" % i)).mkdir()
            write(top / ("d%d" % i) / "kept", b"%d" % i)
    assert [os.pread(fd, 9, 0) for fd in files] == [b"%d" % i for i in range(1500)]
    assert sorted(os.listdir(top)) == sorted("d%d" % i for i in range(0, 1500, 100))
    for fd in files:
        os.close(fd)
    assert (top / "d1400" / "kept").read_bytes() == b"1400"


def test_files_without_a_name(mount, volume, peer_check):
    """O_TMPFILE, where this libfuse passes it on: the file is an orphan until it gets a name."""
    image = volume("128M", "-O", "extra_attr,quota,compression")
    mounted = mount(image, "background_gc=off")
    top, control = mounted.point, mounted.point / ".f2fs" / "control"
    flags, at = os.O_TMPFILE | os.O_RDWR, top / "d"
    at.mkdir(0o2755)
    try:
        fd = os.open(at, flags, 0o640)
    except OSError as e:
        assert e.errno == errno.EOPNOTSUPP
        pytest.skip("this libfuse does not pass O_TMPFILE on")
    os.write(fd, b"data" * 5000)
    os.fsync(fd)
    seen = os.fstat(fd)
    assert (seen.st_nlink, seen.st_mode, seen.st_size, os.listdir(at)) == (0, stat.S_IFREG | 0o640, 20000, [])
    for i in range(600):                # more than the handles that are kept open
        write(top / ("many-%d" % i))
    assert os.pread(fd, 4, 4) == b"data"
    give_name(fd, at / "name")
    assert os.fstat(fd).st_nlink == os.stat(at / "name").st_nlink == 1 and os.listdir(at) == ["name"]
    os.fsync(fd)
    os.unlink(at / "name")
    assert fails(give_name, fd, at / "again") == "ENOENT"
    os.close(fd)
    fd = os.open(at, flags | os.O_EXCL)
    assert fails(give_name, fd, at / "again") == "ENOENT"
    os.close(fd)
    control.write_text("checkpoint")
    free = os.statvfs(top).f_bfree
    kept, lost = os.open(at, flags), os.open(at, flags)
    for one in (kept, lost):
        os.write(one, b"x" * 100000)
    give_name(kept, top / "kept")
    os.fsync(kept)
    control.write_text("checkpoint")
    mounted.kill()                      # the file without a name is lost, the other is not
    os.close(kept)
    os.close(lost)
    mounted = mount(image)
    assert (mounted.point / "kept").read_bytes() == b"x" * 100000
    assert free - os.statvfs(mounted.point).f_bfree == 25 + 1       # with its inode
    assert mounted.unmount() == ""
    peer_check(image)


def test_holes_and_space(top):
    fd = os.open(top / "h", os.O_CREAT | os.O_RDWR)
    os.ftruncate(fd, 10 << 20)
    assert os.fstat(fd).st_blocks <= 16
    os.pwrite(fd, b"d" * 4096, 1 << 20)
    assert os.lseek(fd, 0, os.SEEK_DATA) == 1 << 20
    assert os.lseek(fd, 1 << 20, os.SEEK_HOLE) == (1 << 20) + 4096
    assert os.lseek(fd, 5, os.SEEK_HOLE) == 5 and os.lseek(fd, (1 << 20) + 9, os.SEEK_DATA) == (1 << 20) + 9
    assert fails(os.lseek, fd, 2 << 20, os.SEEK_DATA) == "ENXIO"
    assert fails(os.lseek, fd, 10 << 20, os.SEEK_HOLE) == "ENXIO"
    allocate(fd, 0, 12 << 20, 1 << 20)
    assert os.fstat(fd).st_size == 13 << 20 and os.fstat(fd).st_blocks >= 2048
    allocate(fd, KEEP_SIZE, 14 << 20, 1 << 20)
    assert os.fstat(fd).st_size == 13 << 20
    allocate(fd, KEEP_SIZE | PUNCH_HOLE, 1 << 20, 4096)
    assert os.pread(fd, 4096, 1 << 20) == bytes(4096)
    os.pwrite(fd, b"e" * 9000, 0)
    allocate(fd, ZERO_RANGE, 100, 8000)
    assert os.pread(fd, 9000, 0) == b"e" * 100 + bytes(8000) + b"e" * 900
    os.ftruncate(fd, 50)
    os.ftruncate(fd, 200)
    assert os.pread(fd, 999, 0) == b"e" * 50 + bytes(150)
    os.close(fd)
    assert fails(os.truncate, top / "h", 1 << 45) == "EFBIG"
    data = os.urandom(3 << 20)
    write(top / "from", data)
    a, b = os.open(top / "from", os.O_RDONLY), os.open(top / "to", os.O_CREAT | os.O_RDWR)
    done = 0
    while done < len(data):
        done += os.copy_file_range(a, b, len(data) - done)
    assert os.copy_file_range(a, b, 10) == 0
    os.close(a)
    os.close(b)
    assert (top / "to").read_bytes() == data
    with open(top / "mapped", "w+b") as file:
        file.truncate(1 << 20)
        with mmap.mmap(file.fileno(), 1 << 20) as memory:
            memory[5000:5005] = b"hello"
            memory.flush()
        assert os.pread(file.fileno(), 5, 5000) == b"hello"
    fd = os.open(top / "added", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.write(fd, b"a")
    os.write(fd, b"b")
    os.close(fd)
    assert (top / "added").read_bytes() == b"ab"


def test_attributes(top):
    write(top / "f")
    os.utime(top / "f", ns=(10**18 + 1, 10**18 + 2))
    st = os.stat(top / "f")
    assert (st.st_atime_ns, st.st_mtime_ns) == (10**18 + 1, 10**18 + 2)
    os.utime(top / "f", ns=(-10**9, -5))
    assert os.stat(top / "f").st_mtime_ns == -5
    os.setxattr(top / "f", "user.a", b"v" * 100)
    os.setxattr(top / "f", "user.empty", b"")
    assert os.getxattr(top / "f", "user.a") == b"v" * 100 and os.getxattr(top / "f", "user.empty") == b""
    assert sorted(os.listxattr(top / "f")) == ["user.a", "user.empty"]
    assert fails(os.setxattr, top / "f", "user.a", b"", os.XATTR_CREATE) == "EEXIST"
    assert fails(os.setxattr, top / "f", "user.b", b"", os.XATTR_REPLACE) == "ENODATA"
    assert fails(os.getxattr, top / "f", "user.b") == fails(os.removexattr, top / "f", "user.b") == "ENODATA"
    assert fails(os.setxattr, top / "f", "other.b", b"") in ("EOPNOTSUPP", "ENOTSUP")
    assert fails(os.setxattr, top / "f", "user.big", bytes(60000)) == "E2BIG"
    os.removexattr(top / "f", "user.a")
    os.symlink("f", top / "s")
    assert fails(os.setxattr, top / "s", "user.a", b"", follow_symlinks=False) == "EPERM"
    assert os.readlink(top / "s") == "f"
    os.symlink("t" * 4095, top / "long")
    assert len(os.readlink(top / "long")) == 4095
    os.mkfifo(top / "p")
    assert stat.S_ISFIFO(os.stat(top / "p").st_mode)
    write(top / "l1", b"l")
    os.link(top / "l1", top / "l2")
    assert os.stat(top / "l1").st_nlink == 2
    os.unlink(top / "l1")
    assert os.stat(top / "l2").st_nlink == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_owners_and_bits(top):
    os.mkdir(top / "sg")
    os.chown(top / "sg", 0, 77)
    os.chmod(top / "sg", 0o2775)
    write(top / "sg" / "f")
    os.mkdir(top / "sg" / "d", 0o755)
    assert os.stat(top / "sg" / "f").st_gid == os.stat(top / "sg" / "d").st_gid == 77
    assert stat.S_IMODE(os.stat(top / "sg" / "d").st_mode) == 0o2755
    write(top / "f")
    os.chmod(top / "f", 0o6755)
    os.chown(top / "f", 1000, 1000)
    assert stat.S_IMODE(os.stat(top / "f").st_mode) == 0o755
    os.mknod(top / "dev", stat.S_IFBLK | 0o600, os.makedev(300, 70000))
    assert os.stat(top / "dev").st_rdev == os.makedev(300, 70000)
    os.setxattr(top / "f", "trusted.t", b"1")
    assert "trusted.t" in os.listxattr(top / "f")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sets these flags")
def test_flags(top):
    def change(*words):
        subprocess.run(["chattr", *map(str, words)], check=True)

    write(top / "still", b"s")
    write(top / "log", b"l")
    change("+i", top / "still")
    change("+a", top / "log")
    assert "i" in subprocess.check_output(["lsattr", top / "still"], text=True).split()[0]
    for call, args in ((os.unlink, ()), (os.truncate, (0,)), (os.chmod, (0o600,)), (os.rename, (top / "x",)),
                       (os.link, (top / "x",)), (os.setxattr, ("user.a", b""))):
        assert fails(call, top / "still", *args) == "EPERM", call
        assert fails(call, top / "log", *args) == "EPERM", call
    with open(top / "log", "ab") as file:
        file.write(b"more")
    fd = os.open(top / "log", os.O_WRONLY)
    assert fails(os.pwrite, fd, b"x", 0) == "EPERM"
    os.close(fd)
    change("-i", top / "still")
    change("-a", top / "log")
    os.unlink(top / "still")
    os.mkdir(top / "c")
    change("+F", top / "c")     # ignores case: the kernel must not remember a spelling as missing
    assert not os.path.exists(top / "c" / "NAME")
    write(top / "c" / "Name", b"n")
    assert (top / "c" / "NAME").read_bytes() == b"n" and os.listdir(top / "c") == ["Name"]
    os.unlink(top / "c" / "nAME")
    assert not os.path.exists(top / "c" / "Name")
    change("-p", "42", top / "log")
    assert subprocess.check_output(["lsattr", "-p", top / "log"], text=True).split()[0] == "42"


def test_acls(top):
    for word in ("setfacl", "getfacl"):
        if subprocess.run(["which", word], capture_output=True).returncode:
            pytest.skip("%s is not installed" % word)
    os.mkdir(top / "d")
    subprocess.run(["setfacl", "-d", "-m", "u:12345:rwx", top / "d"], check=True)
    os.mkdir(top / "d" / "sub")
    write(top / "d" / "f")
    acl = subprocess.check_output(["getfacl", "-n", "--omit-header", top / "d" / "f"], text=True)
    assert "user:12345:rwx" in acl and "mask::rw-" in acl
    assert "default:user:12345:rwx" in subprocess.check_output(["getfacl", "-n", top / "d" / "sub"], text=True)
    os.chmod(top / "d" / "f", 0o600)
    assert "mask::---" in subprocess.check_output(["getfacl", "-n", top / "d" / "f"], text=True)


def test_a_directory_is_read_while_it_changes(top):
    os.mkdir(top / "many")
    for i in range(3000):
        write(top / "many" / str(i))
    with os.scandir(top / "many") as entries:
        seen = [entry.name for entry in entries if os.unlink(entry.path) is None]
    assert sorted(seen, key=int) == [str(i) for i in range(3000)]
    assert os.listdir(top / "many") == []


class Dirent(ctypes.Structure):
    _fields_ = [("ino", ctypes.c_uint64), ("offset", ctypes.c_int64), ("length", ctypes.c_ushort),
                ("type", ctypes.c_ubyte), ("name", ctypes.c_char * 256)]


def test_cookies_outlive_changes(top):
    """telldir() and seekdir(): also where the entries move out of the inode meanwhile, and long names take the slots."""
    libc.opendir.restype = libc.readdir.argtypes = None
    libc.opendir.restype, libc.readdir.restype = ctypes.c_void_p, ctypes.POINTER(Dirent)
    libc.readdir.argtypes = libc.closedir.argtypes = libc.telldir.argtypes = [ctypes.c_void_p]
    libc.telldir.restype, libc.seekdir.argtypes = ctypes.c_long, [ctypes.c_void_p, ctypes.c_long]
    for i in range(40):
        write(top / ("stays-%d" % i))
        write(top / ("goes-%d" % i))
    stream = libc.opendir(os.fsencode(top))
    order, places = [], {}
    while True:
        entry = libc.readdir(stream)
        if not entry:
            break
        order.append(entry.contents.name.decode())
        places[order[-1]] = libc.telldir(stream)
    assert len(order) == 82
    for i in range(40):
        os.unlink(top / ("goes-%d" % i))
    for i in range(300):
        write(top / ("%03d" % i + "n" * (i % 250)))
    stay = [name for name in order if not name.startswith("goes")]
    for name, after in zip(stay, stay[1:]):
        libc.seekdir(stream, places[name])
        found = []
        while not found or not (found[-1] in order):
            entry = libc.readdir(stream)
            assert entry, (name, after)
            found.append(entry.contents.name.decode())
        assert found[-1] == after
    libc.closedir(stream)
    assert len(os.listdir(top)) == 340


def read_all(top):
    """Read file, link and directory past the kernel's cache, and return their access times."""
    fd = os.open(top / "file", os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    assert os.read(fd, 10) == b"contents"
    os.close(fd)
    assert os.readlink(top / "link") == "file" and os.listdir(top / "folder") == ["inner"]
    return [os.lstat(top / name).st_atime_ns for name in ("file", "link", "folder")]


OLD_NS, LATER_NS = 10**18, 10**18 + 10**9


@pytest.mark.parametrize("options, changes", [("rw", "none"), ("noatime", "none"), ("strictatime", "all"), ("relatime", "all"),
                                              ("strictatime,nodiratime,lazytime", "files"), ("ro,strictatime", "none")])
def test_access_times(mount, volume, peer_check, options, changes):
    image = volume("128M")
    mounted = mount(image)
    top = mounted.point
    (top / "file").write_bytes(b"contents")
    os.symlink("file", top / "link")
    (top / "folder" / "inner").mkdir(parents=True)
    for name in ("file", "link", "folder"):
        os.utime(top / name, ns=(OLD_NS, LATER_NS), follow_symlinks=False)
    ctimes = [os.lstat(top / name).st_ctime_ns for name in ("file", "link", "folder")]
    assert mounted.unmount() == ""
    mounted = mount(image, options)
    times = read_all(mounted.point)
    set_now = [time > LATER_NS for time in times]
    assert set_now == {"none": [False] * 3, "all": [True] * 3, "files": [True, True, False]}[changes]
    assert mounted.unmount() == ""
    peer_check(image)
    mounted = mount(image, "ro")
    for name, atime, ctime in zip(("file", "link", "folder"), times, ctimes):
        st = os.lstat(mounted.point / name)
        assert (st.st_atime_ns, st.st_mtime_ns, st.st_ctime_ns) == (atime, LATER_NS, ctime)
    assert mounted.unmount() == ""
    if options == "relatime":           # the times are later than all changes, and not a day old
        mounted = mount(image, options)
        assert read_all(mounted.point) == times


def test_times_of_one_request_are_the_same(top):
    """Those of a new inode, and those set to the present: xfstests generic/423 asks for the order."""
    for turn in range(20):
        names = [top / ("%s-%d" % (kind, turn)) for kind in ("file", "folder", "link")]
        names[0].touch()
        os.mkdir(names[1])
        os.symlink("x", names[2])
        for name in names:
            st = os.lstat(name)
            assert st.st_mtime_ns == st.st_ctime_ns == st.st_atime_ns, name
            os.utime(name, follow_symlinks=False)
            st = os.lstat(name)
            assert st.st_mtime_ns == st.st_ctime_ns == st.st_atime_ns, name


def handle_of(path):
    """The handle of a file, as bytes."""
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
    assert libc.name_to_handle_at(-100, os.fsencode(path), handle, ctypes.byref(ctypes.c_int()), 0) == 0
    return handle.raw


def open_handle(top, handle):
    """The file of a handle; an errno where there is none."""
    fd = os.open(top, os.O_RDONLY)
    file = libc.open_by_handle_at(fd, ctypes.create_string_buffer(handle, len(handle)), os.O_RDONLY)
    code = ctypes.get_errno()
    os.close(fd)
    return (file, 0) if file >= 0 else (None, code)


@pytest.mark.skipif(os.geteuid() != 0, reason="open_by_handle_at(2) asks for the superuser")
def test_handles_of_files(mount, volume, peer_check):
    """They are valid after the kernel has forgotten the inode, even in the next mount, but not for the next file of that number."""
    image = volume("128M")
    mounted = mount(image)
    (mounted.point / "deep" / "er").mkdir(parents=True)
    (mounted.point / "deep" / "er" / "file").write_bytes(b"contents")
    (mounted.point / "gone").write_bytes(b"gone")
    handles = {name: handle_of(mounted.point / name) for name in ("deep/er/file", "deep/er", "gone", ".")}
    number = os.stat(mounted.point / "gone").st_ino
    (mounted.point / "gone").unlink()
    assert mounted.unmount() == ""
    mounted = mount(image)
    file, _ = open_handle(mounted.point, handles["deep/er/file"])
    assert os.read(file, 99) == b"contents"
    os.close(file)
    for name, names in (("deep/er", ["file"]), (".", ["deep"])):
        file, _ = open_handle(mounted.point, handles[name])
        assert os.listdir(file) == names and os.readlink("/proc/self/fd/%d" % file) == os.path.normpath(mounted.point / name)
        os.close(file)
    assert open_handle(mounted.point, handles["gone"]) == (None, errno.ESTALE)
    for i in range(2000):               # until a file gets the number again
        (mounted.point / ("new-%d" % i)).touch()
        if os.stat(mounted.point / ("new-%d" % i)).st_ino == number:
            break
    assert open_handle(mounted.point, handles["gone"]) == (None, errno.ESTALE)
    assert mounted.unmount() == ""
    peer_check(image)


def birth_of(path):
    """The time of birth in seconds; None where statx(2) has none."""
    shown = subprocess.run(["stat", "-c", "%W", path], stdout=subprocess.PIPE, check=True).stdout
    return int(shown) or None


def test_times_of_birth(mount, volume):
    """Where this libfuse passes them on. Entries without one, and of volumes without the feature, answer, too."""
    before = int(time.time())
    mounted = mount(volume("128M", "-O", "extra_attr,inode_crtime"))
    (mounted.point / "file").touch()
    os.utime(mounted.point / "file", (1, 1))
    born = birth_of(mounted.point / "file")
    assert birth_of(mounted.point / ".f2fs" / "status") is None
    assert mounted.unmount() == ""
    mounted = mount(volume("128M"))
    assert birth_of(mounted.point) is None
    assert mounted.unmount() == ""
    if born is None:
        pytest.skip("this libfuse passes no time of birth on")
    assert before <= born <= int(time.time())
