# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sample of what tests/campaign does with --kernel: damages with fixed seeds, and the kernel accepts each volume that a check calls
clean, damaged or repaired. By hand: campaign, sweep and overwrite of tests/campaign, each with --kernel."""
import os
import sys

import uml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "campaign"))
SEED = 3100
DAMAGES = 58                        # of the campaign: each kind once
BITS = {1: 160, 2: 40, 3: 20}       # of the sweep: single bits, pairs, triples
LEAST_ASKED = 0.4                   # of all: damages that a repair cannot mend are not asked about
CLEAN = {1: 90, 2: 20}              # of the sweep without repairs
LEAST_CLEAN = 0.15                  # of these: damages that a check finds are not asked about
OVERWRITTEN = "kernel:casefold"
OVERWRITES_APART = 8                # of the damages of tests/campaign/overwrite: one in so many
GROUPED = ("ours:all", "seed:features")
CUT_OFF = ("ours:all", "seed:features", "seed:encrypted", "seed:casefold")
REBUILT = ("ours:plain", "ours:all", "seed:plain", "seed:features", "seed:directories", "seed:verity")   # volumes that lose nodes
NAMED = ("seed:casefold", "seed:encrypted", "seed:encrypted-casefold", "seed:directories")     # volumes that lose directory blocks
# The kernel fills directories as lost_blocks.aged_directories() does. Each sync leaves older copies of their blocks.
FILL_DIRECTORIES = r"""
set -e
mount -o nodiscard /dev/ubda $MNT
cd $MNT
mkdir few more letters
chattr +F letters
echo linked > few/target
for dir in few more letters; do
    [ $dir = few ] && count=6 || count=90
    for i in $(seq 0 $count); do
        echo $dir $i > $dir/Name-$i-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        [ $((i % 3)) = 0 ] && ln few/target $dir/Link-$i
        [ $((i % 5)) = 0 ] && echo new $dir $i > $dir/new-$i
        true
    done
done
sync
for dir in few more letters; do
    [ $dir = few ] && count=6 || count=90
    for i in $(seq 0 $count); do
        [ $((i % 5)) = 0 ] && mv -f $dir/new-$i $dir/Name-$i-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        [ $((i % 6)) = 0 ] && rm $dir/Link-$i
        [ $((i % 5)) = 2 ] && mv $dir/Name-$i-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx $dir/moved-$i
        true
    done
done
sync
for dir in few more letters; do
    [ $dir = few ] && count=6 || count=90
    for i in $(seq 0 $count); do
        [ $((i % 4)) = 1 ] && echo late > $dir/late-$i
        [ $((i % 5)) = 4 ] && rm $dir/Name-$i-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        true
    done
done
cd /
umount $MNT
"""
# Found by sweeps without repairs: a check called these clean, and Linux did not.
FOUND = ["ours:plain nat_journal.count^=0x1", "seed:read-only inode[6].i_advise^=0x80"]


def refused(asked, results, least=LEAST_ASKED):
    """Damages that the kernel refuses: {damage: its message}."""
    judged, found, count = list(asked.judged(results)), {}, 0
    for result in judged:
        count += bool(result.get("asked"))
        if result.get("kernel"):
            found[result.get("id") or (result["number"], result["image"], result["kind"])] = result["kernel"]
    assert count > least * len(judged)
    return found


def test_campaign(f2fskit, kernel, tmp_path):
    import damages
    import judge
    import kernel_asked
    import subjects

    asked, made = kernel_asked.Asked(str(tmp_path), kernel), {}
    names = [name for name in (*subjects.seeds(), *subjects.OURS) if "large-blocks" not in name and "16k" not in name]

    def one(number):
        name, kind = judge.plan(number, names, list(damages.KINDS))
        if name not in made:
            made[name] = subjects.make(name, str(tmp_path))
        subject = made[name]
        return judge.one(subject, kind, number, number, lambda bed, result: asked.keep_repaired(subject, bed, result))
    assert refused(asked, (one(number) for number in range(SEED, SEED + DAMAGES))) == {}
    for subject in made.values():
        subject.close()


def test_overwritten(f2fskit, kernel, tmp_path):
    """Truncated and overwritten parts of a volume that the kernel filled."""
    import judge
    import kernel_asked
    import overwrites
    import subjects

    asked, subject = kernel_asked.Asked(str(tmp_path), kernel), subjects.make(OVERWRITTEN, str(tmp_path))
    results = []
    for damage in overwrites.plan(subject)[::OVERWRITES_APART]:
        result = judge.one(subject, damage, 0, 0, lambda bed, result: asked.keep_repaired(subject, bed, result))
        assert result["wrong"] == [], (damage, result["wrong"])
        results.append({**result, "id": "%s %s" % (OVERWRITTEN, damage)})
    assert refused(asked, results) == {}
    subject.close()


def test_sweep(f2fskit, kernel, tmp_path):
    import sweep_beds
    import sweep_kernel
    import sweep_plan
    import sweep_volumes

    asked = sweep_kernel.Asked(str(tmp_path), 1, kernel)
    beds = sweep_beds.Beds(sweep_volumes.NAMES, asked.choose)
    plans = {name: beds.plan(name) for name in beds.names}
    assert refused(asked, (beds.one(damage) for damage in sweep_plan.sample(plans, SEED, BITS))) == {}
    beds.close()


def test_lost_blocks(f2fskit, kernel, tmp_path):
    """Nodes that were built again: the kernel reads and writes their files."""
    import lost_blocks
    import sweep_judge
    import sweep_kernel
    import sweep_volumes

    asked, results = sweep_kernel.Asked(str(tmp_path), 1, kernel), []
    for name in REBUILT:
        whole = sweep_judge.Whole(sweep_volumes.make(name))
        judge, seen = lost_blocks.Judge(whole), set()
        for damage in lost_blocks.damages_of_nodes(name, whole):
            if damage.block not in seen and damage.block % 3 == 0:
                seen.add(damage.block)
                results.append(lost_blocks.one(judge, damage, asked.choose))
        whole.subject.close()
    assert any("INODE_REBUILT" in result["found"] for result in results)
    assert any("NODE_REBUILT" in result["found"] for result in results)
    assert refused(asked, results) == {}


def test_lost_groups(f2fskit, kernel, tmp_path):
    """Several blocks are lost at once, inodes together with their nodes and names."""
    import lost_runs
    import sweep_judge
    import sweep_kernel
    import sweep_volumes

    asked, results = sweep_kernel.Asked(str(tmp_path), 1, kernel), []
    for name in GROUPED:
        whole = sweep_judge.Whole(sweep_volumes.make(name))
        judge = lost_runs.Judge(whole)
        results += [lost_runs.one(judge, damage, asked.choose) for damage in lost_runs.damages_of(name, whole, 1, 12)]
        whole.subject.close()
    assert [result["wrong"] for result in results if result["wrong"]] == []
    assert refused(asked, results) == {}


def test_lost_sectors(f2fskit, kernel, tmp_path):
    """The first sectors of inodes are lost, of plain and of encrypted ones, and sectors of other blocks."""
    import lost_blocks
    import lost_sectors
    import sweep_judge
    import sweep_kernel
    import sweep_volumes

    asked, results = sweep_kernel.Asked(str(tmp_path), 1, kernel), []
    for name in CUT_OFF:
        whole = sweep_judge.Whole(sweep_volumes.make(name))
        judge, damages = lost_sectors.Judge(whole), list(lost_sectors.damages_of(name, whole))
        results += [lost_blocks.one(judge, damage, asked.choose) for i, damage in enumerate(damages)
                    if i % (2 if damage.kind.startswith("node") and damage.order == 0 else 12) == 0]
        whole.subject.close()
    assert [result["wrong"] for result in results if result["wrong"]] == []
    assert sum("INODE_REBUILT" in result["found"] for result in results) > 20
    assert refused(asked, results) == {}


def lose_directories(judge, damages, asked):
    """Each damage in turn: [result]. The judge finds nothing wrong."""
    import lost_blocks

    results = []
    for damage in damages:
        results.append(lost_blocks.one(judge, damage, asked.choose))
        assert results[-1]["wrong"] == {}, damage.id
    return results


def test_lost_directories(f2fskit, kernel, tmp_path):
    """Names that were put back: the kernel reads and writes their directories."""
    import lost_blocks
    import sweep_judge
    import sweep_kernel
    import sweep_volumes

    asked, results = sweep_kernel.Asked(str(tmp_path), 1, kernel), []
    for name in NAMED:
        whole = sweep_judge.Whole(sweep_volumes.make(name))
        results += lose_directories(lost_blocks.Judge(whole), lost_blocks.damages_of_directories(name, whole), asked)
        whole.subject.close()
    whole, damages = lost_blocks.aged_directories("ours:all")
    results += lose_directories(lost_blocks.Judge(whole, has_older_directories=True), damages, asked)
    whole.subject.close()
    assert any("DENTRY_OLDER" in result["found"] for result in results)
    assert refused(asked, results) == {}


def test_lost_directories_of_the_kernel(f2fskit, kernel, tmp_path):
    """Older copies that the kernel left: no name is lost, and no removed one comes back."""
    import lost_blocks
    import subjects
    import sweep_judge
    import sweep_kernel
    import sweep_volumes

    path = str(tmp_path / "disk")
    with open(path, "wb") as file:
        file.truncate(64 << 20)
    f2fskit.mkfs(path, features=["extra_attr", "inode_checksum", "casefold"])
    uml.run(FILL_DIRECTORIES, images=[path], kernel=kernel).check()
    whole = sweep_judge.Whole(subjects.Subject("filled", [sweep_volumes.to_memory(path, f2fskit.Context())]))
    asked = sweep_kernel.Asked(str(tmp_path), 1, kernel)
    damages = lost_blocks.damages_of_directories("filled", whole)
    results = lose_directories(lost_blocks.Judge(whole, has_older_directories=True), damages, asked)
    assert any("DENTRY_OLDER" in result["found"] for result in results)
    assert any("DIR_COPIED" in result["found"] for result in results)
    assert refused(asked, results) == {}
    whole.subject.close()


def test_swaps(f2fskit, kernel, tmp_path):
    """Blocks that held each other's contents, exchanged by a repair."""
    import lost_swaps
    import sweep_judge
    import sweep_kernel
    import sweep_volumes

    asked, results = sweep_kernel.Asked(str(tmp_path), 1, kernel), []
    for name in NAMED:
        whole = sweep_judge.Whole(sweep_volumes.make(name))
        results += lose_directories(lost_swaps.Judge(whole), list(lost_swaps.damages_of(name, whole, 0, 6)), asked)
        whole.subject.close()
    assert sum("BLOCKS_EXCHANGED" in result["found"] for result in results) > 10
    assert refused(asked, results) == {}


def test_clean(f2fskit, kernel, tmp_path):
    """Damages that a check calls clean: the kernel accepts them as they are."""
    import sweep_beds
    import sweep_kernel
    import sweep_plan
    import sweep_volumes

    asked = sweep_kernel.Asked(str(tmp_path), 1, kernel)
    beds = sweep_beds.Beds(sweep_volumes.NAMES)
    plans = {name: beds.plan(name) for name in beds.names}
    results = (beds.clean(damage, asked) for damage in sweep_plan.sample(plans, SEED, CLEAN))
    assert refused(asked, results, LEAST_CLEAN) == {}
    for text in FOUND:
        name, _, change = text.partition(" ")
        assert "disks" not in beds.clean(beds.plan(name).again(change), asked), text
    beds.close()


def test_refusal_is_noticed(f2fskit, kernel, tmp_path, monkeypatch):
    """A root that is no directory: a check that called it clean would be found."""
    import kernel_asked
    import sweep_beds

    monkeypatch.setattr(kernel_asked, "is_clean", lambda devices: True)
    asked = kernel_asked.Asked(str(tmp_path), kernel)
    beds = sweep_beds.Beds(["ours:plain"], lambda bed, result, said, again: asked.keep(result, bed.damaged))
    damage = beds.plan("ours:plain").again("inode[3].i_mode^=0xc000")
    found = refused(asked, [beds.one(damage)])
    beds.close()
    assert any("EINVAL" in line for line in found[damage.id])
