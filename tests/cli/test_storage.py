# SPDX-License-Identifier: LGPL-2.1-or-later
"""How contents are stored, by the commands of f2fs: compression, release, fs-verity, trim."""
import json

FEATURES = "extra_attr,compression,verity"


def make(run_tool, tmp_path, features=FEATURES):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", features, image, "64M")
    return image


def commands(run_tool, image, text, **kwargs):
    return run_tool("f2fs", "-w", *kwargs.pop("options", ()), "-c", text, image, **kwargs)


def inode(run_tool, image, path):
    return json.loads(run_tool("dump.f2fs", "--json", "--inode=%s" % path, image).stdout)["inode"][0]


def test_compress_and_release(run_tool, peer_check, tmp_path):
    image = make(run_tool, tmp_path)
    text = tmp_path / "text"
    text.write_bytes(b"0123456789abcdef" * 10000)
    commands(run_tool, image, "mkdir d; compress -a lzo -L 3 -k d; put %s d/f" % text)
    made = inode(run_tool, image, "/d/f")
    assert made["extra"]["i_compress_algorithm"] == 0 and made["extra"]["i_log_cluster_size"] == 3
    saved = made["extra"]["i_compr_blocks"]
    assert saved >= 28 and made["extra"]["i_compress_flag"] == 1
    assert commands(run_tool, image, "release d/f").stdout == b"d/f: %d blocks released\n" % saved
    assert inode(run_tool, image, "/d/f")["i_blocks"] == made["i_blocks"] - saved
    done = commands(run_tool, image, "write d/f 0 x", rc=1)
    assert b"released" in done.stderr
    done = commands(run_tool, image, "release -u d/f", options=("--json",))
    assert json.loads(done.stdout) == {"name": "d/f", "reserved": saved}
    commands(run_tool, image, "write d/f 0 x")
    assert run_tool("dump.f2fs", "--cat=/d/f", image).stdout == b"x" + text.read_bytes()[1:]
    peer_check(image)


def test_seal(run_tool, peer_check, tmp_path):
    image = make(run_tool, tmp_path)
    done = commands(run_tool, image, "touch empty; touch f; write f 0 hello; seal empty; seal -h sha256 -b 1024 -s 00ff f")
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "sha256:3d248ca542a24fc62d1c43b916eae5016878e2533c88238480b26128a1f1af95 empty"
    assert lines[1].startswith("sha256:") and lines[1].endswith(" f")
    assert commands(run_tool, image, "write f 0 x", rc=1).stderr
    peer_check(image)
    for wrong in ("seal -h md5 f", "seal -s 0 f", "seal -s zz f", "compress -a gzip f", "compress -L 1 f"):
        assert commands(run_tool, image, wrong, rc=16).stderr


def test_trim(run_tool, tmp_path):
    image = make(run_tool, tmp_path)
    block = tmp_path / "block"
    block.write_bytes(b"x" * (8 << 20))
    commands(run_tool, image, "put %s f" % block)
    assert image.stat().st_blocks * 512 > 8 << 20
    assert b"discarded" in commands(run_tool, image, "rm f; trim").stdout
    assert image.stat().st_blocks * 512 < 6 << 20
    assert b"x" * 4096 not in image.read_bytes()
