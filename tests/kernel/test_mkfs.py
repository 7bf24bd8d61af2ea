# SPDX-License-Identifier: LGPL-2.1-or-later
"""What our mkfs.f2fs makes is a volume to the kernel and to f2fs-tools: it is mounted without a word of complaint,
lives, is unmounted, and passes fsck. Every option, alone and together, and a spread of sizes; many volumes per boot.
"""
import concurrent.futures
import dataclasses
import json
import os
import subprocess
import sys

import pytest

import makers
import reading
import uml

HERE = os.path.dirname(os.path.abspath(__file__))
LIVE = os.path.join(HERE, "guest", "live_all.py")
MIB, GIB, TIB = 1 << 20, 1 << 30, 1 << 40
FEATURES = ("extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr,quota,project_quota,lost_found,sb_checksum,"
            "verity,compression,casefold,encrypt")


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    options: str = ""
    size: int = 128 * MIB
    more: tuple = ()            # sizes of further devices
    needs: str = ""
    mem: int = 512
    zoned: bool = False
    expect: tuple = ()          # (what of the new volume, its value)


SIZES = [Case("size-%s" % name, "", size, mem=mem) for name, size, mem in (
    ("52M", 52 * MIB, 512), ("60M", 60 * MIB, 512), ("64M", 64 * MIB, 512), ("100M", 100 * MIB, 512),
    ("odd", 123456789 // 512 * 512, 512), ("255M", 255 * MIB, 512), ("256M", 256 * MIB, 512), ("512M", 512 * MIB, 512),
    ("1G", GIB, 512), ("1234567890", 1234567890 // 512 * 512, 512), ("3G", 3 * GIB, 512), ("17G", 17 * GIB, 512),
    ("100G", 100 * GIB, 512), ("1T", TIB, 1024), ("4T", 4 * TIB, 2048))]
OPTIONS = [
    Case("heap", "-a 1"), Case("no-heap", "-a 0"), Case("block-size", "-b 4096"), Case("debug", "-d 1"),
    Case("cold-extensions", "-e foo,bar"), Case("hot-extensions", "-E baz"), Case("android", "-g android", needs="casefold"),
    Case("hints", "-H"), Case("large-nat-bitmap", "-i"), Case("large-nat-bitmap-8G", "-i", 8 * GIB),
    Case("label", "-l d\u00e4monisch", expect=(("label", "d\u00e4monisch"),)),
    Case("label-astral", "-l \U0001f600", expect=(("label", "\U0001f600"),)),
    Case("overprovision-5", "-o 5", GIB), Case("overprovision-20", "-o 20", GIB), Case("overprovision-fraction", "-o 1.5", 8 * GIB),
    Case("quiet", "-q"), Case("fixed-seed", "-r"), Case("root-owner", "-R 1000:2000", expect=(("uid", 1000), ("gid", 2000))),
    Case("sections-2", "-s 2"), Case("sections-4-zones-2", "-s 4 -z 2", 512 * MIB), Case("sections-16", "-s 16", 2 * GIB),
    Case("zones-4", "-z 4", 512 * MIB), Case("no-discard", "-t 0"), Case("discard", "-t 1"),
    Case("time", "-T 1234567890", expect=(("mtime", 1234567890 * 10**9), ("ctime", 1234567890 * 10**9))),
    Case("uuid", "-U 01234567-89ab-cdef-0123-456789abcdef"), Case("sector-size", "-w 4096"),
    Case("casefold", "-C utf8 -O casefold", needs="casefold"), Case("casefold-strict", "-C utf8:strict -O casefold", needs="casefold"),
    Case("lost-found", "-O lost_found", expect=(("has lost+found", True),)),
    Case("encrypt", "-O encrypt", needs="encryption"), Case("verity", "-O verity", needs="verity"),
    Case("sb-checksum", "-O sb_checksum"), Case("quota", "-O quota"), Case("quota-project", "-O extra_attr,quota,project_quota"),
    Case("quota-other-owner", "-O extra_attr,quota,project_quota -R 1000:2000", expect=(("uid", 1000), ("gid", 2000))),
    Case("extra-attr", "-O extra_attr"), Case("checksum", "-O extra_attr,inode_checksum"),
    Case("crtime", "-O extra_attr,inode_crtime"), Case("flexible-xattr", "-O extra_attr,flexible_inline_xattr"),
    Case("compression", "-O extra_attr,compression", needs="compression"),
    Case("all-features", "-C utf8 -O " + FEATURES, needs="compression encryption verity casefold",
         expect=(("has lost+found", True),)),
    Case("all-features-small", "-C utf8 -O " + FEATURES, 64 * MIB, needs="compression encryption verity casefold"),
    Case("all-features-sections", "-s 4 -i -C utf8 -O " + FEATURES, 4 * GIB, needs="compression encryption verity casefold"),
    Case("two-devices", "", 64 * MIB, (128 * MIB,)), Case("four-devices", "-O extra_attr", 64 * MIB, (64 * MIB, 200 * MIB, 96 * MIB)),
    Case("zoned", "-m", 512 * MIB, needs="block_zoned", mem=1024, zoned=True),
]
CASES = SIZES + OPTIONS


@dataclasses.dataclass
class Life:
    """What became of a case."""
    error: str = ""
    problems: list = dataclasses.field(default_factory=list)
    report: dict = dataclasses.field(default_factory=dict)
    disks: list = dataclasses.field(default_factory=list)


def format_case(case, mkfs, folder):
    """Formats a new file on the host. On several devices the guest does it: their names go into the superblock."""
    life = Life(disks=[str(folder / ("%s.%d" % (case.name, i))) for i in range(1 + len(case.more))])
    if case.zoned or case.more:
        for path, size in zip(life.disks, (case.size, *case.more)):
            with open(path, "wb") as f:
                f.truncate(size)
        return life
    done = subprocess.run([mkfs, *case.options.split(), life.disks[0], str(case.size // 512)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode:
        life.error = "mkfs.f2fs ended with %d\n%s" % (done.returncode, done.stdout.decode(errors="replace"))
    return life


def batches(cases):
    groups = []
    for case in sorted(cases, key=lambda c: (c.mem, c.name)):
        disks = 1 + len(case.more)
        if not groups or groups[-1][0].mem != case.mem or case.mem > 1024 or \
                sum(1 + len(c.more) for c in groups[-1]) + disks > uml.MAX_IMAGES:
            groups.append([])
        groups[-1].append(case)
    return groups


def live(group, lives, mkfs, kernel, folder):
    jobs, disks = [], []
    for case in group:
        names = ["/dev/ubd" + chr(ord("a") + len(disks) + i) for i in range(1 + len(case.more))]
        disks += lives[case.name].disks
        words = [mkfs, "-f", *case.options.split()]
        for name in names[1:]:
            words += ["-c", name]
        jobs.append({"case": case.name, "disks": names, "out": str(folder / (case.name + ".json")),
                     "format": words if case.more else None, "zoned": words if case.zoned else None,
                     "fsck": [fsck_program(), "--dry-run", "-f"] if case.more or case.zoned else None})
    path = folder / ("jobs-%s.json" % group[0].name)
    path.write_text(json.dumps(jobs))
    r = uml.run([sys.executable, "-I", LIVE, str(path)], images=disks, kernel=kernel, mem="%dM" % group[0].mem, timeout=600)
    for subject, line in r.about():
        if line.problem and subject:
            lives[subject].problems.append(line.text)
    for job in jobs:
        if os.path.exists(job["out"]):
            with open(job["out"]) as f:
                lives[job["case"]].report = json.load(f)
        else:
            lives[job["case"]].error = "the guest did not come to it\n" + str(r.stderr[-2000:])


@pytest.fixture(scope="session")
def lives(kernel, tool, tmp_path_factory):
    """{case: Life}: every case formatted, and lived through in a guest."""
    folder = tmp_path_factory.mktemp("lives")
    mkfs = tool("mkfs.f2fs")
    cases = [c for c in CASES if set(c.needs.split()) <= kernel.features]
    found = {c.name: format_case(c, mkfs, folder) for c in cases}
    good = [c for c in cases if not found[c.name].error]
    with concurrent.futures.ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        for future in [pool.submit(live, g, found, mkfs, kernel, folder) for g in batches(good)]:
            future.result()
    return found


@pytest.fixture
def life(lives, case):
    if case.name not in lives:
        pytest.skip("this kernel lacks one of: " + case.needs)
    life = lives[case.name]
    assert not life.error, life.error
    assert "error" not in life.report, life.report["error"]
    return life


def shown(report, what):
    root = report["entries"][""]
    if what == "has lost+found":
        return "lost+found" in report["entries"]
    return root[what] if what in root else report[what]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_the_kernel_takes_it(case, life):
    assert not life.problems
    assert life.report["survived"]
    for what, value in case.expect:
        assert shown(life.report, what) == value, what
    wanted = case.options.split("-O ")[1].split()[0].split(",") if "-O" in case.options else []
    kernel_names = {"encrypt": "encryption", "quota": "quota_ino", "project_quota": "projquota"}
    for feature in wanted:
        assert kernel_names.get(feature, feature) in life.report["features"]


def fsck_program():
    return os.path.join(os.path.dirname(makers.PEER.program()), "fsck.f2fs")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_f2fs_tools_find_nothing(case, life):
    """After the workload, fsck.f2fs agrees with the volume (in the guest, where its superblock names devices)."""
    if "fsck" in life.report:
        status, text = life.report["fsck"]
    else:
        done = subprocess.run([fsck_program(), "--dry-run", "-f", life.disks[0]], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        status, text = done.returncode, done.stdout.decode(errors="replace")
    assert status == 0 and "[Fail]" not in text and "[ASSERT]" not in text, text[-3000:]


# ---- the catalogue once more, on volumes of ours

OURS = ("plain", "features", "sections", "large-nat-bitmap", "casefold", "compress-zstd", "encrypt-combined", "aged",
        "full-logs", "cut-fsynced", "multi-device", "huge", "zoned", "ro", "ro-compressed", "sloaded")


@pytest.fixture(scope="session")
def ours(kernel, tool):
    names = [n for n in OURS if n in makers.possible(kernel)]
    return makers.make(names, makers.Formatter(tool("mkfs.f2fs"), label="ours"), kernel)


@pytest.mark.parametrize("name", OURS)
def test_our_volumes_hold_everything(name, ours, f2fskit):
    if name not in ours:
        pytest.skip("this kernel cannot make it")
    image = ours[name]
    assert not image.error, image.error
    with f2fskit.open(image.path, devices=image.paths[1:] or None) as volume:
        got = reading.tree(volume, f2fskit)
    reading.must_be_same(image.manifest()["entries"], got, ignore=("fiemap", "map"))


@pytest.mark.parametrize("block", [4096] + [16384] * bool(os.environ.get("F2FSKIT_NEWER_F2FS_TOOLS")))
@pytest.mark.parametrize("options", ["", "-O extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr", "-i -s 2", "-O packed_ssa",
                                     "-C utf8 -O " + FEATURES])
def test_newer_f2fs_tools(options, block, run_tool, f2fskit, newer_tools, tmp_path):
    """No kernel that we can run has pages of 16 KiB: f2fs-tools fill and check the volume."""
    disk, source = tmp_path / "disk", tmp_path / "source"
    source.mkdir()
    makers.source_tree(str(source))
    if block == 4096:
        (source / makers.SLOAD_SPOILS).unlink()
    run_tool("mkfs.f2fs", "-b", block, *options.split(), disk, "1G")

    def ask(program, *args):
        done = newer_tools(block, program, *args, disk)
        return done.returncode, done.stdout.decode(errors="replace")

    status, text = ask("sload.f2fs", "-f", source, "-P")
    assert status in (0, 1), text               # its normal success is 1: it repairs the volume that it has just made
    status, text = ask("fsck.f2fs", "--dry-run", "-f")
    assert status == 0 and "[Fail]" not in text, text[-3000:]
    with f2fskit.open(disk) as volume:
        assert volume.block_size == block
        reading.must_hold(source, reading.tree(volume, f2fskit))
