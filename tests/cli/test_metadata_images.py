# SPDX-License-Identifier: LGPL-2.1-or-later
"""Metadata images: their contents, their forms, and the result of a failed write."""
import os
import random
import resource
import signal
import subprocess

import pytest

SECRET = b"what nobody else shall read"


@pytest.fixture(scope="module")
def volume(run_tool, tmp_path_factory):
    """An image with contents in inodes and in blocks, which all hold SECRET; casefolded names; old versions."""
    top = tmp_path_factory.mktemp("metadata")
    tree = top / "tree"
    (tree / "Directory-with-a-name/below").mkdir(parents=True)
    (tree / "Folded").mkdir()
    for i in range(300):
        (tree / "Directory-with-a-name" / ("some-file-%03d.text" % i)).write_bytes(SECRET)
    for i in range(6):
        (tree / "Directory-with-a-name/below" / ("large-%d" % i)).write_bytes(SECRET * 20000)
    (tree / "pointer").symlink_to("Directory-with-a-name/below/large-1")
    image = top / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-f", "-l", "label", "-O", "extra_attr,inode_checksum,inode_crtime,casefold",
             "-C", "utf8", image, "64M")
    run_tool("sload.f2fs", "-f", tree, image)
    commands = top / "commands"
    commands.write_text("chattr +F /Folded\ntouch /Folded/Grosse-Namen\nrm /Directory-with-a-name/some-file-007.text\n")
    run_tool("f2fs", "-w", "-f", commands, image)
    image.chmod(0o444)
    return image


def all_names(f2fskit, path):
    with f2fskit.open(path) as vol:
        return {entry.ino: found for found, entry in vol.scan("/")}


def unpacked(run_tool, image, tmp_path, *options):
    packed, plain = tmp_path / "packed", tmp_path / "plain"
    run_tool("dump.f2fs", "-q", "--metadata-image", packed, *options, image)
    run_tool("dump.f2fs", "--restore-image", plain, packed)
    return plain


def test_no_contents(volume, run_tool, tmp_path):
    assert SECRET in volume.read_bytes()
    data = unpacked(run_tool, volume, tmp_path).read_bytes()
    assert SECRET not in data and b"some-file-123" in data and len(data) == volume.stat().st_size


def test_a_key_gives_the_same_names(volume, f2fskit):
    """Names that are scrambled by the same key are the same, by another one or none they are others."""
    with f2fskit.open(volume) as vol:
        lists = []
        for key in (b"k" * 16, b"k" * 16, b"l" * 16, None, None):
            with vol.metadata(scramble=True, key=key) as device, f2fskit.open(device) as other:
                lists.append(frozenset(entry.name for entry in other.lookup("/").iterdir()))
    assert lists[0] == lists[1] and len(set(lists)) == 4


def test_other_names(volume, run_tool, f2fskit, tmp_path):
    plain = unpacked(run_tool, volume, tmp_path, "--scramble-names")
    data = plain.read_bytes()
    for text in (SECRET, b"some-file", b"Directory", b"below", b"large", b"pointer", b"Grosse"):
        assert text not in data, text
    before, after = all_names(f2fskit, volume), all_names(f2fskit, plain)
    assert before.keys() == after.keys() and len(set(after.values())) == len(after)
    assert all(len(after[ino]) == len(path) for ino, path in before.items())
    report = run_tool("fsck.f2fs", "-n", plain)
    assert b" 0 problems" in report.stdout if isinstance(report.stdout, bytes) else " 0 problems" in report.stdout
    with f2fskit.open(plain) as vol:  # names are found by their hashes, in other case, too
        folded = next(path for ino, path in after.items() if "Grosse" in before[ino])
        folder, name = os.path.split(folded)
        assert vol.lookup(folder).is_casefold and vol.lookup(folder + "/" + name.swapcase())
        link = next(path for ino, path in after.items() if before[ino] == "/pointer")
        assert len(vol.lookup(link).readlink()) == len("Directory-with-a-name/below/large-1")


def test_used_blocks(volume, run_tool, tmp_path):
    packed, plain = tmp_path / "packed", tmp_path / "plain"
    run_tool("dump.f2fs", "-q", "--used-image", packed, volume)
    run_tool("dump.f2fs", "--restore-image", plain, packed)
    for image in (volume, plain):
        run_tool("dump.f2fs", "--extract", tmp_path / ("files of " + image.name), image)
    subprocess.run(["diff", "-r", "--no-dereference", "files of " + volume.name, "files of plain"], cwd=tmp_path, check=True)
    assert plain.stat().st_blocks <= volume.stat().st_blocks


@pytest.mark.parametrize("form", ["zstd", "sparse", "raw"])
def test_forms(volume, run_tool, f2fskit, tmp_path, form):
    out = tmp_path / "out"
    run_tool("dump.f2fs", "-q", "--metadata-image", out, "--image-form", form, volume)
    assert run_tool("fsck.f2fs", "-n", out).returncode == 0
    assert all_names(f2fskit, out) == all_names(f2fskit, volume)
    run_tool("dump.f2fs", "--metadata-image", out, volume, rc=8)  # nothing is overwritten
    if form == "zstd":
        assert run_tool("f2fs", "-w", out, "rm", "/pointer", rc=None).returncode != 0


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.parametrize("form", ["zstd", "sparse", "raw"])
def test_no_room(volume, tool, tmp_path, form):
    out = tmp_path / "out"
    done = subprocess.run([str(tool("dump.f2fs")), "--metadata-image", out, "--image-form", form, volume],
                          capture_output=True, preexec_fn=limited)
    assert done.returncode == 8 and b"File too large" in done.stderr
    assert not out.exists()


def test_unreadable_blocks_are_reported(volume, f2fskit):
    """Zeros in their place, and a count."""
    context = f2fskit.Context()
    with f2fskit.Device.open(volume, context=context) as file, file.fault() as fault:
        with f2fskit.open(fault) as vol, vol.metadata() as copy:
            addr = vol.nat[vol.lookup("/pointer").number].block_addr
            fault.set(bad_offset=addr << 12, bad_length=4096)
            assert not any(copy.read(addr << 12, 4096))
            assert copy.stat().unreadable == 1 and copy.stat().first_unreadable == addr


def test_nothing_is_written(volume, f2fskit):
    """The device counts its writes."""
    with f2fskit.Device.open(volume) as file, file.recorder() as recorder:
        with f2fskit.open(recorder) as vol, vol.metadata(scramble=True) as copy:
            assert f2fskit.check(copy).found == 0
        assert len(recorder.records) == 0


def test_damaged_zstd(volume, run_tool, f2fskit, tmp_path):
    """Damage of the packed file is reported. It never causes a crash or wrong bytes."""
    packed = tmp_path / "packed"
    run_tool("dump.f2fs", "-q", "--metadata-image", packed, volume)
    good, chance = packed.read_bytes(), random.Random(17)
    with f2fskit.Device.from_buffer(good) as device, device.zstd() as contents:
        whole = contents.read(0, contents.size)
    refused = 0
    for turn in range(200):
        data = bytearray(good)
        if turn % 2:
            data = data[:chance.randrange(len(data))]
        else:
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(data)) if turn % 4 else len(data) - 1 - chance.randrange(200)
                data[at] ^= 1 << chance.randrange(8)
        try:
            with f2fskit.Device.from_buffer(bytes(data)) as device, device.zstd() as contents:
                assert contents.read(0, contents.size) == whole
        except (f2fskit.Error, ValueError):
            refused += 1
    assert refused > 150


@pytest.mark.parametrize("stopped", ["search", "metadata image", "save"])
def test_canceled(volume, f2fskit, tmp_path, stopped):
    """Each long task asks whether to continue, and ends when it shall not."""
    class Enough(Exception):
        pass

    def progress(report):
        if report.task == stopped:
            raise Enough
    context = f2fskit.Context(progress=progress)
    with f2fskit.open(volume, context=context) as vol, pytest.raises(Enough):
        with vol.metadata() as copy, open(tmp_path / "out", "wb") as file:
            copy.save_zstd(file)


def test_what_seals_a_file_is_kept(run_tool, tmp_path):
    """The descriptor of fs-verity is metadata; contents are not."""
    image, file = tmp_path / "disk.img", tmp_path / "file"
    file.write_bytes(SECRET * 1000)
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,verity", image, "64M")
    run_tool("f2fs", "-w", image, "put", file, "/file", "--", "seal", "/file")
    plain = unpacked(run_tool, image, tmp_path)
    shown = run_tool("dump.f2fs", "--verity=/file", image).stdout
    assert b"root_hash" in shown and run_tool("dump.f2fs", "--verity=/file", plain).stdout == shown
    assert SECRET in image.read_bytes() and SECRET not in plain.read_bytes()
