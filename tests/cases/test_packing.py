# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files whose inodes have wrong parameters of compression. Every way to read them gives the right contents before any
repair, reports the damage, and changes nothing. Changes that need the size wait for the repair."""
import io
import tarfile

import pytest

import cases

CASES = {name: case for name, case in cases.load().items() if name.startswith("packing_")}
BY_SIZE = ("packing_larger", "packing_smaller")     # of /zstd/file


@pytest.fixture(scope="module")
def maker(run_tool, tmp_path_factory):
    return cases.Maker(run_tool, tmp_path_factory.mktemp("cases"))


def read_out(run_tool, image, out):
    """Extract into a directory and into an archive; return the files and the messages."""
    done = run_tool("dump.f2fs", "--extract", out, image, rc=None)
    tar = run_tool("dump.f2fs", "--tar", "-", image, rc=None)
    with tarfile.open(fileobj=io.BytesIO(tar.stdout)) as archive:
        packed = {"/" + m.name.lstrip("./"): archive.extractfile(m).read() for m in archive if m.isreg()}
    files = {"/" + str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file() and not p.is_symlink()}
    return files, packed, done.stderr + tar.stderr


@pytest.mark.parametrize("name", CASES)
def test_files_are_read_as_they_were_packed(run_tool, maker, f2fskit, tmp_path, name):
    case, (image,) = CASES[name], maker.paths(CASES[name].image)
    before = read_out(run_tool, image, tmp_path / "before")
    volume = cases.Broken(f2fskit, [image], case)
    with f2fskit.Device.open(image) as device:
        intact = cases.contents(f2fskit, [device])
    assert volume.contents() == intact
    changes = volume.changes()
    with cases.in_place(image, changes):
        after = read_out(run_tool, image, tmp_path / "after")
        bytes_of_image = image.read_bytes()
        said = run_tool("f2fs", image, "ls", "-lR", rc=None)
        assert said.returncode == 0 and image.read_bytes() == bytes_of_image
    volume.close()
    assert after[:2] == before[:2] and after[0]
    assert b"clusters" in after[2] and b"clusters" not in before[2]


def overwrite(volume, path):
    with volume.path(path).open("r+b") as file:
        file.seek(5000)
        file.write(b"more")


@pytest.mark.parametrize("name", BY_SIZE)
def test_nothing_is_written_by_a_wrong_size(maker, f2fskit, name):
    broken = cases.Broken(f2fskit, maker.paths(CASES[name].image), CASES[name])
    device = broken.devices[0]
    with f2fskit.open(device, "r+") as volume:
        with pytest.raises(f2fskit.CorruptError):
            overwrite(volume, "/zstd/file")
        volume.rollback()
    broken.check(repair=True)
    with f2fskit.open(device, "r+") as volume:
        overwrite(volume, "/zstd/file")
        volume.commit()
        found = volume.path("/zstd/file").read_bytes()
    expected = cases.text(300000)
    assert found == expected[:5000] + b"more" + expected[5004:]
    assert broken.check().state.name == "SOUND"
    broken.close()
