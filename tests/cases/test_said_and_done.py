# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports match actions. -n, --dry-run and -y report the same findings, also those that show only once others are repaired,
and the same fixes. Each reported fix is the one made."""
import hashlib
import json
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "campaign"))

# Of each the repair meets something that the first look cannot see.
HIDDEN = [
    "ours:plain node[25].footer.nid^=0x200000",
    "ours:all raw inode[4].i_inode_checksum^=0x4000; inode[3].i_links^=0x40",
    "seed:orphans dentry[3][0].name_len^=0x4",
    "seed:fsync-mixed orphan[0].ino^=0x10000000",
    "seed:encrypted-casefold xattr[5][0].e_value_size^=0x800",
    "ours:several dentry[5][0].name[0]^=0x2",
    "seed:plain sb[1].magic^=0x1; sb[2].magic^=0x1",
]


@pytest.fixture(scope="module")
def beds(f2fskit):
    import sweep_beds

    made = sweep_beds.Beds([])
    yield made
    made.close()


def digest(paths):
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


@pytest.mark.parametrize("damage", HIDDEN)
def test_three_modes_name_the_same(beds, run_tool, tmp_path, damage):
    name, _, text = damage.partition(" ")
    image = tmp_path / "image"
    beds.save(beds.plan(name).again(text), str(image))
    paths = sorted(tmp_path.iterdir())
    further = [word for path in paths[1:] for word in ("--device", path)]

    def run(mode, *options):
        return run_tool("fsck.f2fs", mode, *options, *further, image, rc=None).stdout

    def named(mode):
        rows = json.loads(run(mode, "--json"))["problems"]
        for row in rows:
            row.pop("action" if mode == "-n" else "", None)
        return rows

    def fixes(mode):
        return [line for line in run(mode, "-v").decode().splitlines() if line.startswith("[FIX]")]
    before = digest(paths)
    said, tried, lines = named("-n"), named("--dry-run"), fixes("--dry-run")
    assert said == [{key: value for key, value in row.items() if key != "action"} for row in tried]
    assert lines and fixes("-n") == [] and digest(paths) == before
    kept = [path.read_bytes() for path in paths]
    done = named("-y")
    assert done == tried
    for path, data in zip(paths, kept):
        path.write_bytes(data)
    assert fixes("-y") == lines
    chosen = {(row["name"], row["nid"], row["slot"]) for row in done if row["action"] == "fixed"}
    assert not chosen & {(row["name"], row["nid"], row["slot"]) for row in named("-n")}


def test_a_check_counts_what_a_repair_finds(beds, f2fskit):
    """found is the same for both, and so are the severities; a callback that stops a check gets no more."""
    name, _, text = HIDDEN[0].partition(" ")
    whole, plan, seals = beds.get(name)
    import sweep_judge

    bed = sweep_judge.Bed(whole.subject, plan.again(text), seals)
    try:
        told = []

        def stop(problem):
            told.append(problem)
            raise KeyError
        with pytest.raises(KeyError):
            f2fskit.check(bed.devices[0], on_problem=stop)
        said = f2fskit.check(bed.devices[0])
        assert len(told) == 1 and said.found == said.left and said.fixed == 0 and said.state.name == "LEFT"
        assert not any(problem.is_chosen for problem in said.problems) and not bed.is_written()
        done = f2fskit.check(bed.devices[0], repair=True)
        assert (done.found, done.fixed, done.left) == (said.found, said.found, 0)
        assert [p._replace(is_chosen=False) for p in done.problems] == list(said.problems)
    finally:
        bed.close()


@pytest.mark.parametrize("path", ["/tree/size-4", "/many", "/empty-dir", "/pipe"])
def test_a_name_keeps_what_the_orphan_list_names(beds, f2fskit, path):
    """ORPHAN_LINKED says that the entry goes: the inode stays, with all that is in it."""
    import sweep_judge

    whole, plan, seals = beds.get("ours:waiting")
    with f2fskit.open(whole.subject.bases[0]) as volume:
        old, new = volume.orphans[0], volume.lookup(path).number
    bed = sweep_judge.Bed(whole.subject, plan.again("orphan[0].ino^=%#x" % (old ^ new)), seals)
    try:
        done = f2fskit.check(bed.devices[0], repair=True)
        assert "ORPHAN_LINKED" in {p.name for p in done.problems} and done.recovered_orphans == 1
        found = sweep_judge.Look(bed.devices).found
        assert {p: state for p, state in found.items() if p in whole.look.found} == whole.look.found
        assert f2fskit.check(bed.devices[0]).found == 0
    finally:
        bed.close()
