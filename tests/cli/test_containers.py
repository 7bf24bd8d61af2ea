# SPDX-License-Identifier: LGPL-2.1-or-later
"""Images in other forms: parts are joined, containers are read, and everything else is named with the command that makes a plain image of it."""
import ctypes
import hashlib
import json
import os
import shlex
import shutil
import struct
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common"))
import disks  # noqa: E402

MIB = 1 << 20
SPARSE_BLOCK = 4096


@pytest.fixture(scope="module")
def volume(run_tool, tmp_path_factory):
    path = tmp_path_factory.mktemp("volume") / "plain.img"
    run_tool("mkfs.f2fs", "-q", "-l", "contents", path, "48M")
    run_tool("f2fs", "-w", path, "mkdir", "/kept")
    return path.read_bytes()


def listing(run, path, check=True):
    return run("f2fs", path, "ls", "/", check=check)


# ---- parts of raw images ----

def split(folder, volume, names, size):
    paths = [folder / f"image.{name}" for name in names]
    for i, path in enumerate(paths):
        path.write_bytes(volume[i * size:(i + 1) * size])
    return paths


NAMES = {"from 001": ["001", "002", "003"], "from 000": ["000", "001", "002"], "letters": ["aa", "ab", "ac"]}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_parts_are_joined(run, tmp_path, volume, names):
    paths = split(tmp_path, volume, names, 20 * MIB)
    assert "kept" in listing(run, paths[0]).stdout
    plain = tmp_path / "plain.img"
    run("dump.f2fs", "--restore-image", plain, paths[0])
    assert plain.read_bytes() == volume


def test_many_parts(run, tmp_path, volume):
    names = [f"{n:03}" for n in range(1, 13)] + ["aa"]  # the last one is none of them
    paths = split(tmp_path, volume, names, 4 * MIB)
    assert "kept" in listing(run, paths[0]).stdout


def test_parts_are_not_written(run, tmp_path, volume):
    paths = split(tmp_path, volume, NAMES["from 001"], 20 * MIB)
    before = [path.read_bytes() for path in paths]
    found = run("f2fs", "-w", paths[0], "mkdir", "/d", check=False)
    assert "is the first of 3 parts, which can only be read: join them with cat" in found.stderr
    assert "nothing is changed" in run("fsck.f2fs", "-y", paths[0], check=False).stderr
    assert [path.read_bytes() for path in paths] == before


def test_missing_and_incomplete_parts(run, tmp_path, volume):
    paths = split(tmp_path, volume, NAMES["from 001"], 20 * MIB)
    paths[1].rename(tmp_path / "away")
    assert "image.002 is missing, and " in listing(run, paths[0], check=False).stderr
    paths[1].write_bytes(b"short")
    assert "image.002 has 5 bytes, and the first one has 20971520: it is incomplete" in listing(run, paths[0], check=False).stderr


def test_whole_volume_is_no_part(run, tmp_path, volume):
    """Two volumes whose names look like parts stay two volumes, which can be written."""
    paths = split(tmp_path, volume + volume, ["001", "002"], len(volume))
    run("f2fs", "-w", paths[0], "mkdir", "/made")
    assert "made" in listing(run, paths[0]).stdout and "made" not in listing(run, paths[1]).stdout


# ---- parts of sparse images ----

def sparse(path, data, first, end):
    """A sparse file of all of data that has only the blocks from first to end."""
    total = len(data) // SPARSE_BLOCK
    chunks = []
    if first:
        chunks.append(struct.pack("<HHII", 0xCAC3, 0, first, 12))
    chunks.append(struct.pack("<HHII", 0xCAC1, 0, end - first, 12 + (end - first) * SPARSE_BLOCK) + data[first * SPARSE_BLOCK:end * SPARSE_BLOCK])
    if end < total:
        chunks.append(struct.pack("<HHII", 0xCAC3, 0, total - end, 12))
    path.write_bytes(struct.pack("<IHHHHIIII", 0xED26FF3A, 1, 0, 28, 12, SPARSE_BLOCK, total, len(chunks), 0) + b"".join(chunks))


RANGES = [(0, 3000), (3000, 3001), (3500, 12288)]


def sparse_parts(folder, volume, pattern, ranges=RANGES, start=1):
    paths = [folder / (pattern % (start + i)) for i in range(len(ranges))]
    for path, (first, end) in zip(paths, ranges):
        sparse(path, volume, first, end)
    return paths


@pytest.mark.parametrize("pattern,start", [("userdata_%d.img", 1), ("super.img_sparsechunk.%d", 0), ("system%02d.img", 1)])
def test_sparse_parts_are_joined(run, tmp_path, volume, pattern, start):
    paths = sparse_parts(tmp_path, volume, pattern, start=start)
    plain = tmp_path / "plain.img"
    run("dump.f2fs", "--restore-image", plain, paths[0])
    wanted = bytearray(volume)
    wanted[3001 * SPARSE_BLOCK:3500 * SPARSE_BLOCK] = bytes(499 * SPARSE_BLOCK)
    assert plain.read_bytes() == wanted


def test_sparse_parts_are_not_written(run, tmp_path, volume):
    paths = sparse_parts(tmp_path, volume, "userdata_%d.img")
    before = [path.read_bytes() for path in paths]
    assert "is the first of 3 sparse files" in run("f2fs", "-w", paths[0], "mkdir", "/d", check=False).stderr
    assert [path.read_bytes() for path in paths] == before


def test_sparse_gap_and_overlap(run, tmp_path, volume):
    paths = sparse_parts(tmp_path, volume, "userdata_%d.img")
    sparse(paths[2], volume, 2000, 4000)
    assert "userdata_3.img has data where a part before it has some" in listing(run, paths[0], check=False).stderr
    paths[1].unlink()
    assert "userdata_2.img is missing" in listing(run, paths[0], check=False).stderr


def test_whole_sparse_images_are_no_parts(run, tmp_path, volume):
    paths = sparse_parts(tmp_path, volume, "phone%d.img", [(0, 12288), (0, 12288)])
    run("f2fs", "-w", paths[0], "mkdir", "/made")
    assert "made" in listing(run, paths[0]).stdout and "made" not in listing(run, paths[1]).stdout


# ---- containers ----

PACKERS = {"xz": ["xz", "-0k"], "gzip": ["gzip", "-1k"], "bzip2": ["bzip2", "-1k"], "zstd": ["zstd", "-1qk"], "lz4": ["lz4", "-qm"]}


@pytest.mark.parametrize("packer,name", [(packer, "disk.img") for packer in PACKERS] + [("gzip", "my disk.img")])
def test_compressed(run, tmp_path, volume, packer, name):
    """The command that the message gives makes the image that can be opened."""
    if not shutil.which(packer):
        pytest.skip(f"{packer} is not installed")
    path = tmp_path / name
    path.write_bytes(volume)
    subprocess.run([*PACKERS[packer], path], check=True)
    path.unlink()
    packed = next(tmp_path.glob(f"{name}.*"))
    before = packed.read_bytes()
    found = run("fsck.f2fs", "-y", packed, check=False)
    assert found.returncode == 8 and packed.read_bytes() == before
    assert f"it is compressed by {packer}: make a plain image of it with \"" in found.stderr
    subprocess.run(shlex.split(found.stderr.split('with "')[1].split('"')[0]), check=True, capture_output=True)
    assert "kept" in listing(run, path).stdout


HEADS = {
    "a qcow2 image": b"QFI\xfb", "a VMDK image": b"KDMV", "the descriptor of a VMDK image": b"# Disk DescriptorFile\n", "a VHDX image": b"vhdxfile",
    "a VDI image": b"<<< Oracle VM VirtualBox Disk Image >>>\n".ljust(64, b"\0") + b"\x7f\x10\xda\xbe", "an EnCase image (E01)": b"EVF\x09\r\n\xff\0",
    "an EnCase image (Ex01)": b"EVF2\r\n\x81\0", "a ZIP archive": b"PK\3\4", "a 7z archive": b"7z\xbc\xaf\x27\x1c",
}


LIBRARIES = {"qcow2": "libqcow", "VMDK": "libvmdk", "VHDX": "libvhdi", "EnCase": "libewf"}


@pytest.fixture
def no_libraries(tmp_path, monkeypatch):
    """As on a host without them: the loader takes these empty files first, and fails."""
    folder = tmp_path / "no"
    folder.mkdir()
    for name in ("libewf.so.2", "libewf.so.3", "libqcow.so.1", "libvhdi.so.1", "libvmdk.so.1"):
        (folder / name).touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))


@pytest.mark.parametrize("what", HEADS)
def test_named(run, tmp_path, no_libraries, what):
    path = tmp_path / "disk"
    path.write_bytes(HEADS[what].ljust(65536, b"\1"))
    found = run("dump.f2fs", path, check=False)
    library = next((library for word, library in LIBRARIES.items() if word in what), None)
    lack = f", which cannot be read in place without {library}" if library else ""
    assert found.returncode == 8 and f"; it is {what}{lack}: make a plain image of it with " in found.stderr


def test_form_that_the_library_lacks(run, tmp_path):
    """The libewf of Debian does not know Ex01. One that does finds the rest of the file wrong."""
    path = tmp_path / "disk.Ex01"
    path.write_bytes(HEADS["an EnCase image (Ex01)"].ljust(65536, b"\1"))
    found = run("dump.f2fs", path, check=False)
    lacks = "that this version of libewf cannot read: make a plain image of it with ewfexport -f raw of a libewf that knows Ex01"
    assert found.returncode == 8
    assert f"is an EnCase image (Ex01) {lacks}" in found.stderr or "(Ex01), and libewf cannot open it" in found.stderr


def test_vhd_of_fixed_size(run, tmp_path, volume):
    """Its footer is at the end: the volume is where it belongs."""
    path = tmp_path / "disk.vhd"
    path.write_bytes(volume + b"conectix".ljust(512, b"\0"))
    assert "kept" in listing(run, path).stdout


@pytest.mark.parametrize("program", ["qemu-img"])
def test_converted(run, tmp_path, volume, no_libraries, program):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    plain, made = tmp_path / "plain.img", tmp_path / "disk.qcow2"
    plain.write_bytes(volume)
    subprocess.run(["qemu-img", "convert", "-f", "raw", "-O", "qcow2", plain, made], check=True)
    command = run("dump.f2fs", made, check=False).stderr.split('with "')[1].split('"')[0]
    subprocess.run(shlex.split(command), check=True, cwd=tmp_path)
    assert "kept" in listing(run, tmp_path / "disk.img").stdout


# ---- containers that libraries read ----

FORMS = {
    "qcow2": ["-O", "qcow2"], "packed.qcow2": ["-O", "qcow2", "-c"], "vmdk": ["-O", "vmdk"], "stream.vmdk": ["-O", "vmdk", "-o", "subformat=streamOptimized"],
    "flat.vmdk": ["-O", "vmdk", "-o", "subformat=twoGbMaxExtentFlat"], "vhdx": ["-O", "vhdx"], "vhd": ["-O", "vpc"],
}
LATER = {"zstd.qcow2": ["-O", "qcow2", "-c", "-o", "compression_type=zstd"], "wide.qcow2": ["-O", "qcow2", "-o", "extended_l2=on,cluster_size=128k"]}


@pytest.fixture(scope="module")
def filled(run_tool, tmp_path_factory):
    """A volume with a file that does not compress."""
    folder = tmp_path_factory.mktemp("filled")
    path, noise = folder / "plain.img", folder / "noise"
    noise.write_bytes(b"".join(hashlib.sha256(struct.pack("<I", i)).digest() for i in range(200_000)))
    run_tool("mkfs.f2fs", "-q", path, "64M")
    run_tool("f2fs", "-w", path, "put", noise, "/noise")
    return path, noise


def need(libs, *programs):
    for name in programs:
        if not shutil.which(name):
            pytest.skip(f"{name} is not installed")
    for lib in libs:
        try:
            ctypes.CDLL(lib)
        except OSError:
            pytest.skip(f"{lib} is not installed")


def convert(plain, made, words):
    subprocess.run(["qemu-img", "convert", "-f", "raw", *words, plain, made], check=True)
    return made


@pytest.mark.parametrize("form", FORMS)
def test_virtual_machine(run, tmp_path, filled, form):
    """The files are those of the volume, a check finds nothing, and nothing writes."""
    need(["libqcow.so.1", "libvmdk.so.1", "libvhdi.so.1"], "qemu-img")
    made = convert(filled[0], tmp_path / f"disk.{form}", FORMS[form])
    before = made.read_bytes()
    run("fsck.f2fs", "-f", "--dry-run", made)
    run("f2fs", made, "get", "/noise", tmp_path / "noise")
    assert (tmp_path / "noise").read_bytes() == filled[1].read_bytes()
    refused = run("f2fs", "-w", made, "rm", "/noise", check=False)
    assert refused.returncode and "which can only be read" in refused.stderr and made.read_bytes() == before
    assert "container = a" in run("dump.f2fs", "--info", made).stdout
    assert "without a digest" in run("dump.f2fs", "--evidence", made, check=False).stderr


@pytest.mark.parametrize("form", LATER)
def test_form_that_the_library_lacks(run, tmp_path, filled, form):
    need(["libqcow.so.1"], "qemu-img")
    made = convert(filled[0], tmp_path / form, LATER[form])
    assert "has a form that libqcow cannot read: make a plain image of it with qemu-img" in run("fsck.f2fs", "-n", made, check=False).stderr


@pytest.mark.parametrize("form, words", [("qcow2", ["-F", "qcow2"]), ("vmdk", ["-F", "vmdk"]), ("vpc", None)])
def test_snapshots(run, tmp_path, filled, form, words):
    """Data in another file would read as zeros."""
    need(["libqcow.so.1", "libvmdk.so.1", "libvhdi.so.1"], "qemu-img")
    base = convert(filled[0], tmp_path / "base", ["-O", form])
    if words:
        subprocess.run(["qemu-img", "create", "-q", "-f", form, "-b", base, *words, tmp_path / "top"], check=True)
    else:  # qemu-img makes no differencing VHD: its type is in the footer, and in the copy of it at the start
        image = bytearray(base.read_bytes())
        for at in (0, len(image) - 512):
            image[at + 60:at + 64] = struct.pack(">I", 4)
            image[at + 64:at + 68] = bytes(4)
            image[at + 64:at + 68] = struct.pack(">I", ~sum(image[at:at + 512]) & 0xFFFFFFFF)
        (tmp_path / "top").write_bytes(image)
    done = run("fsck.f2fs", "-n", tmp_path / "top", check=False)
    assert done.returncode == 8 and ("continues in another file" in done.stderr or "cannot open it" in done.stderr)


def test_truncated(run, tmp_path, filled):
    """The missing end cannot be read; it does not read as zeros."""
    need(["libqcow.so.1"], "qemu-img")
    made = convert(filled[0], tmp_path / "disk.qcow2", ["-O", "qcow2"])
    (tmp_path / "cut.qcow2").write_bytes(made.read_bytes()[:4 << 20])
    done = run("f2fs", tmp_path / "cut.qcow2", "get", "/noise", tmp_path / "noise", check=False)
    assert done.returncode and "cannot read" in done.stderr


@pytest.fixture(scope="module")
def evidence(filled, tmp_path_factory):
    """The parts of an E01 image, with the MD5 that ewfacquire stores."""
    need(["libewf.so.2"], "ewfacquire")
    folder = tmp_path_factory.mktemp("evidence")
    subprocess.run(["ewfacquire", "-u", "-q", "-t", folder / "disk", "-f", "encase6", "-c", "fast", "-S", str(2 << 20), filled[0]], check=True,
                   stdout=subprocess.DEVNULL)
    parts = sorted(folder.iterdir())
    assert len(parts) > 2 and parts[0].name == "disk.E01"
    return parts


def test_evidence(run, tmp_path, filled, evidence):
    done = json.loads(run("dump.f2fs", "--evidence", "--json", evidence[0]).stdout)["evidence"]
    wanted = hashlib.md5(filled[0].read_bytes()).hexdigest()
    assert done["stored_md5"] == done["computed_md5"] == wanted and done["is_verified"] and done["container"] == "an EnCase image (E01)"
    run("fsck.f2fs", "-f", "--dry-run", evidence[0])
    run("f2fs", evidence[0], "get", "/noise", tmp_path / "noise")
    assert (tmp_path / "noise").read_bytes() == filled[1].read_bytes()
    assert wanted in run("dump.f2fs", "--info", evidence[0]).stdout


def test_differences_of_containers(run, filled, evidence):
    run("f2fs", evidence[0], "diff", filled[0])
    run("f2fs", filled[0], "diff", evidence[0])


def test_evidence_without_a_volume(run, tmp_path):
    need(["libewf.so.2"], "ewfacquire")
    (tmp_path / "blank").write_bytes(bytes(4 * MIB))
    subprocess.run(["ewfacquire", "-u", "-q", "-t", tmp_path / "disk", "-f", "encase6", tmp_path / "blank"], check=True,
                   stdout=subprocess.DEVNULL)
    done = json.loads(run("dump.f2fs", "--evidence", "--json", tmp_path / "disk.E01").stdout)
    assert done["evidence"]["is_verified"] and done["evidence"]["computed_md5"] == hashlib.md5(bytes(4 * MIB)).hexdigest()
    assert "is_verified = yes" in run("dump.f2fs", "--evidence", tmp_path / "disk.E01").stdout
    assert "not an F2FS volume" in run("dump.f2fs", "--evidence", "--info", tmp_path / "disk.E01", check=False).stderr


def test_hashes_of_evidence(run, filled, evidence):
    """The digest of the container is beside those of the files, and their list stays one that sha256sum reads."""
    plain, packed = run("dump.f2fs", "--hashes", filled[0]), run("dump.f2fs", "--hashes", evidence[0])
    wanted = hashlib.md5(filled[0].read_bytes()).hexdigest()
    assert packed.stdout == plain.stdout and not plain.stderr
    assert f"the volume is in an EnCase image (E01), MD5 {wanted}" in packed.stderr
    assert json.loads(run("dump.f2fs", "--hashes", "--json", evidence[0]).stdout)["stored_md5"] == wanted


@pytest.mark.parametrize("harm", ["middle", "last", "chunk"])
def test_damaged_evidence(run, tmp_path, filled, evidence, harm):
    """A missing part and a wrong checksum are errors of reading; libewf alone gives zeros there."""
    for part in evidence:
        shutil.copy(part, tmp_path)
    if harm == "chunk":
        with open(tmp_path / evidence[2].name, "r+b") as file:
            file.seek(700_000)
            file.write(b"\xff\xfe\xfd")
    else:
        (tmp_path / evidence[2 if harm == "middle" else -1].name).unlink()
    first = tmp_path / evidence[0].name
    out = run("f2fs", first, "get", "/noise", tmp_path / "noise", check=False) if harm != "last" else None
    told = run("dump.f2fs", "--evidence", first, check=False)
    assert told.returncode and "is_verified = yes" not in told.stdout
    if out:
        assert out.returncode and "Input/output error" in out.stderr
    if harm != "chunk":
        assert "parts of the image are missing or damaged" in told.stderr


def test_volume_that_begins_like_a_container(run, tmp_path, filled):
    """The first 1024 bytes belong to a boot loader."""
    image = bytearray(filled[0].read_bytes())
    image[:4] = b"QFI\xfb"
    path = tmp_path / "disk.img"
    path.write_bytes(image)
    assert "noise" in listing(run, path).stdout


PLACES = {"vmdk": range(512, 900, 29), "vhdx": [*range(65536, 65620, 13), *range(196608, 196690, 13), *range(262144, 262160, 5)]}  # tables


def test_hostile_containers(run, tmp_path, filled, evidence):
    """Each byte of a head that is wrong: read, or refused by name, and no crash."""
    need(["libqcow.so.1", "libvhdi.so.1"], "qemu-img")
    tried = 0
    for form in ("qcow2", "vmdk", "stream.vmdk", "vhdx", "E01"):
        made = evidence[0] if form == "E01" else convert(filled[0], tmp_path / f"disk.{form}", FORMS[form])
        bytes_ = made.read_bytes()
        for at in (*range(8, 120, 7), *PLACES.get(form, ())):
            path = tmp_path / f"wrong.{form}"
            path.write_bytes(bytes_[:at] + bytes([bytes_[at] ^ 0xA5]) + bytes_[at + 1:])
            done = run("dump.f2fs", "--info", path, check=False)
            assert done.returncode in (0, 2, 4, 8) and (done.returncode == 0 or done.stderr)
            tried += 1
    assert tried == 5 * 16 + sum(map(len, PLACES.values()))


@pytest.mark.parametrize("part, first, end", [("footer", -512, -512 + 85), ("header", 512, 512 + 84), ("end", None, None)])
def test_damaged_vhd(run, f2fskit, tmp_path, volume, part, first, end):
    """libvhdi takes sizes from there as they are: a wrong byte would be another disk."""
    need(["libvhdi.so.1"])
    image, path = disks.vhd(volume), tmp_path / "disk.vhd"
    path.write_bytes(image)
    assert "kept" in listing(run, path).stdout and len(image) < len(volume)
    if part == "end":
        path.write_bytes(image[:1500])
        assert "is a VHD image whose end is damaged" in listing(run, path, check=False).stderr
        return
    for at in range(first, end, 3):
        wrong = bytearray(image)
        wrong[at] ^= 0x11
        path.write_bytes(wrong)
        with pytest.raises(f2fskit.Error, match=f"is a VHD image whose ({part}|header) is damaged"):
            f2fskit.Device.open(path)
    assert f"whose {part} is damaged" in listing(run, path, check=False).stderr


@pytest.mark.parametrize("what", ["other file", "table"])
def test_vhd_that_leads_elsewhere(run, tmp_path, volume, what):
    """A disk that continues in another file is refused; blocks that its table puts after its end cannot be read."""
    need(["libvhdi.so.1"])
    path, image = tmp_path / "disk.vhd", bytearray(disks.vhd(volume, kind=4 if what == "other file" else 3))
    if what == "table":
        image[1536:1540] = struct.pack(">I", 0x7FFFFFFF)
    path.write_bytes(image)
    done = listing(run, path, check=False)
    assert done.returncode and (what == "table" or "continues in another file" in done.stderr or "cannot open it" in done.stderr)


def test_footer_of_verified_boot(run, tmp_path, volume):
    """Where Android's footer is, the overview says so, also in a partition of a disk."""
    path = tmp_path / "vendor.img"
    footer = struct.pack(">4sIIQQQ28x", b"AVBf", 1, 0, len(volume), len(volume), 4096)
    path.write_bytes(volume + bytes(65536 - 64) + footer)
    found = json.loads(run("dump.f2fs", "--info", "--json", path).stdout)["info"]
    assert found["verified_boot_image_bytes"] == found["verified_boot_table_offset"] == len(volume)
    assert found["verified_boot_table_bytes"] == 4096
    path.write_bytes(volume)
    assert not any(name.startswith("verified_boot") for name in json.loads(run("dump.f2fs", "--info", "--json", path).stdout)["info"])
