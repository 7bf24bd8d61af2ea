# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sample of tests/campaign: each kind of damage once, on volumes chosen by the seed; and that the judges can find fault."""
import os
import sys

import pytest

pytestmark = pytest.mark.module_only

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "campaign"))
SEED = 7000


@pytest.fixture(scope="module")
def made(f2fskit, tmp_path_factory):
    """made(name) is the volume of that name, made once."""
    import subjects

    folder, found = str(tmp_path_factory.mktemp("subjects")), {}

    def make(name):
        if name not in found:
            found[name] = subjects.make(name, folder)
        return found[name]
    yield make
    for subject in found.values():
        subject.close()


def test_each_kind_once(f2fskit, made):
    import damages
    import judge
    import subjects

    # on those of 16 KiB a search takes seconds
    names = [name for name in (*subjects.seeds(), *subjects.OURS) if "large-blocks" not in name and "16k" not in name]
    wrong = {}
    for number in range(SEED, SEED + len(damages.KINDS)):
        name, kind = judge.plan(number, names, list(damages.KINDS))
        result = judge.one(made(name), kind, number, number)
        if result["wrong"]:
            wrong[number, name, kind] = result["wrong"]
    assert wrong == {}


@pytest.mark.parametrize("name", ["seed:plain", "ours:several"])
def test_cut_and_overwritten(made, name):
    """Every ninth of the damages of tests/campaign/overwrite: nothing that was not hit is lost, and no other system is destroyed."""
    import judge
    import overwrites

    subject = made(name)
    results = {damage: judge.one(subject, damage, 0, 0) for damage in overwrites.plan(subject)[::9]}
    assert {damage: result["wrong"] for damage, result in results.items() if result["wrong"]} == {}
    assert len({result["state"] for result in results.values()}) > 1


def test_what_was_not_hit_is_asked_for(f2fskit, made, monkeypatch):
    """A repair that removes a file of which no block was hit is found, and one that writes over another system."""
    import judge

    subject, real = made("seed:plain"), f2fskit.check

    def check(device, repair=False, **options):
        if options.get("accept_foreign") or not repair:
            report = real(device, repair=repair, **options)
        else:
            report = real(device, repair=True, accept_foreign=True, **options)
        if repair and report.state.name == "REPAIRED":
            with f2fskit.open(device, "r+", accept_foreign=True) as volume:
                volume.path(sorted(subject.wanted)[0]).unlink()
        return report
    monkeypatch.setattr(judge.f2fskit, "check", check)
    wrong = judge.one(subject, "ext4 0 65536", 0, 0)["wrong"]
    assert any("of which no block was hit are gone" in line for line in wrong), wrong
    assert "it writes over another system without permission" in wrong


def test_many_findings_cost_little(made):
    """A part of the NAT is 0xff: a hundred thousand findings, of which a vote looks at each once."""
    import time

    import judge

    start = time.process_time()
    assert judge.one(made("seed:encrypted-casefold"), "ones 10485760 2097152", 0, 0)["wrong"] == []
    assert time.process_time() - start < 60


@pytest.mark.parametrize("name", ["fsync-chain", "fsync-mixed"])
def test_fsynced_chain_fits_the_newest_pack(made, name):
    """The older pack is lost. Files that the kernel fsynced after the newer one identify it (number 2008)."""
    import judge

    result = judge.one(made("seed:" + name), "older pack: all", 2008, 2008)
    assert result["wrong"] == [] and result["ours"] == result["files"] > 0 and "CP_LOST" not in result["found"]


def test_two_superblocks_make_a_good_one(made):
    """Each superblock has another wrong number: both together still know all devices (number 90076)."""
    import judge

    result = judge.one(made("ours:several"), "field of a superblock", 90076, 90076)
    assert result["wrong"] == [] and result["named"] == result["files"] == 41 and result["state"] == "REPAIRED"


def test_zones_are_taken_from_the_device(made):
    """Nothing on the volume but its superblocks says that it is zoned: the device does."""
    import judge

    result = judge.one(made("ours:zoned"), "superblocks", 20000, 20000)
    assert result["wrong"] == [] and result["ours"] == result["files"] > 0 and result["state"] == "REPAIRED"


def test_loss_is_noticed(f2fskit, made, monkeypatch):
    """A repair that removes a file that could be read, or leaves something and does not say so, is found."""
    import judge

    subject = made("seed:plain")
    real = f2fskit.check

    def check(device, repair=False, **options):
        if not repair:
            return real(device, **options)
        report = real(device, repair=True, **options)
        with f2fskit.open(device, "r+") as volume:
            volume.path(sorted(subject.wanted)[0]).unlink()
        with f2fskit.fields(device, "r+") as fields:
            fields["inode[3].i_links"] = 77
        return report
    monkeypatch.setattr(judge.f2fskit, "check", check)
    result = judge.one(subject, "older pack: all", 1, 1)
    assert len(result["wrong"]) == 3 and result["ours"] == len(subject.wanted) - 1, result["wrong"]


def test_broken_promise_is_noticed(f2fskit, made, monkeypatch):
    """A check that writes or fails, a repair that has other findings, and one that writes without repairing are found."""
    import judge

    subject, real = made("ours:plain"), f2fskit.check

    def wrong(change, kind="older pack: all", number=1):
        def check(device, repair=False, **options):
            return change(device, repair, lambda: real(device, repair=repair, **options))
        with monkeypatch.context() as patch:
            patch.setattr(judge.f2fskit, "check", check)
            return judge.one(subject, kind, number, number)["wrong"]

    def forget(device, repair, check):
        report = check()
        return report._replace(problems=()) if repair else report

    def write(device, repair, check):
        device.write(0, device.read(0, 512))
        return check()

    def write_for_nothing(device, repair, check):
        report = check()
        if repair:
            device.write(0, device.read(0, 512))
        return report._replace(fixed=0) if repair else report

    def fail(device, repair, check):
        if not repair:
            raise f2fskit.CorruptError("planted")
        return check()
    assert wrong(lambda device, repair, check: check()) == []
    assert any(line.startswith("only -n") for line in wrong(forget))
    assert "a check writes" in wrong(write)
    assert wrong(write_for_nothing) == ["it writes, and repairs nothing"]
    assert any(line.startswith("a repair succeeds, and a check fails") for line in wrong(fail))


def test_a_failed_read_is_met(f2fskit, made):
    """Places that cannot be read are where the kind says, on several devices, too."""
    import damages
    import judge

    subject = made("ours:several")
    for kind in damages.READ:
        bed = judge.Bed(subject, kind, 5)
        try:
            for block, count in bed.meets.get("bad", ()):
                devices, at = bed.faulty(), block * subject.places.size
                which = next(i for i in range(3) if at < sum(bed.sizes[:i + 1]))
                with pytest.raises(OSError):
                    devices[which].read(at - sum(bed.sizes[:which]), 4096)
            assert ("cut" in bed.meets) == (sum(bed.sizes) < sum(base.size for base in subject.bases)), kind
        finally:
            bed.close()


def test_zones_that_the_superblock_does_not_say(f2fskit, made):
    """SB_ZONES_UNSAID: the feature blkzoned is set again; on a file the same volume is one that was copied."""
    subject = made("ours:zoned")
    with subject.layers()[0] as layer:
        with f2fskit.fields(layer, "r+") as fields:
            for copy in (1, 2):
                fields["sb[%d].feature" % copy] = "&=-3"
        with subject.zoned([layer])[0] as device:
            assert {p.name for p in f2fskit.check(device).problems} == {"SB_ZONES_UNSAID"}
            assert f2fskit.check(device, repair=True).state.name == "REPAIRED"
            assert not f2fskit.check(device).problems
        report = f2fskit.check(layer)
        assert report.found == 0 and [p.name for p in report.problems] == ["SB_ZONES_ELSEWHERE"]
