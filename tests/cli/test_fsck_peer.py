# SPDX-License-Identifier: LGPL-2.1-or-later
"""fsck.f2fs beside that of f2fs-tools, option by option: exit codes, whether the image is written, and the lines that
programs read. Where the two differ the table says why."""
import os
import re
import shutil
import subprocess

import pytest

PEER = shutil.which("fsck.f2fs", path="/usr/sbin:/sbin:/usr/bin")
IMAGES = ("sound", "broken", "flagged", "zeros", "missing")

# Exit statuses of options on a sound image, a broken one, one that is broken and says so in its checkpoint, one that is no
# volume, one that is not there. 1 and 9 (which is 1 | 8) mean that the image was written.
LOOK, REPAIR, IF_ASKED, PRINT, WRONG = (0, 4, 4, 8, 8), (0, 1, 1, 8, 8), (0, 0, 1, 8, 8), (0, 0, 0, 8, 8), (16,) * 5
TELL = (0, 4, 1, 8, 8)
OURS = {
    "": LOOK, "-n": LOOK, "-N": LOOK, "--dry-run": LOOK, "-f --dry-run": LOOK, "-fn": LOOK, "-S --dry-run": LOOK,
    "-H": LOOK, "-c 100": LOOK, "-c 100 -m 8": LOOK, "--debug-cache -c 9": LOOK, "-d 1": LOOK, "-q 1": LOOK, "-q 0": LOOK,
    "--fault_injection=2 --fault_type=8": LOOK, "-O encrypt --dry-run": LOOK,
    "-f": REPAIR, "-y": REPAIR, "-fy": REPAIR, "-p 1": REPAIR, "-py": REPAIR, "-q 0 -f": REPAIR, "-q 1 -f": REPAIR, "-d 1 -f": REPAIR,
    "-f -a": REPAIR, "-a -f": REPAIR, "-fa": REPAIR, "-y -a": REPAIR, "-f -p": REPAIR, "-p -f": REPAIR, "-p 1 -a": REPAIR, "-a -p 1": REPAIR,
    "-g android -f": REPAIR, "-f -g android": REPAIR,
    "-p 2": TELL, "-p 3": TELL, "-p 9": TELL,
    "-a": IF_ASKED, "-p": IF_ASKED, "-p 0": IF_ASKED, "-ap": IF_ASKED, "-g android": IF_ASKED,
    "--no-kernel-check -a": IF_ASKED, "-l": PRINT, "-M": PRINT, "-t": LOOK, "-V": (0,) * 5,
    "-Z": WRONG, "-d x": WRONG, "-q 2": WRONG, "-O nonsense": WRONG, "-g x": WRONG,
}
ONLY_OURS = {"-n", "-N", "-fn", "-H", "--fault_injection=2 --fault_type=8"}
# f2fs-tools 1.15: (options, image): (their exit code, why it is another one here). None stands for a run without an end.
ASKS = "they ask on the standard input, and crash when it ends"
THEIRS = {
    ("", "broken"): (255, ASKS), ("", "flagged"): (255, ASKS),
    ("-t", "broken"): (255, ASKS), ("-t", "flagged"): (255, ASKS),
    **{(o, i): (255, ASKS) for o in ("-c 100", "-c 100 -m 8", "--debug-cache -c 9", "-d 1", "-q 1", "-q 0")
       for i in ("broken", "flagged")},
    **{("-f --dry-run", i): (1, "nothing was corrected") for i in ("broken", "flagged")},
    **{("-S --dry-run", i): (8, "built without sparse images") for i in ("sound", "broken", "flagged")},
    **{("-py", i): (None, "they never come to an end") for i in IMAGES},
    **{(o, i): (1, "1 means corrected") for o in ("-Z", "-d x", "-O nonsense") for i in IMAGES},
    **{(o, i): (code, "they ignore it") for o in ("-q 2", "-g x") for i, code in zip(IMAGES, (0, 255, 255))},
    **{(o, i): (1, "an option of later versions") for o in ONLY_OURS for i in IMAGES},
}


@pytest.fixture(scope="module")
def images(run_tool, tmp_path_factory):
    top = tmp_path_factory.mktemp("peer")
    source = top / "source"
    (source / "d").mkdir(parents=True)
    (source / "d" / "small").write_bytes(b"small")
    (source / "large").write_bytes(os.urandom(300000))
    os.link(source / "large", source / "d" / "again")
    paths = {name: top / (name + ".img") for name in IMAGES}
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum,quota,lost_found", "--root-dir", source, paths["sound"], "64M")
    for name in ("broken", "flagged"):
        shutil.copy(paths["sound"], paths[name])
        run_tool("f2fs", "-w", paths[name], "set", "cp.valid_node_count", "+=3")
    run_tool("f2fs", "-w", paths["flagged"], "set", "cp.ckpt_flags", "|=0x10")
    with open(paths["zeros"], "wb") as f:
        f.truncate(64 << 20)
    return paths


@pytest.fixture
def run(images, tmp_path):
    """run(program, options, image): (exit code, was the image written?, output); None for one that does not end."""
    def run(program, options, name, limit=60):
        path = tmp_path / (name + ".img")
        if images[name].exists() and not path.exists():
            subprocess.run(["cp", "--sparse=always", images[name], path], check=True)
        if path.exists():
            os.utime(path, ns=(1, 1))   # two changes may share a tick of the clock
        done = subprocess.run([program, *options.split(), path], capture_output=True, stdin=subprocess.DEVNULL, timeout=limit)
        is_written = path.exists() and path.stat().st_mtime_ns != 1
        if is_written:
            path.unlink()
        return done.returncode, is_written, done.stdout.decode(errors="replace")
    return run


@pytest.mark.parametrize("options", OURS)
def test_exit_codes(tool, run, options):
    for name, code in zip(IMAGES, OURS[options]):
        assert run(tool("fsck.f2fs"), options, name)[:2] == (code, code == 1), name


@pytest.mark.skipif(not PEER, reason="fsck.f2fs of f2fs-tools is not installed")
@pytest.mark.parametrize("options", OURS)
def test_exit_codes_of_peer(run, options):
    """f2fs-tools behave the same, except as the table says. A volume that cannot be opened is 255 there."""
    for name, ours in zip(IMAGES[:3], OURS[options]):
        code, why = THEIRS.get((options, name), (ours, ""))
        if code is None:
            continue
        found = run(PEER, options, name)
        assert found[0] == code, name
        assert bool(why) == (code != ours), name
        assert code not in (0, 4) or not found[1], name
    if THEIRS.get((options, "zeros"), (8, ""))[0] == 8 and options == "":
        assert run(PEER, options, "zeros")[0] == 255 and run(PEER, options, "missing")[0] == 8


def scraped(text):
    """The lines that programs read, by their first words."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"(\[FSCK\] [^[\]:]*?) *(\[(?:Ok\.\.|Fail)\].*)", line) or \
            re.match(r"(Info: [^=]*?) *= *(.*)", line) or re.match(r"(Done): ([\d.]+) secs$", line)
        if match and match[1].strip() not in ("Info: Debug level", "Info: Preserve quota limits"):
            found[match[1].strip()] = " ".join(sorted(match[2].split())) if match[1] != "Done" else ""
    return found


@pytest.mark.skipif(not PEER, reason="fsck.f2fs of f2fs-tools is not installed")
def test_lines_of_a_sound_volume(tool, run):
    """All lines with values that theirs print are here, with the same values."""
    ours, theirs = (scraped(run(program, "--dry-run", "sound")[2]) for program in (tool("fsck.f2fs"), PEER))
    assert len(theirs) >= 14
    assert {name: ours.get(name) for name in theirs} == theirs


@pytest.mark.skipif(not PEER, reason="fsck.f2fs of f2fs-tools is not installed")
def test_lines_of_a_broken_volume(tool, run):
    """The same lines say that something is wrong."""
    ours, theirs = ({name for name, value in scraped(run(program, "--dry-run", "broken")[2]).items() if "[Fail]" in value}
                    for program in (tool("fsck.f2fs"), PEER))
    assert ours and ours <= theirs and theirs - ours <= {"[FSCK] other corrupted bugs", "[FSCK] valid_node_count matching with CP (de lookup)"}


@pytest.mark.skipif(not PEER, reason="fsck.f2fs of f2fs-tools is not installed")
@pytest.mark.parametrize("options", ["-M", "-t"])
def test_listings(tool, run, options):
    """The same files: -M with the same blocks, -t with the same numbers."""
    def lines(text):
        text = re.sub(r"\x1b\[2K|\r", "\n", text)
        pattern = r"^/.* [\d-]+.*$" if options == "-M" else r"<ino = 0x[0-9a-f]+>"
        return sorted(re.sub(r" +$", "", line) for line in re.findall(pattern, text, re.M))
    ours, theirs = (lines(run(program, options, "sound")[2]) for program in (tool("fsck.f2fs"), PEER))
    assert ours and ours == theirs


def test_size_is_where_the_image_can_be_cut(run_tool, images, tmp_path):
    """Max image size counts whole MB up to the last block in use: the space after it is not needed. (f2fs-tools print the
    end of the run's own writes: the same with sload.f2fs, less with a check alone.)"""
    path = tmp_path / "cut.img"
    shutil.copy(images["sound"], path)
    size = int(re.search(r"Max image size: (\d+) MB", run_tool("fsck.f2fs", "-n", path).stdout.decode())[1])
    with open(path, "rb") as f:
        f.seek((size + 1) << 20)
        assert not f.read().strip(b"\0")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "file").write_bytes(b"x" * 100000)
    said = run_tool("sload.f2fs", "-f", tmp_path / "more", path).stdout.decode()
    line = next(line for line in said.splitlines() if "Max image size" in line)
    checked = run_tool("fsck.f2fs", "-n", path).stdout.decode()
    assert line.split(" ", 1)[1] in checked and line.split()[4].isdigit()
