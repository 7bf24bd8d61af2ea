# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changes of a file whose pointers to nodes are wrong. The change fails or succeeds, but no other file loses anything, neither by the
change nor by the repair that follows it."""
import itertools

import pytest

BLOCK = 4096
MIB = 1 << 20
FAR = (0, 950, 1960, 3000, 1040000, 2080000)        # blocks below each pointer of an inode
POINTERS = ("i_nid[0]", "i_nid[1]", "i_nid[2]", "i_nid[3]", "i_nid[4]", "i_xattr_nid")


def fill(f2fskit, device):
    """Two files with nodes of every kind and an attribute too large for the inode, and a small one."""
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for number, name in enumerate(("victim", "other")):
            inode = volume.root.create(name)
            for block in FAR:
                inode.pwrite(bytes([number + 1]) * BLOCK + b"%d" % block, block * BLOCK)
            inode.xattrs["user.large"] = name.encode() * 200
        volume.path("/small").write_bytes(b"small" * 1000)
        volume.commit()


def look(f2fskit, device):
    """Pieces and attributes of all files but the victim."""
    found = {}
    with f2fskit.open(device) as volume:
        for name in ("other", "small"):
            inode = volume.lookup("/" + name)
            with inode.open() as file:
                for block in FAR if name == "other" else (0,):
                    file.seek(block * BLOCK)
                    found[name, block] = file.read(2 * BLOCK)
            found[name, "attributes"] = dict(inode.xattrs)
    return found


CHANGES = {
    "unlink": lambda volume, inode: volume.path("/victim").unlink(),
    "truncate": lambda volume, inode: inode.truncate(0),
    "cut": lambda volume, inode: inode.truncate(1500 * BLOCK),
    "write": lambda volume, inode: [inode.pwrite(b"new" * 3000, block * BLOCK) for block in FAR],
    "set": lambda volume, inode: inode.xattrs.__setitem__("user.large", b"new" * 300),
    "remove": lambda volume, inode: inode.xattrs.__delitem__("user.large"),
    "unlink-open": lambda volume, inode: (inode.open(), volume.path("/victim").unlink()),
}


@pytest.fixture(scope="module")
def base(f2fskit):
    device = f2fskit.Device.memory(64 * MIB)
    fill(f2fskit, device)
    return device, look(f2fskit, device)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("pointer", POINTERS)
def test_others_stay(f2fskit, base, pointer, change):
    device, wanted = base
    with f2fskit.open(device) as volume:
        inos = [volume.lookup("/" + name).stat().st_ino for name in ("victim", "other", "small")]
    with f2fskit.fields(device) as fields:
        targets = [inos[1], inos[2], *(int(fields["inode[%d].%s" % (inos[1], other)]) for other in POINTERS)]
        targets += [int(fields["inode[%d].%s" % (inos[0], other)]) for other in POINTERS if other != pointer]
    tried = 0
    for target, fields_of in itertools.product(targets, ("inode[%d]" % inos[0],)):
        damaged = device.overlay()
        with f2fskit.fields(damaged, "r+") as fields:
            fields["%s.%s" % (fields_of, pointer)] = str(target)
        try:
            with f2fskit.open(damaged, "r+") as volume:
                CHANGES[change](volume, volume.lookup("/victim"))
                volume.commit()
        except (f2fskit.Error, OSError):
            tried += 1
        assert look(f2fskit, damaged) == wanted, (pointer, target)
        f2fskit.check(damaged, repair=True)
        assert look(f2fskit, damaged) == wanted, (pointer, target)
        damaged.close()
    assert tried > 0 or change in ("cut", "write", "set", "remove", "truncate")
