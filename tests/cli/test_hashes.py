# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs --hashes: the lists against hashlib and the programs that read them."""
import csv
import hashlib
import io
import json
import os
import subprocess
import zlib

import pytest


@pytest.fixture(scope="module")
def image(run_tool, tmp_path_factory):
    """A volume of odd names and contents, and {path: contents}."""
    top = tmp_path_factory.mktemp("hashes")
    image, large, team = top / "image", os.urandom(2_500_000), os.urandom((4 << 20) + 1)  # from 4 MiB on workers digest
    with open(image, "wb") as f:
        f.truncate(64 << 20)
    run_tool("mkfs.f2fs", "-q", image)
    files = {b"empty": b"", b"small": b"abc", b"d/large": large, b"d/exact": large[: 1 << 20], b"d/again": large,
             b"new\nline": b"1", b"back\\slash": b"2", b"car\rriage": b"3", b'quo"te,': b"4", b"\xff\xfe": b"5",
             b"hole": bytes(300_000) + b"x", b"team": team, b"d/whole team": team[:-1], b"d/no team": team[:-2]}
    tree = top / "tree"
    (tree / "d").mkdir(parents=True)
    for name, contents in files.items():
        if name == b"d/again":
            os.link(os.path.join(os.fsencode(tree), b"d/large"), os.path.join(os.fsencode(tree), name))
        else:
            with open(os.path.join(os.fsencode(tree), name), "wb") as f:
                f.write(contents)
    os.symlink("small", tree / "link")
    run_tool("sload.f2fs", "-f", tree, image)
    return image, files, tree


@pytest.mark.parametrize("form", ["sha256", "sha512", "sha1", "md5"])
def test_sums_are_checked_by_coreutils(run_tool, image, form):
    volume, files, tree = image
    lines = run_tool("dump.f2fs", f"--hashes={form}", volume).stdout
    done = subprocess.run([form + "sum", "--strict", "-c", "-"], input=lines, cwd=tree, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b": OK\n") == len(files)
    damaged = lines.replace(hashlib.new(form, b"abc").hexdigest().encode(), hashlib.new(form, b"abd").hexdigest().encode())
    assert subprocess.run([form + "sum", "-c", "-"], input=damaged, cwd=tree, capture_output=True).returncode == 1


def test_hashdeep(run_tool, image):
    volume, files, _ = image
    lines = run_tool("dump.f2fs", "--hashes=hashdeep", volume).stdout.split(b"\n")
    assert lines[:2] == [b"%%%% HASHDEEP-1.0", b"%%%% size,md5,sha256,filename"] and lines[-1] == b""
    rows = {line.split(b",", 3)[3]: line.split(b",")[:3] for line in lines[3:-1]}
    assert len(rows) == len(files)
    for name, contents in files.items():
        odd = b"\n" in name or b"\r" in name
        shown = b"\\./" + name.replace(b"\n", rb"\n").replace(b"\r", rb"\r") if odd else b"./" + name
        assert rows[shown] == [b"%d" % len(contents), hashlib.md5(contents).hexdigest().encode(),
                               hashlib.sha256(contents).hexdigest().encode()], name


def nsrl_name(name):
    return b"\\" + name.replace(b"\n", rb"\n").replace(b"\r", rb"\r") if b"\n" in name or b"\r" in name else name


def test_nsrl(run_tool, image):
    volume, files, _ = image
    text = run_tool("dump.f2fs", "--hashes=nsrl", volume).stdout.decode("latin-1")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0][:5] == ["SHA-1", "MD5", "CRC32", "FileName", "FileSize"] and len(rows) == 1 + len(files)
    expected = sorted([hashlib.sha1(c).hexdigest().upper(), hashlib.md5(c).hexdigest().upper(), "%08X" % zlib.crc32(c),
                       nsrl_name(n.split(b"/")[-1]).decode("latin-1"), str(len(c))]
                      for n, c in files.items())
    assert sorted(row[:5] for row in rows[1:]) == expected


def test_json_and_damage(run_tool, image, tmp_path):
    volume, files, _ = image
    rows = json.loads(run_tool("dump.f2fs", "--json", "--hashes", volume).stdout)["hashes"]
    assert sorted(row["sha256"] for row in rows) == sorted(hashlib.sha256(c).hexdigest() for c in files.values())
    assert len({row["ino"] for row in rows}) == len(files) - 1, "two names of one file"
    assert b"is none of sha256" in run_tool("dump.f2fs", "--hashes=sha3", volume, rc=1).stderr
    broken = tmp_path / "broken"
    broken.write_bytes(volume.read_bytes())
    ino = next(row["ino"] for row in rows if row["path"] == "d/exact")
    run_tool("f2fs", "-w", broken, "set", f"inode[{ino}].i_addr[7]", "0xfffffff0")
    done = run_tool("dump.f2fs", "--hashes", broken, rc=4)
    assert b"d/exact" in done.stderr and b"d/exact" not in done.stdout and done.stdout.count(b"\n") == len(files) - 1


def test_a_limit_for_what_is_shown(f2fskit, run_tool, tmp_path):
    """A file of 3.9 TiB of holes on a volume of 64 MiB: named and left out, the others are there."""
    path = tmp_path / "image"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/a").write_bytes(b"abc")
        volume.root.create("long").pwrite(b"end", int(3.9 * (1 << 40)))
        volume.path("/z").write_bytes(b"z" * 900)
    for most, names in (("1M", [b"a", b"z"]), ("512", [b"a"])):
        done = run_tool("dump.f2fs", "--hashes", "--max-bytes=" + most, path, rc=4)
        assert [line.split()[1] for line in done.stdout.splitlines()] == names
        assert done.stderr.count(b" long: ") == 1 and b"--max-bytes" in done.stderr, done.stderr
    with f2fskit.open(path, "r+") as volume:
        volume.path("/long").unlink()
    run_tool("dump.f2fs", "--hashes", "--max-bytes=1K", path, rc=0)


def test_threads_change_no_byte(run_tool, tmp_path):
    """Lists and archives of many small files, one of them damaged, and a large one under two names."""
    tree, image = tmp_path / "tree", tmp_path / "image"
    contents = {f"d{n % 7}/f{n}": bytes([n % 251]) * (n * 37 % 20_000) for n in range(400)}
    contents["d3/large"] = contents["d5/large"] = os.urandom(5 << 20)
    for name, data in contents.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        if name == "d5/large":
            os.link(tree / "d3/large", tree / name)
        else:
            (tree / name).write_bytes(data)
    run_tool("mkfs.f2fs", "-q", "--root-dir", tree, image, "64M")
    rows = json.loads(run_tool("dump.f2fs", "--json", "--hashes", image).stdout)["hashes"]
    assert {row["path"]: row["sha256"] for row in rows} == {n: hashlib.sha256(c).hexdigest() for n, c in contents.items()}
    broken, = (row["ino"] for row in rows if row["path"] == "d4/f200")
    run_tool("f2fs", "-w", image, "set", f"inode[{broken}].i_addr[0]", "0xfffffff0")
    for command, status, whole in (("--hashes", 4, len(contents) - 1), ("--tar=-", None, None)):
        first = run_tool("dump.f2fs", command, "--threads=1", image, rc=status)
        assert b"d4/f200" in first.stderr
        assert whole is None or first.stdout.count(b"\n") == whole
        for threads in ("2", "8"):
            done = run_tool("dump.f2fs", command, "--threads=" + threads, image, rc=status)
            assert (done.returncode, done.stdout, done.stderr) == (first.returncode, first.stdout, first.stderr)
