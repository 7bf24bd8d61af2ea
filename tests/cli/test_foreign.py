# SPDX-License-Identifier: LGPL-2.1-or-later
"""No program, library call or Python call writes to a device of another system, unless an option says so.

Each row of OTHERS makes another system over a volume, by its own program or by its header. Each row of WRITERS is a program
that writes. The other way round, a sound volume whose files hold every magic at every place is never refused.
"""
import contextlib
import shutil
import struct
import subprocess
import zlib

import pytest

MIB = 1 << 20
SIZE = 64 * MIB


def program(*words):
    def make(path):
        subprocess.run([*words, str(path)], check=True, capture_output=True,
                       env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"})
    return make


def put(*pieces):
    def make(path):
        with open(path, "r+b") as f:
            for at, data in pieces:
                f.seek(at if at >= 0 else SIZE + at)
                f.write(data)
    return make


def partition(kind, start, count):
    return struct.pack("<B3sB3sII", 0, b"\0\2\0", kind, b"\0\2\0", start, count)


MBR = b"\0" * 446 + partition(0x83, 2048, 100000) + b"\0" * 48 + b"\x55\xaa"
BOOT_CODE = bytes(range(1, 200)).ljust(446, b"\x90") + b"\0" * 64 + b"\x55\xaa"
# head of /sbin/mkfs.fat's boot sector: jump, name, 512 bytes, 4 sectors, 4 reserved, 2 copies
FAT_HEAD = (b"\xeb\x3c\x90mkfs.fat\0\2\4\4\0\2\0\2\0\0\xf8\x80\0\x20\0\x40".ljust(54, b"\0") + b"FAT16   ").ljust(510, b"\0") + b"\x55\xaa"


def gpt_head():
    head = struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, 0, 0, 1, SIZE // 512 - 1, 34, SIZE // 512 - 34, b"u" * 16,
                       2, 128, 128, zlib.crc32(b"\0" * 128 * 128))
    return head[:16] + struct.pack("<I", zlib.crc32(head)) + head[20:]


def md_head(at):
    """A superblock of version 1.x, with its sum."""
    sb = bytearray(256)
    struct.pack_into("<IIII16s32sQIIQIIQ", sb, 0, 0xA92B4EFC, 1, 0, 0, b"s" * 16, b"name", 0, 1, 0, 1000, 0, 1, 0)
    struct.pack_into("<QQQ", sb, 128, 2048, 1000, at // 512)
    total = sum(struct.unpack("<64I", sb))
    struct.pack_into("<I", sb, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    return bytes(sb)


# name: (the maker, part of the message, size of the volume in MiB)
OTHERS = {
    "ext4": (program("mkfs.ext4", "-q", "-F", "-E", "nodiscard"), "ext4", 64),
    "ext2": (program("mkfs.ext2", "-q", "-F", "-E", "nodiscard", "-b", "1024"), "ext2", 64),
    "swap": (program("mkswap"), "swap", 64),
    "swap of 64K pages": (program("mkswap", "-p", "65536"), "swap", 64),
    "minix": (program("mkfs.minix"), "minix", 64),
    "mbr": (put((0, MBR)), "dos", 64),
    "gpt": (put((446, partition(0xEE, 1, 0xFFFFFFFF) + b"\0" * 48 + b"\x55\xaa"), (512, gpt_head())), "gpt", 64),
    "luks1": (put((0, b"LUKS\xba\xbe\0\1aes".ljust(592, b"\0")), (4096, b"k" * 8192)), "crypto_LUKS", 64),
    "luks2": (put((0, b"LUKS\xba\xbe\0\2\0\0\0\0\0\0\x40\0".ljust(4096, b"\0")), (4096, b"{}".ljust(12288, b"\0"))), "crypto_LUKS", 64),
    "lvm": (put((512, b"LABELONE\1\0\0\0\0\0\0\0" + b"\0" * 4 + b"\x20\0\0\0LVM2 001".ljust(500, b"\0"))), "LVM2_member", 64),
    "md 1.2": (put((4096, md_head(4096))), "linux_raid_member", 64),
    "md 1.0 after the volume": (put((-8192, md_head(SIZE - 8192))), "linux_raid_member", 60),
    "avb": (put((-64, b"AVBf\0\0\0\1".ljust(64, b"\0"))), "avb_footer", 60),
    "android verity": (put((60 * MIB, b"\x01\xb0\x01\xb0\0\0\0\0")), "android_verity", 60),
    "dm-verity after the volume": (put((60 * MIB, b"verity\0\0\1\0\0\0\1\0\0\0")), "dm_verity", 60),
    "dynamic partitions": (put((4096, b"gDla\x34\0\0\0".ljust(1024, b"\0")), (8192, b"gDla\x34\0\0\0")), "android_super", 64),
    "btrfs": (put((0, b"\0" * 8192), (65600, b"_BHRfS_M")), "btrfs", 64),
}

WRITERS = {
    "fsck -y": ("fsck.f2fs", "-y"), "fsck -f": ("fsck.f2fs", "-f"), "fsck -a": ("fsck.f2fs", "-a"), "fsck -p": ("fsck.f2fs", "-p2"),
    "fsck": ("fsck.f2fs",), "defrag": ("defrag.f2fs",), "resize": ("resize.f2fs", "{}", "56M"), "label": ("f2fslabel", "{}", "new"),
    "tune": ("tune.f2fs", "-O", "verity"),
    "f2fs mkdir": ("f2fs", "-w", "{}", "mkdir", "/d"), "f2fs set": ("f2fs", "-w", "{}", "set", "inode[3].i_links", "9"),
    "f2fs uuid": ("f2fs", "-w", "{}", "uuid", "random"), "f2fs gc": ("f2fs", "-w", "{}", "gc"),
    "inject": ("inject.f2fs", "--sb", "0", "--mb", "log_blocksize", "--val", "3"), "sload": ("sload.f2fs", "-f", "{tree}"),
    "mkfs": ("mkfs.f2fs",),
}


@pytest.fixture(scope="module")
def volumes(run_tool, tmp_path_factory):
    """{MiB: image}: volumes with a file, in a file of 64 MiB."""
    top = tmp_path_factory.mktemp("foreign")
    (top / "tree").mkdir()
    (top / "tree" / "file").write_bytes(b"contents" * 9999)
    made = {}
    for mib in (60, 64):
        made[mib] = top / f"{mib}.img"
        run_tool("mkfs.f2fs", "-q", "--root-dir", top / "tree", made[mib], f"{mib}M")
        with open(made[mib], "r+b") as f:
            f.truncate(SIZE)
    return made


# These may find nothing to do.
IDLE = ("fsck -a", "fsck -p", "f2fs gc")


def write_by_path(f2fskit, image):
    with f2fskit.open(image, "r+") as volume:
        volume.path("/d").mkdir()


def write_field(f2fskit, image):
    with f2fskit.fields(image, "r+") as fields:
        fields["inode[3].i_links"] = 9


def command(words, image, tree):
    words = [str(image) if word == "{}" else str(tree) if word == "{tree}" else word for word in words]
    return words if str(image) in words else [*words, image]


@pytest.mark.parametrize("other", OTHERS)
def test_nothing_is_written(run_tool, f2fskit, volumes, tmp_path, other):
    make, name, mib = OTHERS[other]
    image = tmp_path / "disk.img"
    shutil.copy(volumes[mib], image)
    make(image)
    before = image.read_bytes()
    for writer, words in WRITERS.items():
        if writer in IDLE:
            run_tool(*command(words, image, volumes[64].parent / "tree"), rc=None)
            assert image.read_bytes() == before, writer
            continue
        done = run_tool(*command(words, image, volumes[64].parent / "tree"), rc=None)
        assert done.returncode != 0, (writer, done)
        # without any superblock only fsck searches for the volume; mkfs names the first signature that it finds
        said = (name.encode(), b"not an F2FS", b"neither superblock", *([b"(f2fs"] if writer == "mkfs" else []))
        assert any(part in done.stdout + done.stderr for part in said), (writer, done)
        assert image.read_bytes() == before, writer
    for change in (write_by_path, write_field, lambda module, path: module.resize(path, 56 * MIB)):
        with pytest.raises(f2fskit.Error):
            change(f2fskit, image)
    with contextlib.suppress(f2fskit.NotF2fsError):
        f2fskit.check(image, repair=True)
    assert image.read_bytes() == before
    with f2fskit.Device.open(image) as device:
        assert device.signature() is not None


def test_the_word_that_overrides(run_tool, f2fskit, volumes, tmp_path):
    image = tmp_path / "disk.img"
    shutil.copy(volumes[64], image)
    program("mkswap")(image)
    with pytest.raises(f2fskit.ForeignError, match="swap.*byte 4086"):
        write_by_path(f2fskit, image)
    assert [p.name for p in f2fskit.check(image).problems][:1] == ["FOREIGN"]
    done = run_tool("fsck.f2fs", "-n", image, rc=4)
    assert b"swap" in done.stdout and b"--accept-foreign" in done.stdout
    run_tool("fsck.f2fs", "-y", "--accept-foreign", image, rc=1)
    run_tool("fsck.f2fs", "-n", image)
    assert run_tool("f2fs", image, "cat", "/file").stdout == b"contents" * 9999


def test_ext4_stays_whole(run_tool, volumes, tmp_path):
    image = tmp_path / "disk.img"
    shutil.copy(volumes[64], image)
    OTHERS["ext4"][0](image)
    for option in ("-y", "-f", "-a"):
        run_tool("fsck.f2fs", option, image, rc=None)
        assert subprocess.run(["e2fsck", "-fn", str(image)], capture_output=True,
                              env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}).returncode == 0


@pytest.mark.parametrize("sector", [BOOT_CODE, FAT_HEAD, b"\xeb\x52\x90NTFS    ".ljust(510, b"\0") + b"\x55\xaa"],
                         ids=["code", "fat", "ntfs"])
def test_a_boot_sector_is_no_system(run_tool, volumes, tmp_path, sector):
    image = tmp_path / "disk.img"
    shutil.copy(volumes[64], image)
    put((0, sector))(image)
    run_tool("f2fs", "-w", image, "mkdir", "/d")
    run_tool("fsck.f2fs", "-n", image)
    assert image.read_bytes()[:512] == sector


def test_contents_of_files_are_no_system(run_tool, f2fskit, volumes, tmp_path):
    """Every magic at every offset that the table has, in blocks of a file, whose addresses may be anywhere."""
    block = bytearray(4096)
    for at, magic in ((0, b"LUKS\xba\xbe\0\1"), (512, b"LABELONE"), (1080, b"\x53\xef"), (3000, b"_BHRfS_M"), (4086, b"SWAPSPACE2"),
                      (64, b"_BHRfS_M"), (4032, b"AVBf\0\0\0\1"), (1, b"CD001")):
        block[at:at + len(magic)] = magic
    block[256:512] = md_head(4096)
    image = tmp_path / "disk.img"
    shutil.copy(volumes[64], image)
    free = f2fskit.open(image).statfs()
    (tmp_path / "full").write_bytes(bytes(block) * (free.f_bavail - 100))
    run_tool("f2fs", "-w", image, "put", tmp_path / "full", "/full")
    run_tool("f2fs", "-w", image, "mkdir", "/d")
    with f2fskit.Device.open(image) as device:
        assert device.signature().type == "f2fs"
    for place in (1024, 5120):  # one superblock is damaged: the other still says what belongs to the volume
        damaged = tmp_path / "damaged.img"
        shutil.copy(image, damaged)
        put((place, b"\0" * 512))(damaged)
        run_tool("fsck.f2fs", "-y", damaged, rc=1)
        run_tool("fsck.f2fs", "-n", damaged)


def test_a_partition_of_a_disk(run_tool, volumes, tmp_path):
    """A partition table before the volume is none of its bytes."""
    image = tmp_path / "disk.img"
    image.write_bytes(MBR + b"\0" * (MIB - 512) + volumes[64].read_bytes())
    run_tool("f2fs", "-w", "--offset=1M", image, "mkdir", "/d")
    run_tool("fsck.f2fs", "-n", "--offset=1M", image)


@pytest.mark.parametrize("name", ["ext4", "swap", "mbr", "luks2", "btrfs"])
def test_a_reader_names_the_other_system(run_tool, tmp_path, name):
    make, what, _ = OTHERS[name]
    image = tmp_path / "disk.img"
    image.write_bytes(bytes(SIZE))
    make(image)
    for words in ["dump.f2fs", "--info"], ["fsck.f2fs", "-n"]:
        refused = run_tool(*words, image, rc=8).stderr.decode()
        assert "not an F2FS volume" in refused and "; the device has " in refused and what in refused, refused
