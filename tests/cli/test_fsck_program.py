# SPDX-License-Identifier: LGPL-2.1-or-later
"""fsck.f2fs as users and scripts call it: options, exit codes, output, writes."""
import hashlib
import json
import os
import pty
import shutil
import subprocess

import pytest

LINES = ("Unreachable nat entries", "SIT valid block bitmap checking", "Hard link checking for regular file",
         "valid_block_count matching with CP", "valid_node_count matching with CP (de lookup)",
         "valid_node_count matching with CP (nat lookup)", "valid_inode_count matched with CP",
         "free segment_count matched with CP", "next block offset is free", "other corrupted bugs")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="session")
def sound(run_tool, tmp_path_factory):
    """A volume with some files that is in order. Read only."""
    top = tmp_path_factory.mktemp("sound")
    source, image = top / "source", top / "disk.img"
    (source / "d" / "e").mkdir(parents=True)
    (source / "d" / "small").write_bytes(b"small")
    (source / "d" / "large").write_bytes(os.urandom(300000))
    os.link(source / "d" / "large", source / "d" / "e" / "again")
    os.symlink("small", source / "d" / "link")
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum,lost_found", "--root-dir", source, image, "80M")
    os.chmod(image, 0o444)
    return image


@pytest.fixture
def broken(run_tool, sound, tmp_path):
    """The same with a wrong link count and a wrong count in the checkpoint."""
    image = tmp_path / "broken.img"
    image.write_bytes(sound.read_bytes())
    ino = json.loads(run_tool("dump.f2fs", "--json", "--inode=/d/large", image).stdout)["inode"][0]["ino"]
    run_tool("f2fs", "-w", image, "set", "inode[%d].i_links" % ino, "7")
    run_tool("f2fs", "-w", image, "set", "cp.valid_node_count", "99")
    return image


def test_sound(run_tool, sound, tmp_path):
    done = run_tool("fsck.f2fs", "-n", sound)
    text = done.stdout.decode()
    for line in LINES:
        assert "[FSCK] %-46s [Ok..]" % line in text, text
    assert "Max image size" in text and "[Fail]" not in text and "ASSERT" not in text
    assert "[FSCK] %-46s [Ok..] [0x1]" % "Hard link checking for regular file" in text
    copy = shutil.copyfile(sound, tmp_path / "copy.img")
    for option in ("-a", "-p", "-p1", "-p2", "-p3", "-ap"):
        done = run_tool("fsck.f2fs", option, copy)
        assert not done.stdout and not done.stderr, option


@pytest.mark.parametrize("options", ["-f", "-y", "-fy", "-py", "-fyC0", "-p1"])
def test_repair(run_tool, broken, options):
    assert run_tool("fsck.f2fs", "-n", broken, rc=4)
    done = run_tool("fsck.f2fs", options, broken, rc=1)
    assert b"[ASSERT] (LINKS_FILE" in done.stdout and b"[FIX] (LINKS_FILE" in done.stdout
    assert b"[FIX] (CP_VALID_NODES" in done.stdout
    done = run_tool("fsck.f2fs", "-n", broken)
    assert b"ASSERT" not in done.stdout
    assert b'"i_links": 2' in run_tool("dump.f2fs", "--json", "--inode=/d/large", broken).stdout


@pytest.mark.parametrize("options", [["-n"], ["-N"], ["-fn"], ["-n", "-f"], ["--dry-run"], ["-f", "--dry-run"], []])
def test_nothing_is_written(run_tool, broken, options):
    before = digest(broken)
    done = run_tool("fsck.f2fs", *options, broken, rc=4)
    assert b"[ASSERT] (LINKS_FILE" in done.stdout and b"[Fail]" in done.stdout
    assert (b"[FIX]" in done.stdout) == ("--dry-run" in options)
    assert digest(broken) == before


def flags_of(run_tool, image):
    return json.loads(run_tool("dump.f2fs", "--json", "--checkpoint", image).stdout)["checkpoint"]["ckpt_flags"]


def test_preen_acts_when_the_volume_asks(run_tool, broken):
    before = digest(broken)
    assert not run_tool("fsck.f2fs", "-a", broken).stdout, "nothing says that something is wrong"
    assert digest(broken) == before
    run_tool("f2fs", "-w", broken, "set", "cp.ckpt_flags", str(flags_of(run_tool, broken) | 0x10))
    assert b"[FIX]" in run_tool("fsck.f2fs", "-a", broken, rc=1).stdout
    assert not run_tool("fsck.f2fs", "-a", broken).stdout


@pytest.mark.parametrize("option", ["-p2", "-p3", "--preen=2"])
def test_preen_2_checks_and_reports(run_tool, broken, option):
    """As f2fs-tools: a volume that does not ask is checked, and nothing is repaired; one that asks is repaired."""
    before = digest(broken)
    done = run_tool("fsck.f2fs", option, broken, rc=4)
    assert b"[ASSERT] (LINKS_FILE" in done.stdout and b"[FIX]" not in done.stdout
    assert digest(broken) == before
    run_tool("f2fs", "-w", broken, "set", "cp.ckpt_flags", str(flags_of(run_tool, broken) | 0x10))
    assert b"[FIX]" in run_tool("fsck.f2fs", option, broken, rc=1).stdout
    assert not run_tool("fsck.f2fs", option, broken).stdout
    assert run_tool("fsck.f2fs", option, "-f", broken).stdout, "force counts more"


def test_preen_levels_are_those_of_the_peer(run_tool, broken, tmp_path):
    """Which levels write, and which exit status reports remaining problems, on a volume that does not ask."""
    peer = shutil.which("fsck.f2fs", path="/usr/sbin:/sbin:/usr/bin")
    if not peer:
        pytest.skip("no f2fs-tools")
    for option in ("-a", "-p", "-p0", "-p2", "-p3"):
        copy = tmp_path / "copy"
        shutil.copyfile(broken, copy)
        theirs = subprocess.run([peer, option, copy], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wrote = digest(copy) != digest(broken)
        shutil.copyfile(broken, copy)
        run_tool("fsck.f2fs", option, copy, rc=theirs.returncode)
        assert (digest(copy) != digest(broken)) == wrote, option


def answer(tool, image, letter):
    """Runs fsck.f2fs on a terminal and answers its question; (exit code, output)."""
    master, slave = pty.openpty()
    process = subprocess.Popen([tool, str(image)], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.close(slave)
    os.write(master, letter)
    text = process.communicate(timeout=300)[0]
    os.close(master)
    return process.returncode, text


def test_question(tool, run_tool, broken):
    before = digest(broken)
    code, text = answer(tool("fsck.f2fs"), broken, b"n\n")
    assert code == 4 and b"Do you want to fix this partition? [Y/N]" in text and digest(broken) == before
    code, text = answer(tool("fsck.f2fs"), broken, b"Y\n")
    assert code == 1 and b"[FIX]" in text
    run_tool("fsck.f2fs", "-n", broken)


def test_undo_and_rollback(run_tool, broken, tmp_path):
    before, log = digest(broken), tmp_path / "undo"
    run_tool("fsck.f2fs", "-y", "--undo", log, broken, rc=1)
    assert digest(broken) != before
    repaired = digest(broken)
    for word in ("-n", "-N", "--dry-run"):
        assert b"--restore writes" in run_tool("fsck.f2fs", word, "--restore", log, broken, rc=16).stderr
        assert digest(broken) == repaired
    assert b"put back" in run_tool("fsck.f2fs", "--restore", log, broken).stdout
    assert digest(broken) == before
    assert b"exists" in run_tool("fsck.f2fs", "-y", "--undo", log, broken, rc=8).stderr
    assert digest(broken) == before
    kept = log.read_bytes()
    log.write_bytes(b"not an undo file at all")
    run_tool("fsck.f2fs", "--restore", log, broken, rc=8)
    assert digest(broken) == before
    log.write_bytes(kept)
    run_tool("fsck.f2fs", "-y", broken, rc=1)
    run_tool("fsck.f2fs", "-f", "-y", "--undo", tmp_path / "unused", broken)
    assert not (tmp_path / "unused").exists()
    run_tool("f2fs", "-w", broken, "mkdir", "/later")
    later = digest(broken)
    refused = run_tool("fsck.f2fs", "--restore", log, broken, rc=8).stderr
    assert b"broken.img is not as the recording left it" in refused and b"-f puts the recorded bytes back" in refused
    assert b"not as the recording left it" in run_tool("f2fs", "-w", broken, "restore", log, rc=None).stderr
    assert digest(broken) == later
    run_tool("f2fs", "-w", broken, "restore", "-f", log)
    assert b"check the volume" in run_tool("fsck.f2fs", "--restore", log, "-f", broken).stderr


def damaged(sound, place, at, count):
    image = place / "damaged.img"
    image.write_bytes(sound.read_bytes())
    with open(image, "r+b") as f:
        f.seek(at)
        f.write(bytes(count))
    return image


@pytest.mark.parametrize("length", [8192, 1 << 20, 4 << 20])
def test_both_superblocks_lost(run_tool, sound, tmp_path, length):
    """A check finds what a repair finds: the volume of which areas are left."""
    image = damaged(sound, tmp_path, 0, length)
    before = image.read_bytes()

    def named(mode, rc):
        return [(p["name"], p["slot"], p["found"]) for p in json.loads(run_tool("fsck.f2fs", mode, "--json", image, rc=rc).stdout)["problems"]]
    looked = run_tool("fsck.f2fs", "-n", image, rc=4)
    assert b"both superblocks are lost; layout taken from a checkpoint pack" in looked.stderr
    assert b"label and UUID are lost\n" in looked.stderr and b"the volume has the features extra_attr inode_checksum" in looked.stderr
    said = named("-n", 4)
    assert said[:2] == [("SB_COPY", copy, None) for copy in (0, 1)] and named("--dry-run", 4) == said
    assert image.read_bytes() == before
    assert named("-y", 1) == said
    run_tool("fsck.f2fs", "-n", image)


def test_a_look_names_the_options_that_repair(run_tool, broken):
    """A run that cannot ask is a look, like -n."""
    for mode in ([], ["-n"]):
        assert b"-y repairs" in run_tool("fsck.f2fs", *mode, broken, rc=4).stdout
    assert b"-y repairs" not in run_tool("fsck.f2fs", "-y", broken, rc=1).stdout


def test_no_trace_of_a_volume(run_tool, tmp_path):
    """A file of something else, or of a volume whose areas are gone, is no volume for any mode."""
    image = tmp_path / "image"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    with open(image, "r+b") as file:
        file.write(bytes(24 << 20))
    for data in (image.read_bytes(), bytes(64 << 20), bytes(range(251)) * 100000):
        image.write_bytes(data)
        for mode in "-n", "--dry-run", "-a", "-y":
            found = run_tool("fsck.f2fs", mode, image, rc=8)
            assert b"not an F2FS volume: neither superblock has the magic number" in found.stderr and not found.stdout
        assert image.read_bytes() == data


def test_a_rule_is_named_as_broken(run_tool, sound, tmp_path):
    image = damaged(sound, tmp_path, 1024, 4)
    assert b"superblock copy 0 is not valid: broken rule: magic is" in run_tool("fsck.f2fs", "-n", image, rc=4).stdout


def test_json(run_tool, sound, broken):
    report = json.loads(run_tool("fsck.f2fs", "--json", "-n", broken, rc=4).stdout)
    by_name = {p["name"]: p for p in report["problems"]}
    assert by_name["LINKS_FILE"]["found"] == 7 and by_name["LINKS_FILE"]["expected"] == 2
    assert by_name["LINKS_FILE"]["path"] in ("/d/large", "/d/e/again") and by_name["LINKS_FILE"]["id"] == 604
    assert report["exit_status"] == 4 and report["found"] == len([p for p in report["problems"] if p["severity"] != "note"])
    assert report["fixed"] == 0 and not any(p["action"] == "fixed" for p in report["problems"])
    report = json.loads(run_tool("fsck.f2fs", "--json", "-y", broken, rc=1).stdout)
    assert report["fixed"] == report["found"] > 0
    report = json.loads(run_tool("fsck.f2fs", "--json", "-n", sound).stdout)
    assert report["found"] == 0 and report["files"] == 2 and report["exit_status"] == 0


def test_choosing_problems(run_tool, broken):
    done = run_tool("fsck.f2fs", "-n", "--ignore", "links", broken, rc=4)
    assert b"LINKS_FILE" not in done.stdout and b"CP_VALID_NODES" in done.stdout
    done = run_tool("fsck.f2fs", "-n", "--ignore", "P604", "--ignore", "totals", broken)
    assert b"ASSERT" not in done.stdout
    assert b"--problems" in run_tool("fsck.f2fs", "-n", "--ignore", "nonsense", broken, rc=16).stderr


def test_table(run_tool):
    text = run_tool("fsck.f2fs", "--problems").stdout.decode()
    assert "P604" in text and "LINKS_FILE" in text
    rows = json.loads(run_tool("fsck.f2fs", "--explain=all", "--json").stdout)
    assert len({row["id"] for row in rows}) == len(rows) > 50
    for key in ("P604", "604", "LINKS_FILE"):
        assert b"LINKS_FILE" in run_tool("fsck.f2fs", "--explain", key).stdout
    run_tool("fsck.f2fs", "--explain", "P9999", rc=16)


def test_listings(run_tool, sound):
    assert b"log_blocksize" in run_tool("fsck.f2fs", "-l", sound).stdout
    assert b"/d/large " in run_tool("fsck.f2fs", "-M", sound).stdout
    run_tool("fsck.f2fs", "-t", "-l", sound, rc=16)
    run_tool("fsck.f2fs", "-t", "--json", sound, rc=16)


def test_the_tree_is_shown_beside_a_check(run_tool, sound, tmp_path):
    """Scripts take the status of -t for that of a check, as f2fs-tools give it."""
    image = tmp_path / "broken.img"
    shutil.copyfile(sound, image)
    run_tool("f2fs", "-w", image, "set", "cp.valid_node_count", "+=3")
    for options, status in ((["-t", "-n"], 4), (["-t", "--dry-run"], 4), (["-t"], 4), (["-t", "-y"], 1), (["-t"], 0)):
        said = run_tool("fsck.f2fs", *options, image, rc=status).stdout
        assert b"small <ino" in said and b"[FSCK] " in said
    assert b"<ino" not in run_tool("fsck.f2fs", "-t", "-a", image).stdout  # there is nothing to be checked


def test_progress_descriptor(tool, sound):
    reader, writer = os.pipe()
    done = subprocess.run([tool("fsck.f2fs"), "-n", "-C%d" % writer, str(sound)], pass_fds=[writer],
                          capture_output=True, check=True)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        lines = stream.read().splitlines()
    assert lines and not done.stderr
    for line in lines:
        number, at, total, device = line.split(None, 3)
        assert int(number) >= 1 and int(at) <= int(total) and device == os.fsencode(sound)


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["--no-such-option", "x"], ["-p-1", "x"], ["-q", "2", "x"], ["-g", "x", "y"],
                                       ["--problems", "x"], ["-n", "--undo", "u", "x"]])
def test_wrong_usage(run_tool, arguments):
    assert run_tool("fsck.f2fs", *arguments, rc=16).stderr


def test_what_is_no_volume(run_tool, tmp_path):
    image = tmp_path / "zeros"
    image.write_bytes(bytes(50 << 20))
    assert run_tool("fsck.f2fs", "-f", image, rc=8).stderr
    said = run_tool("fsck.f2fs", "-f", tmp_path / "nowhere", rc=8).stderr
    assert b"No such file" in said and said.count(b"nowhere") == 1


def test_several_devices(run_tool, tmp_path):
    first, second = tmp_path / "first.img", tmp_path / "second.img"
    for path in (first, second):
        with open(path, "wb") as file:
            file.truncate(64 << 20)
    run_tool("mkfs.f2fs", "-q", "-c", second, first)
    run_tool("f2fs", "--trust-devices", "-w", first, "mkdir", "/d")
    assert b"1 problem" not in run_tool("fsck.f2fs", "-n", "--device", second, first).stdout
    run_tool("f2fs", "--trust-devices", "-w", first, "set", "cp.valid_node_count", "99")
    before = digest(first), digest(second)
    for further in (["--trust-devices"], ["--device", second]):
        done = run_tool("fsck.f2fs", "--dry-run", *further, first, rc=4)
        assert b"would be repaired" in done.stdout
        undo = tmp_path / ("undo%d" % len(further))
        run_tool("fsck.f2fs", "-y", "--undo", undo, *further, first, rc=1)
        assert (digest(first), digest(second)) != before
        run_tool("fsck.f2fs", "--restore", undo, *further, first)
        assert (digest(first), digest(second)) == before
    run_tool("fsck.f2fs", "--restore", undo, "--device", first, first, rc=8)
    run_tool("fsck.f2fs", "-y", "--device", second, first, rc=1)
    run_tool("fsck.f2fs", "-n", "--device", second, first)


def test_preen_leaves_recovery_to_the_mount(run_tool, f2fskit, tmp_path):
    image = tmp_path / "unclean.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    volume = f2fskit.open(image, "r+")
    volume.path("/file").write_bytes(b"contents")
    volume.path("/file").inode().fsync()
    volume.close()
    before = digest(image)
    for option in ("-a", "-p", "-p1"):
        done = run_tool("fsck.f2fs", option, image)
        assert not done.stdout and digest(image) == before, option
    assert b"CP_PENDING" in run_tool("fsck.f2fs", "-n", image).stdout
    assert b"recovered" in run_tool("fsck.f2fs", "-f", image).stdout and digest(image) != before
    with f2fskit.open(image) as volume:
        assert volume.pending == 0 and volume.read_bytes("/file") == b"contents"
