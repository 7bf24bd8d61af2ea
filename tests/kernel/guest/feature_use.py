# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel fills volumes, reads them after their features changed, and uses the new ones: feature_use.py JOB.json

A job is a list of {"disk", "task", "features", "list"}. Task fill: make files of all kinds, list them, and use the features. Task use: the files
are those of the list, and the features work. Task look: the same, with the volume read-only.
"""
import fcntl
import hashlib
import json
import os
import stat
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import kernelapi as k  # noqa: E402

MNT = os.environ["MNT"]
COMPRESSED, FOLDED = 0x4, 0x40000000
OURS = {"used", "now", "lost+found"}
TIME = 1_700_000_000 * 10**9


def pattern(seed, size):
    return b"".join(hashlib.sha256(b"%d %d" % (seed, i)).digest() for i in range(-(-size // 32)))[:size]


def put(name, data, mode=0o644):
    path = os.path.join(MNT, name)
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
    return path


def fill():
    for i, size in enumerate((0, 1, 3000, 3487, 3600, 4096, 70_000, 3_700_000, 4_600_000)):  # inline, blocks, above nodes
        os.utime(put("file%d" % i, pattern(i, size), 0o600 + i), ns=(TIME + i, TIME - i))
    os.truncate(put("sparse", b"head"), 48 << 20)
    with open(os.path.join(MNT, "sparse"), "r+b") as file:
        file.seek(30 << 20)
        file.write(b"middle")
    with open(put("reserved", b"start"), "r+b") as file:
        k.fallocate(file.fileno(), 1, 0, 1 << 20)
    os.makedirs(os.path.join(MNT, "deep/er/and/deeper"))
    put("deep/er/and/deeper/file", b"deep")
    os.mkdir(os.path.join(MNT, "many"))
    for i in range(700):
        os.close(os.open(os.path.join(MNT, "many", "%d-%s" % (i, "n" * (i % 200))), os.O_CREAT | os.O_WRONLY, 0o640))
    for i in range(0, 700, 7):
        os.unlink(os.path.join(MNT, "many", "%d-%s" % (i, "n" * (i % 200))))
    for size in (10, 3400, 3600, 4000):
        os.symlink("t" * size, os.path.join(MNT, "link%d" % size))
    os.link(os.path.join(MNT, "file2"), os.path.join(MNT, "deep/second"))
    os.mkfifo(os.path.join(MNT, "pipe"))
    os.mknod(os.path.join(MNT, "device"), 0o600 | stat.S_IFCHR, os.makedev(5, 7))
    os.mknod(os.path.join(MNT, "socket"), 0o600 | stat.S_IFSOCK)
    for size in (5, 150, 2000):
        os.setxattr(put("attr%d" % size, b"x" * size), "user.large", b"v" * size)
        os.chown(os.path.join(MNT, "attr%d" % size), 1000 + size, 2000)


def entry(path):
    st = os.lstat(path)
    what = ""
    if stat.S_ISREG(st.st_mode):
        with open(path, "rb") as file:
            what = hashlib.file_digest(file, "sha256").hexdigest()
    elif stat.S_ISLNK(st.st_mode):
        what = os.readlink(path)
    if stat.S_ISDIR(st.st_mode):
        return "%o %d %d" % (st.st_mode, st.st_uid, st.st_gid)
    attributes = {name: os.getxattr(path, name, follow_symlinks=False).hex()[:40] for name in os.listxattr(path, follow_symlinks=False)
                  if name.startswith("user.")}
    return "%o %d %d %d %d %d %d %s %s" % (st.st_mode, st.st_nlink, st.st_uid, st.st_gid, st.st_size, st.st_rdev, st.st_mtime_ns, attributes, what)


def listing():
    found = {}
    for top, folders, files in os.walk(MNT):
        if top == MNT:
            folders[:] = [name for name in folders if name not in OURS]
        for name in folders + files:
            path = os.path.join(top, name)
            found[os.path.relpath(path, MNT)] = entry(path)
    return found


def use_compression(folder):
    path = os.path.join(folder, "packed")
    os.mkdir(path)
    k.set_flags(path, COMPRESSED)
    with open(os.path.join(path, "text"), "wb") as file:
        file.write(b"text\n" * 60_000)
        file.flush()
        os.fsync(file.fileno())
        assert saved_blocks(file.fileno()) > 0


def saved_blocks(fd):
    """Blocks that compression saves."""
    buffer = bytearray(8)
    fcntl.ioctl(fd, 0x8008F511, buffer, True)
    return int.from_bytes(buffer, sys.byteorder)


def use_casefold(folder):
    path = os.path.join(folder, "Folded")
    os.mkdir(path)
    k.set_flags(path, FOLDED)
    os.mkdir(os.path.join(path, "Straße"))
    assert os.path.isdir(os.path.join(path, "STRASSE"))


def use_encrypt(folder):
    path = os.path.join(folder, "secret")
    os.mkdir(path)
    k.set_policy(path, 2, k.XTS, k.CTS, identifier=k.add_key(MNT, 2))
    with open(os.path.join(path, "file"), "wb") as file:
        file.write(b"secret" * 2000)


def use_verity(folder):
    path = os.path.join(folder, "sealed")
    with open(path, "wb") as file:
        file.write(b"sealed" * 3000)
    k.enable_verity(path)


def use_project(folder):
    path = os.path.join(folder, "project")
    os.mkdir(path)
    k.set_project(path, 4711, True)
    with open(os.path.join(path, "file"), "wb") as file:
        file.write(bytes(50_000))


def use_crtime(folder):
    path = os.path.join(folder, "born")
    os.mkdir(path)
    born = k.statx(path)[0]
    assert born and born > 10**18


def use_attributes(folder):
    path = os.path.join(folder, "attributes")
    os.mkdir(path)
    os.setxattr(path, "user.a", b"a" * 600)


USES = {"compression": use_compression, "casefold": use_casefold, "encrypt": use_encrypt, "verity": use_verity, "project_quota": use_project,
        "inode_crtime": use_crtime, "flexible_inline_xattr": use_attributes}


def use(name, features):
    folder = os.path.join(MNT, name)
    os.mkdir(folder)
    for feature in features:
        USES.get(feature, lambda _: None)(folder)
    with open(os.path.join(folder, "usual"), "wb") as file:
        file.write(b"usual" * 20_000)
    os.chown(os.path.join(folder, "usual"), 77, 78)
    for i in range(60):
        os.mkdir(os.path.join(folder, "dir%d" % i))


def do(disk, task, features, place):
    k.mount(disk, MNT, "ro" if task == "look" else "")
    try:
        if task == "fill":
            fill()
            k.syncfs(MNT)
            with open(place, "w") as file:
                json.dump(listing(), file)
            use("used", features)
            return
        with open(place) as file:
            wanted = json.load(file)
        found = listing()
        assert found == wanted, {name: (wanted.get(name), found.get(name)) for name in {*wanted, *found} if wanted.get(name) != found.get(name)}
        if task == "use":
            use("now", features)
            k.syncfs(MNT)
            assert listing() == wanted
    finally:
        k.umount(MNT)


with open(sys.argv[1]) as job_file:
    for row in json.load(job_file):
        k.say(row["about"])
        try:
            do(row["disk"], row["task"], row["features"], row["list"])
        except Exception as e:
            print("%s: %r" % (row["about"], e))
