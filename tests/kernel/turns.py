#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes on which the kernel and we take turns: formatted, mounted and used at random.

    PYTHONPATH=build/python tests/kernel/turns.py [--seed N] [--minutes N] [--rounds N] [--volumes N] [--folder DIR]

Each round of a volume: the kernel shows the volume that we left, mounts with random options, works (guest/roaming.py) and
unmounts, shuts down or loses power. We must read and recover the same files as it does, and find fault where it does. Then we
change the volume (our_turn.py). What fails is named with its seed and round, and its images are kept.
"""
import argparse
import dataclasses
import filecmp
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import makers  # noqa: E402
import our_turn  # noqa: E402
import reading  # noqa: E402
import uml  # noqa: E402
from test_read import compare_maps  # noqa: E402

TURNING = os.path.join(HERE, "guest", "turning.py")
MIB = 1 << 20
FEATURES = ("inode_checksum", "inode_crtime", "flexible_inline_xattr", "project_quota", "compression")     # all need extra_attr
LOOSE = ("encrypt", "quota", "lost_found", "verity", "sb_checksum", "casefold")
SIZES = (40, 48, 64, 64, 100, 128, 200, 200, 256, 300, 500, 1100, 4000)
# (options of which one is taken, feature of the volume that it needs, chance of being taken)
OPTIONS = (
    (("background_gc=on", "background_gc=off", "background_gc=sync"), "", 0.3),
    (("gc_merge", "nogc_merge"), "", 0.2), (("nodiscard", "discard"), "", 0.3),
    (("discard_unit=block", "discard_unit=segment", "discard_unit=section"), "", 0.3), (("no_heap", "heap"), "", 0.1),
    (("inline_xattr", "noinline_xattr"), "", 0.2), (("inline_xattr_size=6", "inline_xattr_size=200", "inline_xattr_size=850"), "flexible_inline_xattr", 0.5),
    (("noinline_data", "inline_data"), "", 0.25), (("noinline_dentry", "inline_dentry"), "", 0.25),
    (("flush_merge", "noflush_merge"), "", 0.3), (("fastboot",), "", 0.2), (("extent_cache", "noextent_cache"), "", 0.2),
    (("age_extent_cache",), "", 0.2), (("data_flush",), "", 0.2),
    (("mode=adaptive", "mode=lfs", "mode=lfs", "mode=fragment:block", "mode=fragment:segment"), "", 0.6),
    (("usrquota,grpquota", "usrquota", "grpquota", "usrquota,grpquota,prjquota"), "quota", 0.4),
    (("alloc_mode=default", "alloc_mode=reuse"), "", 0.4), (("fsync_mode=posix", "fsync_mode=strict", "fsync_mode=nobarrier"), "", 0.4),
    (("checkpoint_merge", "nocheckpoint_merge"), "", 0.3), (("compress_algorithm=lzo", "compress_algorithm=lzo-rle", "compress_algorithm=lz4",
      "compress_algorithm=lz4:5", "compress_algorithm=zstd", "compress_algorithm=zstd:8"), "compression", 0.8),
    (("compress_log_size=2", "compress_log_size=3", "compress_log_size=6"), "compression", 0.5),
    (("compress_extension=*", "compress_extension=txt", "compress_extension=jpg,compress_extension=db"), "compression", 0.5),
    (("nocompress_extension=so", "nocompress_extension=zst"), "compression", 0.2), (("compress_chksum",), "compression", 0.3),
    (("compress_mode=fs", "compress_mode=user"), "compression", 0.4), (("compress_cache",), "compression", 0.3),
    (("atgc",), "", 0.2), (("memory=low", "memory=normal"), "", 0.2), (("errors=continue", "errors=remount-ro", "errors=panic"), "", 0.2),
    (("active_logs=2", "active_logs=4", "active_logs=6"), "", 0.5), (("test_dummy_encryption", "test_dummy_encryption=v1"), "encrypt", 0.15),
    (("inlinecrypt",), "encrypt", 0.2), (("reserve_root=1000", "reserve_root=1000,resuid=7,resgid=7"), "", 0.1), (("noacl",), "", 0.05),
    (("nouser_xattr",), "", 0.05), (("lazytime",), "", 0.2), (("disable_ext_identify",), "", 0.1), (("nobarrier", "barrier"), "", 0.2),
    (("sync",), "", 0.03), (("noatime", "nodiratime"), "", 0.2),
    (("checkpoint=disable", "checkpoint=disable:30%", "checkpoint=disable:2000"), "", 0.12))
THEN = ("", "noflush_merge", "checkpoint=disable", "checkpoint=enable", "nodiscard", "background_gc=off", "extent_cache", "noinline_data",
        "fsync_mode=strict", "alloc_mode=reuse", "compress_mode=user", "ro", "data_flush", "active_logs=4")
ENDS = ("umount",) * 6 + ("shutdown 0", "shutdown 1", "shutdown 2", "shutdown 2", "shutdown 2", "shutdown 3", "shutdown 4", "powercut", "powercut")
# Messages of a healthy kernel: makers.EXPECTED, and the answers to turning.py's requests.
SAID = (*makers.EXPECTED, r"inject|Allow to mount readonly|Adjust unusable cap|Test dummy encryption|heap/no_heap|inconsistent fsync mode|"
        r"Mount Device|quota_sysfile|disabling checkpoint|background gc|Ignored|unknown|QUOTA feature is enabled, so ignore|"
        r"Can't use IV_INO_LBLK|Error -28|err -28|dquota write failed|"
        r"Found FS corruption|need to run fsck|the verity feature is not enabled|Enable GC = ino|v1 policies can't be used on casefolded|Unexpected flush for atomic")
# Inodes whose nodes a shutdown kept from being written; quotas that it kept from being written, and says so in the checkpoint.
SAID_OF_SHUTDOWN = (r"f2fs_evict_inode: inconsistent node id|Quota error|Need to recover fsync data|quota file may be corrupted, skip",)


# Findings that the kernel itself causes when it is not unmounted: the flags that a shutdown asks for; quotas, which a
# checkpoint may miss when the volume was mounted before (f2fs-tools find them wrong as well); unlinked files of an atomic
# write, whose links are not written.
KERNELS_OWN = ("CP_FSCK_FLAG", "CP_QUOTA_FLAG", "QUOTA_SPACE", "QUOTA_INODES", "ORPHAN_COUNT")


class Difference(AssertionError):
    """Where the kernel and we do not agree."""


@dataclasses.dataclass
class Tools:
    f2fskit: object
    build: str
    newer: str = ""

    def peers(self):
        """[(version, fsck.f2fs)] of f2fs-tools"""
        folder = os.path.dirname(makers.PEER.program())
        return [(name, os.path.join(where, "fsck.f2fs")) for name, where in (("1.15", folder), ("1.16", self.newer)) if where]

    def tool(self, name):
        folder = {"f2fs": "edit", "f2fslabel": "label"}.get(name, name.split(".")[0])
        return os.path.join(self.build, folder, name)


def chosen_options(rng, features):
    found = [rng.choice(words) for words, needs, chance in OPTIONS if (not needs or needs in features) and rng.random() < chance]
    return [word for words in found for word in words.split(",")] if rng.random() < 0.9 else []


class Game:
    """A volume and its rounds."""

    def __init__(self, seed, folder, tools):
        self.seed, self.tools, self.rng = seed, tools, random.Random(seed)
        self.name = "turn-%d" % seed
        self.folder = os.path.join(folder, self.name)
        os.makedirs(self.folder)
        self.round, self.story, self.failed, self.peers, self.unclean = 0, [], "", [], False
        self.expected = None        # of what we left: {"": tree, ".key": tree}
        self.choose_format()

    # ---- format

    def choose_format(self):
        rng = self.rng
        sizes = [rng.choice(SIZES) * MIB + rng.choice((0, 0, 4096 * 77))]
        if rng.random() < 0.12:
            sizes = [max(sizes[0], 64 * MIB)] + [rng.choice((32, 64, 100)) * MIB for _ in range(rng.randrange(1, 4))]
        features = {f for f in LOOSE if rng.random() < 0.3}
        if rng.random() < 0.75:
            features |= {"extra_attr"} | {f for f in FEATURES if rng.random() < 0.6}
        if rng.random() < 0.1:
            features = {"extra_attr", *FEATURES, *LOOSE}
        if "project_quota" in features:
            features.add("quota")
        words = ["-O", ",".join(sorted(features))] if features else []
        if "casefold" in features:
            words += ["-C", rng.choice(("utf8", "utf8:strict"))]
        for option, values, chance in (("-s", ("2", "3", "4"), 0.25), ("-z", ("2", "3"), 0.12), ("-o", ("5", "10", "25"), 0.2),
                                       ("-l", ("label", "L\u00e4bel \u65e5\u672c"), 0.3), ("-e", ("cold1,cold2",), 0.2), ("-E", ("hot1",), 0.2),
                                       ("-a", ("0", "1"), 0.2), ("-R", ("7:1000",), 0.1)):
            if rng.random() < chance and not (option == "-R" and features & {"quota"}):      # f2fs-tools 1.16 make wrong quotas then
                words += [option, rng.choice(values)]
        words += ["-i"] if rng.random() < 0.2 else []
        self.features, self.words = features, words
        self.paths = [os.path.join(self.folder, "disk.%d" % i) for i in range(len(sizes))]
        for path, size in zip(self.paths, sizes):
            with open(path, "wb") as f:
                f.truncate(size)
        self.program = rng.choice(("ours", "ours", "1.15", "1.16") if len(sizes) == 1 else ("ours", "1.15"))
        self.format = None
        command = [self.mkfs(), "-q", "-f", *words]
        if len(sizes) > 1:
            self.format = command
        else:
            done = subprocess.run([*command, self.paths[0]], capture_output=True, stdin=subprocess.DEVNULL)
            if done.returncode:         # too small for that many segments in a section, for example
                os.truncate(self.paths[0], 600 * MIB)
                subprocess.run([*command, self.paths[0]], capture_output=True, stdin=subprocess.DEVNULL, check=True)
        self.tell("mkfs %s %s %s" % (self.program, [os.path.getsize(p) >> 20 for p in self.paths], " ".join(words)))

    def mkfs(self):
        if self.program == "1.16" and self.tools.newer:
            return os.path.join(self.tools.newer, "mkfs.f2fs")
        return self.tools.tool("mkfs.f2fs") if self.program == "ours" else makers.PEER.program()

    def tell(self, text):
        self.story.append(text)
        with open(os.path.join(self.folder, "story"), "a") as f:
            f.write(text + "\n")

    # ---- the kernel's turn

    def out(self, what):
        return os.path.join(self.folder, "%d.%s" % (self.round, what))

    def job(self, steps, may_cut):
        """The work of this round."""
        self.end = self.rng.choice(ENDS if may_cut else [e for e in ENDS if e != "powercut"])
        job = {"name": self.name, "seed": self.rng.randrange(2**32), "steps": steps, "end": self.end, "report": self.out("report"),
               "options": chosen_options(self.rng, self.features), "after": {"options": "ro", "out": self.out("after")},
               "then": self.rng.choice(THEN) if self.rng.random() < 0.25 else None}
        if job["then"]:     # 6.12 forgets the algorithm, but not its level, when the option is not given again
            job["then"] = ",".join([o for o in job["options"] if o.startswith("compress_algorithm=")] + [job["then"]])
        if self.round == 0 and self.format:
            job["format"] = self.format
        if self.expected is not None and not self.left_unclean:
            job["before"] = {"options": "ro", "out": self.out("before")}
        return job

    def heard(self, report):
        self.report = report
        self.tell("round %d: %s -o %s%s, then %s" % (self.round, report.get("options"), self.end, "", report.get("remounted")))
        if "error" in report:
            raise Difference("the guest: " + report["error"][-600:])
        if self.expected is not None and not self.left_unclean:
            self.compare_before()

    def load(self, what):
        with open(self.out(what)) as f:
            return json.load(f)

    def compare_before(self):
        """Return the kernel's view of the volume that we left; if that waits for recovery, of a copy that it has recovered."""
        for form, ours in self.expected.items():
            if os.path.exists(self.out("before" + form)):
                theirs = self.load("before" + form)["entries"]
                self.same("what we left%s" % form, theirs, ours, ("fiemap", "map", "atime"))

    def compare_recovered(self):
        for form, ours in self.expected.items():
            if os.path.exists(self.out("recovered" + form)):
                self.same("what we left%s" % form, late_times(self.load("recovered" + form)["entries"], ours), ours, ("fiemap", "map", "atime"))
        self.check_recovered()

    def check_recovered(self):
        """The copy that the kernel has recovered and unmounted is sound."""
        paths, self.paths = self.paths, ["%s.recovered" % path for path in self.paths]
        try:
            self.check("as the kernel recovered it")
        finally:
            self.paths = paths

    def same(self, what, theirs, ours, ignore):
        lines = reading.differences(theirs, ours, ignore)
        if not lines and reading.hard_links(theirs) != reading.hard_links(ours):
            lines = ["hard links differ"]
        if lines:
            raise Difference(what + ":\n  " + "\n  ".join(lines[:12]))

    def look_jobs(self):
        """Check a volume that was not closed: on copies, as these mounts write."""
        jobs = []
        for name in os.listdir(self.folder):
            if name.startswith(("%d.norecovery" % self.round, "%d.recovered" % self.round)):
                os.unlink(os.path.join(self.folder, name))      # left before this round
        for form, options in (("norecovery", "ro,norecovery"), ("recovered", ""))[self.disabled():]:
            copies = ["%s.%s" % (path, form) for path in self.paths]
            for path, copy in zip(self.paths, copies):
                subprocess.check_call(["cp", "--sparse=always", path, copy])
            jobs.append(({"name": self.name, "end": "", "report": self.out("report-" + form),
                          "before": {"options": options, "out": self.out(form)}}, copies))
        return jobs

    def disabled(self):
        with self.open() as volume:
            return bool(volume.checkpoint.ckpt_flags & 0x1000)

    # ---- our side

    def open(self, access="r", **options):
        return self.tools.f2fskit.open(self.paths[0], access, devices=self.paths[1:] or None, **options)

    def trees(self, **options):
        """Our view without keys, and with them."""
        with self.open(**options) as volume:
            found = {"": reading.tree(volume, self.tools.f2fskit)}
            if volume.superblock.feature & 1:
                our_turn.add_keys(volume)
                found[".key"] = reading.tree(volume, self.tools.f2fskit)
            stat, sit = volume.statfs(), [(e.type, e.valid_blocks) for e in volume.sit] if volume.geometry.segment_count_main < 9000 else []
        return found, stat, sit

    def judge(self):
        clean = self.end == "umount" and not self.disabled()
        self.unclean = self.unclean or not clean
        if clean:
            found, stat, sit = self.trees()
            self.compare_view("after", found, ("fiemap", "map"), stat, sit)
        else:
            found, stat, sit = self.trees()
            if not self.disabled():
                self.compare_view("norecovery", found, ("fiemap", "map"))
            found, stat, _ = self.trees(recover="view")
            self.compare_view("recovered", found, ("fiemap", "map", "atime"), stat)
            self.check_recovered()
        self.check("as the kernel left it")
        if not self.unclean and self.rng.random() < 0.5:
            self.repair_leaves_it()

    def compare_view(self, view, found, ignore, stat=None, sit=()):
        for form, ours in found.items():
            if not os.path.exists(self.out(view + form)):
                continue
            shown = self.load(view + form)
            theirs = late_times(shown["entries"], ours) if view == "recovered" else shown["entries"]
            self.same(view + form, theirs, ours, (*ignore, "atime") if form else ignore)
            if view == "after" and not form:
                wrong = compare_maps(theirs, ours)
                if wrong:
                    raise Difference("maps: " + "; ".join(wrong[:5]))
                for segno, (kind, valid) in enumerate(shown.get("segments") or []):
                    if sit and (sit[segno][1] != valid or (valid and sit[segno][0] != kind)):
                        raise Difference("segment %d: %s, the kernel has %s" % (segno, sit[segno], (kind, valid)))
            if stat and not form:
                numbers = {key: getattr(stat, "f_" + key) for key in shown["statfs"]}
                if numbers != shown["statfs"]:
                    raise Difference("%s: statfs %s, the kernel has %s" % (view, numbers, shown["statfs"]))

    def check(self, when):
        report = self.tools.f2fskit.check(self.paths[0], devices=self.paths[1:], content=True)
        wrong = [p for p in report.problems if p.severity.name != "NOTE" and not (p.name in KERNELS_OWN and "kernel" in when and self.unclean)]
        if wrong:
            raise Difference("%s: %s" % (when, "; ".join("%s %s" % (p.name, p.message) for p in wrong[:5])))
        if len(self.paths) > 1:
            return
        for name, program in self.tools.peers():
            done = subprocess.run([program, "--dry-run", "-f", self.paths[0]], capture_output=True, stdin=subprocess.DEVNULL)
            text = done.stdout.decode(errors="replace")
            bad = [line for line in text.splitlines() if "[Fail]" in line or "ASSERT" in line]
            if (done.returncode or bad) and not self.unclean:
                self.tell("  PEER %s: f2fs-tools %s say %d %s" % (when, name, done.returncode, bad[:8] or text[-300:]))
                self.peers.append(bad[:3])

    def repair_leaves_it(self):
        copies = [path + ".repaired" for path in self.paths]
        for path, copy in zip(self.paths, copies):
            subprocess.check_call(["cp", "--sparse=always", path, copy])
        self.tools.f2fskit.check(copies[0], devices=copies[1:], repair=True)
        if not all(filecmp.cmp(a, b, shallow=False) for a, b in zip(self.paths, copies)):
            raise Difference("a repair of a volume without a problem changed it")
        for copy in copies:
            os.unlink(copy)

    def our_turn(self, steps):
        """Recovery first, by the engine or by the kernel at its next turn."""
        turn = our_turn.OurTurn(self.tools.f2fskit, self.paths, self.rng, self.tools.tool)
        try:
            if self.rng.random() < 0.85 or self.end == "shutdown 4":
                with self.open("r+") as volume:
                    volume.recover()
                if self.unclean:
                    self.tools.f2fskit.check(self.paths[0], devices=self.paths[1:], repair=True)
                    self.unclean = False
                self.check("recovered by us")
                turn.run(steps)
        finally:
            self.tell("  ours: " + " ".join(turn.done))
        self.expected, stat, _ = self.trees(recover="view")
        with self.open() as volume:
            self.left_unclean = bool(volume.recovery_plan().summary.needs_recovery) or self.disabled()
        self.check("as we left it" if not self.unclean else "as the kernel left it and we let it be")
        self.round += 1

    def failure(self, why):
        self.failed = why
        self.tell("FAILED: " + why)


def late_times(theirs, ours):
    """Directories that got a name by recovery, and what lost one, carry its time: later than all that the image could know, which
    has times that were set to some day to come, too."""
    now = time.time_ns()
    latest = max(e["ctime"] for e in ours.values() if e.get("ctime", now) < now)
    for path, entry in theirs.items():
        for key in ("mtime", "ctime"):
            if path in ours and entry.get(key, 0) > latest and "link" not in ours[path]:
                entry[key] = ours[path].get(key)
    return theirs


def attempt(game, action, *arguments):
    """A failure of one volume does not keep the others from continuing."""
    try:
        return action(*arguments)
    except Difference as why:
        game.failure(str(why))
    except Exception:  # pylint: disable=broad-except
        game.failure(traceback.format_exc()[-1500:])
    return None


def ask(jobs, kernel, folder):
    """One guest for some (job, disks)."""
    disks, ends = [], {job["name"]: job["end"] for job, _ in jobs}
    for job, files in jobs:
        job["disks"] = ["ubd%c" % (97 + len(disks) + i) for i in range(len(files))]
        disks += files
    path = os.path.join(folder, "jobs.json")
    with open(path, "w") as f:
        json.dump([job for job, _ in jobs], f)
    result = uml.run([sys.executable, "-I", TURNING, path], images=disks, kernel=kernel, mem="700M", timeout=120)
    with open(path + ".log", "a") as f:
        f.writelines(line.text + "\n" for line in result.log)
        f.write("status %d %s\n" % (result.rc, result.stderr.decode(errors="replace")))
    complaints, current = {}, jobs[0][0]["name"]
    for subject, line in result.about():
        current = subject or current
        if not line.problem or current.endswith("tries options"):
            continue
        said = SAID + (SAID_OF_SHUTDOWN if not ends[current] or ends[current].startswith("shutdown") else ())
        if not any(re.search(x, line.text) for x in said):
            complaints.setdefault(current, []).append(line.text)
    if result.timed_out or result.died:
        words = "\n".join(line.text for line in result.log[-30:])
        complaints.setdefault(current, []).append("the guest died or hung: " + words)
    return complaints


def collect(jobs, games, kernel, folder):
    """Asks a guest, and hears the reports; jobs: [(game, job, disks)]."""
    complaints = ask([(job, disks) for _, job, disks in jobs], kernel, folder)
    for game, job, _ in jobs:
        report = {"error": "no report"}
        if os.path.exists(job["report"]):
            with open(job["report"]) as f:
                report = json.load(f)
        if job["end"]:
            attempt(game, game.heard, report)
        elif "error" in report:
            game.failure("a look: " + report["error"][-1500:])
        if complaints.get(game.name):
            game.failure("the kernel says: " + "\n  ".join(complaints[game.name][:12]))


def play(games, kernel, folder, rounds, steps):
    """All rounds of some volumes, side by side in one guest."""
    for _ in range(rounds):
        alive = [game for game in games if not game.failed]
        jobs = []
        for number, game in enumerate(alive):
            jobs.append((game, game.job(steps, number == len(alive) - 1), game.paths))
        if not jobs:
            return
        collect(jobs, games, kernel, folder)
        alive = [game for game in alive if not game.failed]
        look([game for game in alive if game.end != "umount" or game.disabled()], games, kernel, folder)
        for game in alive:
            for action in (game.judge, lambda game=game: game.our_turn(steps // 2)):
                if not game.failed:
                    attempt(game, action)
            if not game.failed:
                tidy(game)
        unclean = [game for game in alive if not game.failed and game.left_unclean]
        look(unclean, games, kernel, folder)
        for game in unclean:
            attempt(game, game.compare_recovered)


def look(wanted, games, kernel, folder):
    """Asks for the views of volumes that were not closed."""
    looks = []
    for game in wanted:
        looks += [(game, job, copies) for job, copies in attempt(game, game.look_jobs) or []]
    while looks:
        count = 1
        while count < min(len(looks), 6) and sum(len(disks) for _, _, disks in looks[:count + 1]) <= uml.MAX_IMAGES:
            count += 1
        collect(looks[:count], games, kernel, folder)
        looks = looks[count:]


def tidy(game):
    for name in os.listdir(game.folder):
        if name.endswith((".norecovery", ".recovered", ".repaired")) and name.startswith("disk"):
            os.unlink(os.path.join(game.folder, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=4, help="of each volume")
    parser.add_argument("--volumes", type=int, default=5, help="side by side")
    parser.add_argument("--steps", type=int, default=150, help="of the kernel's turn")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    arguments = parser.parse_args()
    import f2fskit

    tools = Tools(f2fskit, os.path.abspath(arguments.build), makers.newer_tools()[0])
    kernel, folder = uml.find_or_build_kernel(), arguments.folder
    end, seed, turns, failed = time.monotonic() + arguments.minutes * 60, arguments.seed, 0, []
    while time.monotonic() < end:
        games = [Game(seed + i, folder, tools) for i in range(arguments.volumes)]
        seed += arguments.volumes
        play(games, kernel, folder, arguments.rounds, arguments.steps)
        for game in games:
            turns += game.round
            print("%s: %d rounds%s" % (game.name, game.round, "\n    FAILED " + game.failed if game.failed else ""), *game.peers, flush=True)
            if game.failed or game.peers:
                failed.append(game.seed)
            else:
                shutil.rmtree(game.folder)
    print("%d volumes, %d turns, %d failed: %s" % (seed - arguments.seed, turns, len(failed), failed))
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
