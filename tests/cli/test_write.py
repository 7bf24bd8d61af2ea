# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writing volumes: sload.f2fs, and random changes; held against the host's tree and, where it is there, against the
checker of f2fs-tools."""
import json
import os
import stat
import subprocess

import pytest

import volumes

FEATURES = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"


def same_trees(left, right):
    done = subprocess.run(["diff", "-r", "--no-dereference", "--exclude=pipe", str(left), str(right)], capture_output=True)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[:2000]


@pytest.mark.parametrize("options", [(), ("-O", FEATURES), ("-O", FEATURES + ",quota,project_quota,lost_found", "-i"), ("-s", "4")],
                         ids=["plain", "features", "quota", "sections"])
def test_sload_and_back(run_tool, peer_check, tmp_path, options):
    source, back, image = tmp_path / "source", tmp_path / "back", tmp_path / "disk.img"
    source.mkdir()
    volumes.plant(source)
    os.link(source / "big", source / "sub" / "second-name")
    os.mkfifo(source / "pipe")
    os.utime(source / "medium", ns=(1, 123456789987654321))
    run_tool("mkfs.f2fs", "-q", *options, image, "300M")
    run_tool("sload.f2fs", "-q", "-f", source, image)
    peer_check(image)
    run_tool("dump.f2fs", "--extract=%s" % back, image)
    if "lost_found" in " ".join(options):
        os.rmdir(back / "lost+found")
    same_trees(source, back)
    assert stat.S_ISFIFO(os.stat(back / "pipe").st_mode)
    assert os.stat(back / "medium").st_mtime_ns == 123456789987654321
    assert os.stat(back / "big").st_ino == os.stat(back / "sub" / "second-name").st_ino
    assert os.stat(back / "sub/sparse").st_blocks <= os.stat(source / "sub/sparse").st_blocks + 8


def test_mkfs_root_dir(run_tool, peer_check, tmp_path):
    source, back, image = tmp_path / "source", tmp_path / "back", tmp_path / "disk.img"
    source.mkdir()
    tree = volumes.plant(source)
    os.chmod(source, 0o750)
    done = run_tool("mkfs.f2fs", "-O", FEATURES, "-R", "7:8", "--root-dir", source, image, "200M")
    files = sum(isinstance(what, bytes) for what in tree.values())
    assert b"Info: copied %d files" % files in done.stdout and b"Info: format successful" in done.stdout
    peer_check(image)
    run_tool("dump.f2fs", "--extract=%s" % back, image)
    same_trees(source, back)
    assert b'"i_uid": 7' in run_tool("dump.f2fs", "--json", "--inode=/big", image).stdout
    done = run_tool("mkfs.f2fs", "-f", "--root-dir", tmp_path / "nowhere", image, rc=1)
    assert b"nowhere" in done.stderr


def test_sload_is_reproducible(run_tool, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    volumes.plant(source)
    images = []
    for name in "ab":
        image = tmp_path / name
        env = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
        run_tool("mkfs.f2fs", "-q", "-r", "-U", "01234567-89ab-cdef-0123-456789abcdef", "-R", "0:0", image, "100M", env=env)
        run_tool("sload.f2fs", "-q", "-f", source, image, env=env)
        images.append(image.read_bytes())
    assert images[0] == images[1]


def test_sload_reports_what_it_cannot_copy(run_tool, tmp_path):
    source, image = tmp_path / "source", tmp_path / "disk.img"
    source.mkdir()
    (source / "a").write_text("one")
    run_tool("mkfs.f2fs", "-q", image, "100M")
    run_tool("sload.f2fs", "-q", "-f", source, image)
    (source / "b").write_text("two")
    done = run_tool("sload.f2fs", "--json", "--existing=refuse", "-f", source, image, rc=4)
    assert b"/a: the name exists already" in done.stderr
    assert json.loads(done.stdout) == {"files": 1, "directories": 0, "symlinks": 0, "specials": 0, "links": 0, "bytes": 3,
                                       "problems": 1, "skipped": 0, "kept": 0, "replaced": 0, "deleted": 0}
    assert run_tool("dump.f2fs", "--cat=/b", image).stdout == b"two"


def test_sload_over_an_existing_tree_names_some_and_counts_the_rest(run_tool, tmp_path):
    source, image = tmp_path / "source", tmp_path / "disk.img"
    source.mkdir()
    for i in range(20):
        (source / str(i)).touch()
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("sload.f2fs", "-q", "-f", source, image)
    told = run_tool("sload.f2fs", "-q", "--existing=refuse", "-f", source, image, rc=4).stderr.splitlines()
    assert len(told) == 6 and b"15 more exist already" in told[-1] and b"--existing" in told[-1], told
    told = run_tool("sload.f2fs", "-v", "--existing=refuse", "-f", source, image, rc=4).stderr.splitlines()
    assert len(told) == 20 and all(b"the name exists already" in line for line in told), told


def test_sload_says_what_helps_when_the_old_and_the_new_have_no_room(run_tool, tmp_path):
    source, image = tmp_path / "source", tmp_path / "disk.img"
    source.mkdir()
    (source / "large").write_bytes(volumes.noise(3, 1 << 20) * 19)
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("sload.f2fs", "-q", "-f", source, image)
    assert b"--commit-when-full" in run_tool("sload.f2fs", "-q", "--existing=replace", "-f", source, image, rc=8).stderr
    run_tool("sload.f2fs", "-q", "--existing=replace", "--commit-when-full", "-f", source, image)


def test_full_volume_stays_as_it_was(run_tool, peer_check, tmp_path):
    source, image = tmp_path / "source", tmp_path / "disk.img"
    source.mkdir()
    (source / "too-big").write_bytes(volumes.noise(3, 1 << 20) * 100)
    run_tool("mkfs.f2fs", "-q", image, "64M")
    before = run_tool("dump.f2fs", "--json", "--checkpoint", image).stdout
    done = run_tool("sload.f2fs", "-f", source, image, rc=8)
    assert b"full" in done.stderr and b"--commit-when-full" not in done.stderr
    assert run_tool("dump.f2fs", "--json", "--checkpoint", image).stdout == before
    peer_check(image)


def test_sload_refuses_a_volume_that_is_not_one(run_tool, tmp_path):
    image = tmp_path / "zeros"
    image.write_bytes(bytes(1 << 20))
    done = run_tool("sload.f2fs", "-f", tmp_path, image, rc=8)
    assert b"not an F2FS volume" in done.stderr


@pytest.mark.parametrize("seed", range(5))
def test_random_changes(run_tool, peer_check, build_dir, tmp_path, seed):
    host, back, image = tmp_path / "host", tmp_path / "back", tmp_path / "disk.img"
    host.mkdir()
    options = [(), ("-O", FEATURES), ("-O", FEATURES + ",quota,project_quota"), ("-s", "2"),
               ("-O", FEATURES + ",quota,project_quota,compression")][seed]
    run_tool("mkfs.f2fs", "-q", *options, image, "1G")
    done = subprocess.run([os.path.join(build_dir, "tests", "stress", "stress"), str(image), str(host), str(seed), "600", "90"],
                          capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    peer_check(image)
    run_tool("dump.f2fs", "--extract=%s" % back, image)
    same_trees(host, back)


@pytest.mark.parametrize("seed", range(4))
def test_random_ranges(run_tool, peer_check, build_dir, tmp_path, seed):
    host, back, image = tmp_path / "host", tmp_path / "back", tmp_path / "disk.img"
    host.mkdir()
    options = [(), ("-O", FEATURES), ("-O", FEATURES + ",quota,project_quota"), ("-s", "2")][seed]
    run_tool("mkfs.f2fs", "-q", *options, image, "256M")
    done = subprocess.run([os.path.join(build_dir, "tests", "stress", "ranges"), str(image), str(host), str(seed), "500"],
                          capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    peer_check(image)
    run_tool("dump.f2fs", "--extract=%s" % back, image)
    same_trees(host, back)


def inode_field(run_tool, image, path, field):
    return json.loads(run_tool("dump.f2fs", "--json", "--inode=%s" % path, image).stdout)["inode"][0][field]


@pytest.mark.parametrize("options", [("-c",), ("-c", "-a", "zstd:3", "-L", "5"), ("-c", "-a", "lzo", "-r"),
                                     ("-c", "-a", "lzo-rle", "-L", "8", "-m", "9"), ("-c", "-x", "jpg", "-r")],
                         ids=["lz4", "zstd", "released", "lzo-rle", "except"])
def test_sload_compressed(run_tool, peer_check, tmp_path, options):
    source, back, image = tmp_path / "source", tmp_path / "back", tmp_path / "disk.img"
    source.mkdir()
    volumes.plant(source)
    text = b"all work and no play makes a dull file\n" * 60000
    for name in ("text.txt", "picture.JPG", "sub/hole"):
        (source / name).write_bytes(text)
    with open(source / "sub" / "hole", "r+b") as f:
        f.truncate(9 << 20)
    (source / "short").write_bytes(text[:5000])
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES + ",compression,quota", image, "300M")
    run_tool("sload.f2fs", "-q", *options, "-f", source, image)
    peer_check(image)
    run_tool("dump.f2fs", "--extract=%s" % back, image)
    same_trees(source, back)
    blocks = len(text) // 4096
    used = inode_field(run_tool, image, "/text.txt", "i_blocks")
    if "-r" in options:
        assert used < blocks // 2
    else:
        assert used > blocks
        assert inode_field(run_tool, image, "/text.txt", "extra")["i_compr_blocks"] > blocks // 2
    assert ("-x" in options) == (inode_field(run_tool, image, "/picture.JPG", "i_flags") & 4 == 0)


@pytest.mark.parametrize("release", [False, True])
def test_mkfs_compresses(run_tool, peer_check, tmp_path, release):
    """A compressed volume in one step is the one that sload.f2fs makes in two, and with auto no larger than it must be."""
    source, back, image, plain = (tmp_path / name for name in ("source", "back", "disk.img", "plain.img"))
    source.mkdir()
    volumes.plant(source)
    text = b"all work and no play makes a dull file\n" * 100_000
    for name in ["text.txt", "text.jpg"] + ["text-%d" % i for i in range(20)]:
        (source / name).write_bytes(text)
    options = ["--compress", "--compress-algorithm=zstd:5", "--log-cluster-size=4", "--minimum-saved=2", "--plain-extension=jpg"]
    options += ["--release"] if release else []
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES + ",compression", "--root-dir", source, *options, image, "auto")
    peer_check(image)
    run_tool("dump.f2fs", "--extract=%s" % back, image)
    same_trees(source, back)
    extra = inode_field(run_tool, image, "/text.txt", "extra")
    assert extra["i_compress_algorithm"] == 2 and extra["i_log_cluster_size"] == 4
    assert inode_field(run_tool, image, "/text.jpg", "i_flags") & 4 == 0
    assert release == (inode_field(run_tool, image, "/text.txt", "i_blocks") < len(text) // 4096 // 2)
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES + ",compression", "--root-dir", source, plain, "auto")
    assert release == (image.stat().st_size < plain.stat().st_size - 15 * len(text))


def test_mkfs_refuses_wrong_compression(run_tool, tmp_path):
    for options, words in ((["--compress"], b"goes with --root-dir"), (["--root-dir", tmp_path, "--compress"], b"needs -O extra_attr,compression"),
                           (["--root-dir", tmp_path, "--release"], b"need --compress")):
        assert words in run_tool("mkfs.f2fs", *options, tmp_path / "disk.img", "64M", rc=1).stderr
    assert not (tmp_path / "disk.img").exists()


def test_sload_refuses_wrong_compression(run_tool, tmp_path):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "100M")
    for options, words in ((("-c",), b"feature compression"), (("-a", "lz4"), b"need --compress"), (("-c", "-a", "gzip"), b"no compression"),
                           (("-c", "-i", "a", "-x", "b"), b"exclude each other"), (("-c", "-L", "9"), b"-L"),
                           (("-c", "-a", "lz4:2"), b"level 2")):
        done = run_tool("sload.f2fs", *options, "-f", tmp_path, image, rc=None)
        assert done.returncode in (8, 16) and words in done.stderr, done.stderr
