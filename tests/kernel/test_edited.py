# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that were edited file by file, got another label and UUID, are accepted by the kernel, which continues to work on
them."""
import errno
import json
import os
import re
import uuid

import pytest

import uml

SETS = {
    "plain": "",
    "features": "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr,sb_checksum",
    "quota": "extra_attr,inode_checksum,quota,project_quota,lost_found",
}
NEW = uuid.UUID("01234567-89ab-4def-8123-456789abcdef")
JOB = r"""
set -e
mount ${2:+-o usrquota,grpquota,prjquota} /dev/ubda $MNT
stat -c '%n %a %u %g %Y %X %h %F' $MNT/attributes $MNT/second
diff -r --no-dereference --exclude=lost+found "$1" $MNT
[ -z "$2" ] || python3 -c "$3" "$2" $MNT
for i in $(seq 50); do echo $i > $MNT/dir/more-$i; done
rm $MNT/dir/file-1*
mv $MNT/dir/file-2 $MNT/dir/deep/moved
echo kernel >> $MNT/attributes
umount $MNT
"""


# Prints the quotas, and what becomes of a user that goes beyond the limit.
QUOTAS = r"""
import errno, json, os, sys
sys.path.insert(0, sys.argv[1])
import kernelapi
print("quotas", json.dumps([kernelapi.quotas("/dev/ubda", kind) for kind in range(3)]), flush=True)
print("grace", kernelapi.quota_grace("/dev/ubda", kernelapi.USER), flush=True)
name = sys.argv[2] + "/attributes"
with open(name, "r+b") as file:
    os.setuid(5)
    try:
        for at in range(1, 1000):
            os.pwrite(file.fileno(), bytes(65536), at * 65536)
    except OSError as error:
        print("stopped at", at * 64, errno.errorcode[error.errno], flush=True)
    os.truncate(file.fileno(), 11)
"""


def limit(run_tool, f2fskit, image):
    """Limits, by the program and by the module."""
    run_tool("f2fs", "-w", image, "setquota", "5", "512", "1M", "10", "20", "--", "setquota", "-g", "70000", "-", "3G", "7", "-")
    with f2fskit.open(image, "r+") as volume:
        volume.set_quota("project", 4711, space_hard_kib=99, inodes_hard=98)
        volume.set_quota("user", 5, inodes_soft=15)
        volume.set_quota_grace("user", space_seconds=3600)
        assert volume.quota_grace("user") == (3600, 604800)
        assert [q[2:4] for q in volume.quotas("user") if q.id == 5] == [(1024, 512)]
        with pytest.raises(f2fskit.RangeError):
            volume.set_quota("user", 2**32 - 1, inodes_soft=1)


def edit_by_hand(run_tool, image, host):
    """By the program: contents, names, attributes; the same on the host."""
    big = host.parent / "big"
    big.write_bytes(bytes(range(256)) * 9000)
    (host / "big").write_bytes(big.read_bytes()[:2_000_000] + b"tail")
    (host / "second").write_bytes(b"attributes\n")
    (host / "link").symlink_to("dir/file-3")
    run_tool("f2fs", "-w", "-c", "put %s /big; truncate /big 2000000; write /big - tail; mkdir -p /dir/deep /gone/x; rm -r /gone; "
             "touch /attributes; write /attributes 0 \"attributes\\n\"; chmod 6755 /attributes; ln /attributes /second; "
             "chown 5:6 /attributes; chmod u+s,go-w,g-s,o-rx /attributes; touch -t 1234567890 /attributes; mknod /pipe p; ln -s dir/file-3 /link" % big, image)
    (host / "attributes").write_bytes(b"attributes\n")


def edit_by_python(f2fskit, image, host):
    """By the module, with a new UUID in between."""
    with f2fskit.open(image, "r+") as volume:
        folder = volume.path("/dir")
        for i in range(300):
            (folder / f"file-{i}").write_bytes(b"%d" % i * i)
        for i in range(0, 300, 3):
            (folder / f"file-{i}").unlink()
        with (folder / "file-7").open("r+b") as file:
            file.seek(100_000)
            file.write(b"behind a hole")
        (folder / "file-8").rename(folder / "deep/eight")
        volume.commit()
        volume.set_uuid(NEW)
        volume.set_label("edited")
        volume.path("/late").write_text("late\n")
    (host / "dir/deep").mkdir(parents=True)
    for i in range(300):
        if i % 3:
            (host / f"dir/file-{i}").write_bytes(b"%d" % i * i)
    with open(host / "dir/file-7", "r+b") as file:
        file.seek(100_000)
        file.write(b"behind a hole")
    (host / "dir/file-8").rename(host / "dir/deep/eight")
    (host / "late").write_text("late\n")


@pytest.mark.parametrize("name", SETS)
def test_edited(kernel, run_tool, peer_check, f2fskit, tmp_path, name):
    host, image = tmp_path / "host", tmp_path / "disk.img"
    host.mkdir()
    run_tool("mkfs.f2fs", "-q", *(["-O", SETS[name]] if SETS[name] else []), image, "200M")
    edit_by_hand(run_tool, image, host)
    edit_by_python(f2fskit, image, host)
    peer_check(image)
    # diff would wait for the pipe
    run_tool("f2fs", "-w", image, "rm", "/pipe")
    more = []
    if name == "quota":
        limit(run_tool, f2fskit, image)
        peer_check(image)
        more = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest"), QUOTAS]
    shown = uml.run(JOB, images=[str(image)], args=[str(host), *more], kernel=kernel).check().stdout.decode()
    if name == "quota":
        users, groups, projects = json.loads(shown.split("quotas ")[1].splitlines()[0])
        assert users["5"][:2] == [1024, 512] and users["5"][3:5] == [20, 15]
        assert groups["70000"] == [3 << 20, 0, 0, 0, 7, 0, 0, 0]
        assert projects["4711"] == [99, 0, 0, 98, 0, 0, 0, 0]
        assert "EDQUOT" in shown and "grace (3600, 604800)\n" in shown
    for path in ("attributes", "second"):
        assert "%s 4750 5 6 1234567890 1234567890 2 regular file" % path in shown
    peer_check(image)
    with f2fskit.open(image, mode="strict") as volume:
        assert volume.uuid == NEW and volume.label == "edited"
        assert volume.read_bytes("/attributes") == b"attributes\nkernel\n"
        assert volume.read_bytes("/dir/deep/moved") == b"22" and not volume.path("/dir/file-10").exists()
        assert len(list(volume.path("/dir").glob("more-*"))) == 50
    with f2fskit.open(image, "r+") as volume:
        volume.path("/dir").rmtree()
        volume.populate(host / "dir", target="/again")
    peer_check(image)
    run = r"""set -e; mount /dev/ubda $MNT; diff -r --no-dereference "$1"/dir $MNT/again; umount $MNT"""
    uml.run(run, images=[str(image)], args=[str(host)], kernel=kernel).check()


GRACE = r"""
import errno, json, os, sys
sys.path.insert(0, sys.argv[1])
import kernelapi
os.chmod(sys.argv[2], 0o777)
for user in (7, 8):
    pid = os.fork()
    if pid == 0:
        os.setuid(user)
        fd, code = os.open("%s/new-%d" % (sys.argv[2], user), os.O_CREAT | os.O_WRONLY), 0
        try:
            for at in range(0, 131072, 4096):
                os.pwrite(fd, b"x" * 4096, at)
        except OSError as error:
            code = error.errno
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    print("user", user, code, kernelapi.quotas("/dev/ubda", kernelapi.USER)[user][6], flush=True)
"""


GRACE_JOB = r"""
set -e
mount -o usrquota /dev/ubda $MNT
python3 -c "$2" "$1" $MNT
umount $MNT
"""


def test_times_of_grace(kernel, run_tool, peer_check, tmp_path):
    """Linux refuses writes above a soft limit after the time that our change began, and allows them when our next change ended it."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,quota", image, "256M")
    for now, words in ((1000, "setgrace 100 100; setquota 7 64K 1M 0 0; setquota 8 64K 1M 0 0"),
                       (2000, "touch /old-7; fallocate /old-7 0 131072; chown 7 /old-7; touch /old-8; fallocate /old-8 0 131072; chown 8 /old-8"),
                       (3000, "truncate /old-8 4096")):
        run_tool("f2fs", "-w", "-c", words, image, env=dict(os.environ, SOURCE_DATE_EPOCH=str(now)))

    def times():
        return {row["id"]: row["space_grace"] for row in json.loads(run_tool("f2fs", "--json", image, "quota", "-u").stdout)}
    assert {user: times()[user] for user in (7, 8)} == {7: 2100, 8: 0}
    peer_check(image)
    guest = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest")
    shown = uml.run(GRACE_JOB, images=[str(image)], args=[guest, GRACE], kernel=kernel).check().stdout.decode()
    rows = re.findall(r"user (\d+) (\d+) (\d+)", shown)
    assert [row[:2] for row in rows] == [("7", str(errno.EDQUOT)), ("8", "0")] and rows[0][2] == "2100"
    assert int(rows[1][2]) > 3000 and times()[8] == int(rows[1][2])
