# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sample of tests/campaign/sweep with a fixed seed, and that its judge can find fault."""
import os
import sys
import tomllib

import pytest

pytestmark = pytest.mark.module_only

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "campaign"))
SEED = 2700
COUNTS = {1: 2000, 2: 500, 3: 250}


@pytest.fixture(scope="module")
def beds(f2fskit):
    import sweep_beds
    import sweep_volumes

    made = sweep_beds.Beds(sweep_volumes.NAMES)
    yield made
    made.close()


def test_sample(beds):
    """The sweep finds no fault except known ones. sweep_known.toml lists the failures still to be fixed, and the sample
    must meet each of its rows, so that it shrinks."""
    import sweep_plan
    import sweep_table

    reasons, known = sweep_table.Reasons(), sweep_table.load("sweep_known.toml")
    plans, found, met = {name: beds.plan(name) for name in beds.names}, {}, set()
    for damage in sweep_plan.sample(plans, SEED, COUNTS):
        result = beds.one(damage)
        for word in reasons.faults(result):
            rows = {row for row in ("any", "several" if result["order"] > 1 else result["kind"]) if word in known.get(row, ())}
            met |= {(row, word) for row in rows}
            if not rows:
                found.setdefault(word, []).append(result["id"])
    assert found == {}
    assert {(row, word) for row, words in known.items() for word in words} == met


def test_writes_before_a_repair(beds):
    """Changes of a damaged volume cost no other file anything. Some are refused."""
    import sweep_plan

    plans = {name: beds.plan(name) for name in beds.names}
    results = [beds.writes(damage) for damage in sweep_plan.sample(plans, SEED, {1: 300, 2: 100, 3: 0})]
    assert [(result["id"], result["wrong"]) for result in results if result["wrong"]] == []
    assert sum(result["state"] == "WRITTEN" for result in results) > 200


# Changes before a repair that cost something else than the changed file.
WRITTEN = (
    ("ours:plain dentry[3][3].used^=0x1", "make"),
    ("ours:plain node[11].footer.nid^=0xd75a01ce; dentry[3][3].used^=0x1", "make"),
    ("ours:several dentry[3][5].used^=0x1; xattr[12][0].e_name_len^=0x40", "make"),
    ("seed:read-only cp[1].rsvd_segment_count^=0x80000; cp[1].cur_node_blkoff[5]^=0x1", "make"),
    ("seed:read-only raw block[2].u8[7]^=0x40; block[2].u8[4095]^=0x6e", "make"),
    ("ours:all raw dentry[3][6].used^=0x1; inode[22].i_pino^=0xd89134d4", "make"),
    ("ours:checksums raw inode[18].i_namelen^=0xae290ed7; sit[1,2].mtime^=0x4000000000; dentry[3][4].used^=0x1", "make"),
    ("seed:read-only block[9].u8[3]^=0x80", "make"), ("seed:read-only block[9].u8[72]^=0xd1; block[9].u8[138]^=0xed", "make"),
    ("seed:read-only block[2].u8[138]^=0x2; block[2].u8[25]^=0x2", "make"),
    ("ours:plain dentry[4][3].ino^=0x2", "rename"), ("ours:plain dentry[6][6].ino^=0x1", "unlink"),
    ("ours:plain dentry[6][3].ino^=0x4", "replace"), ("ours:plain inode[3].i_addr[0]^=0x4", "make"),
)


@pytest.mark.parametrize("damage, word", WRITTEN)
def test_changes_of_others(beds, damage, word):
    volume, _, text = damage.partition(" ")
    result = beds.writes(beds.plan(volume).again(text), word)
    assert (result["change"], result["wrong"]) == (word, {})


@pytest.mark.parametrize("damage", ["raw block[9].u8[34]^=0x8", "block[2].u8[166]^=0x2", "raw cp[1].checkpoint_ver^=0x200"])
def test_a_filled_pack_is_the_newer_one(beds, damage):
    """f2fs-tools fill a volume with the feature ro in pack 1, and both packs have one version."""
    result = beds.writes(beds.plan("seed:read-only").again(damage))
    assert (result["state"], result["wrong"]) == ("StateError", {})


def test_every_bit_has_an_address(beds, f2fskit):
    """Every structure of the format is swept on some volume, and an id gives the same damage again."""
    swept, plans = set(), [beds.plan(name) for name in beds.names]
    for plan in plans:
        swept |= {spot.kind.split(".")[0] for spot in plan.spots}
    assert set(f2fskit.structs) - swept == set()
    for plan in plans:
        damage = next(plan.every())
        again = plan.again(damage.id.partition(" ")[2])
        assert (again.id, again.changes) == (damage.id, damage.changes)


def test_addresses_are_those_of_the_program(beds, f2fskit):
    """Writing a field by its address changes the bytes that the sweep changes, checksum included."""
    import random

    whole, plan, seals = beds.get("ours:all")
    rng = random.Random(SEED)
    for kind in plan.kinds:
        for is_raw in (False, True):
            spot = rng.choice(plan.kinds[kind])
            if spot.seal and spot.address.startswith("block["):     # this address knows no checksum
                is_raw = True
            damage = plan.again("%s%s^=0x1" % ("raw " if is_raw else "", spot.address))
            with whole.subject.layers()[0] as ours, whole.subject.layers()[0] as theirs:
                damage.apply(ours, seals)
                with f2fskit.fields(theirs, "r+", raw=is_raw) as fields:
                    fields[spot.address] = "^=1"
                for device in (ours, theirs):
                    assert all(ours.read(at, length) == theirs.read(at, length) for at, length in device.changes()), damage.id


def spoil(f2fskit, monkeypatch, change):
    """From now on a repair is followed by change(device, report), whose report is taken."""
    import sweep_judge

    real = f2fskit.check

    def check(device, repair=False, **options):
        report = real(device, repair=repair, **options)
        return change(device, report) if repair else report
    monkeypatch.setattr(sweep_judge.f2fskit, "check", check)


def unlink(f2fskit, path):
    def change(device, report):
        with f2fskit.open(device, "r+") as volume:
            volume.path(path).unlink()
        return report
    return change


def test_judge_finds_fault(f2fskit, beds, monkeypatch):
    """Plant each fault that the judge looks for in a repair."""
    harmless = beds.plan("ours:plain").again("inode[3].i_generation^=0x1")
    wrong_links = beds.plan("ours:plain").again("inode[3].i_links^=0x40")

    def faults(damage, change):
        import sweep_table
        with monkeypatch.context() as patch:
            spoil(f2fskit, patch, change)
            return sweep_table.Reasons().faults(beds.one(damage))

    def write_links(device, report):
        with f2fskit.fields(device, "r+") as fields:
            fields["inode[3].i_links"] = 77
        return report

    def make_name(device, report):
        with f2fskit.open(device, "r+") as volume:
            volume.path("/planted").mkdir()
        return report

    def nothing(_, report):
        return report

    def fail(*_):
        raise f2fskit.CorruptError("planted")
    assert faults(harmless, nothing) == faults(wrong_links, nothing) == set()
    assert faults(wrong_links, unlink(f2fskit, "/pipe")) == {"lost", "gone"}
    assert faults(harmless, unlink(f2fskit, "/pipe")) == {"lost", "gone", "writes"}
    assert faults(harmless, make_name) == {"strange", "writes"}
    assert faults(wrong_links, write_links) == {"untrue", "second", "count"}
    assert faults(wrong_links, lambda _, report: report._replace(problems=report.problems[1:])) == {"differ"}
    assert faults(wrong_links, fail) == {"fails"}


def test_reasons_are_of_fields(f2fskit):
    """Each row is a field of a structure, and says why."""
    import sweep_table

    for name, row in sweep_table.load("sweep_reasons.toml").items():
        assert set(row) == {"reason"} and row["reason"], name


def test_a_death_is_a_result(tmp_path):
    """A work that ends its process is reported, and the others are done."""
    import runner

    def do(work):
        if work == 3:
            os._exit(7)
        return {"work": work}
    found = list(runner.run(range(8), do, lambda work, status: {"died": work}, str(tmp_path), jobs=2, at_once=5))
    assert sorted(row.get("work", -1) for row in found) == [-1, 0, 1, 2, 4, 5, 6, 7] and {"died": 3} in found


def test_known_faults_are_words():
    import sweep_judge

    with open(os.path.join(os.path.dirname(HERE), "campaign", "sweep_known.toml"), "rb") as file:
        for words in tomllib.load(file).values():
            assert set(words) <= set(sweep_judge.FAULTS)


MENDED = (
    "seed:large-blocks nat[19].ino^=0x1",
    "ours:plain raw dentry[3][9].file_type^=0x1; inode[21].i_ext_fofs^=0x3; inode[21].i_nid[0]^=0x8000000",
    "seed:plain raw inode[13].i_flags^=0x3; dentry[4][17].file_type^=0x1; inode[13].i_size^=0x7442a5cd6f7a7b68",
    "seed:borders inode[4].i_inline^=0x1", "ours:waiting inode[12].i_xattr_nid^=0x10",
    "seed:fsync-mixed inode[4].i_size^=0x4000000", "seed:inline-xattr inode[6].i_inline_xattr_size^=0x4",
    "seed:fsync-chain inode[4].i_addr[0]^=0x200", "seed:fsync-mixed inode[6].i_addr[0]^=0x400",
    "seed:fsync-mixed inode[8].i_addr[0]^=0x1000", "seed:orphans inode[17].i_addr[0]^=0x400",
    "ours:waiting inode[3].i_addr[0]^=0x1", "ours:waiting inode[3].i_addr[1]^=0x1000",
    "ours:waiting inode[23].i_addr[2]^=0x1000", "ours:zoned nat[11].ino^=0x4000; node[11].footer.flag^=0x800000",
    "ours:zoned block[1541].u8[137]^=0x10", "ours:zoned inode[5].i_mode^=0x8000", "ours:several inode[6].i_mode^=0x8000",
    "seed:sections inode[4].i_mode^=0x2000", "seed:inline-xattr inode[8].i_mode^=0x4000",
    "seed:large-blocks inode[18].i_extra_isize^=0x4", "seed:inline-xattr nat[7].ino^=0x1; nat[7].version^=0x4", "seed:read-only inode[6].i_extra_isize^=0x20", "seed:read-only sb[2].magic^=0x1",
    "ours:all block[1024].u8[116]^=0x2", "seed:fsync-mixed nat_journal.count^=0x8", "seed:plain nat_journal.count^=0x4", "seed:fsync-mixed block[512].u8[7]^=0x80",
    "ours:waiting inode[21].i_inline^=0x20", "seed:encrypted-casefold dentry[5][1].name_len^=0x10",
    "seed:encrypted-casefold dentry[5][0].name_len^=0x40", "seed:encrypted-casefold dentry[5][2].name_len^=0x20",
    "seed:encrypted-casefold dentry[5][2].name_len^=0x4", "seed:large-blocks inode[15].i_inline^=0x2",
    "seed:large-blocks dentry[8][16].name[4]^=0x80", "seed:plain dentry[4][4].name[0]^=0x80", "seed:plain dentry[4][4].name[4]^=0x80",
    "seed:fsync-mixed inode[12].i_links^=0x80000", "ours:zoned dentry[3][3].ino^=0x20", "ours:all dentry[3][5].name[3]^=0x20",
    "ours:all dentry[3][4].name[2]^=0x20", "ours:all dentry[9][2].name[1]^=0x20",
    "ours:plain xattr[23].h_refcount^=0x2000", "seed:compressed inode[5].i_flags^=0x4", "ours:waiting inode[7].i_mode^=0x4000",
    "seed:encrypted-casefold dentry[4][2].name[8]^=0x80",
    "ours:all dentry[8][0].name[0]^=0x86; dentry[8][0].file_type^=0x1",
    "seed:fsync-mixed inode[8].i_advise^=0x10", "seed:fsync-mixed inode[4].i_pino^=0x8000000; inode[4].i_extra_isize^=0x8",
    "ours:several inode[22].i_pino^=0x20000000; dentry[3][11].file_type^=0x1; inode[22].i_blocks^=0x100",
    "seed:encrypted inode[8].i_blocks^=0x1; inode[8].i_inline_xattr_size^=0x1",
    "seed:encrypted inode[7].i_inline_xattr_size^=0x1; inode[7].i_ext_len^=0x14c2ac87",
    "seed:encrypted inode[8].i_inline^=0xb1; inode[8].i_log_cluster_size^=0x8",
    "seed:encrypted-casefold dentry[5][2].used^=0x1; inode[6].i_inline^=0xfa",
    "seed:features inode[20].i_flags^=0x10000; inode[20].i_inline^=0xa4",
    "seed:encrypted-casefold raw inode[4].i_advise^=0x4; inode[4].u8[3881]^=0x10",
)

# Several fields at once, which cost no name that could be read.
KEPT = (
    "ours:zoned dentry[6][6].ino^=0x2; dentry[6][6].name[1]^=0xde",
    "ours:plain dentry[6][4].ino^=0x20; dentry[6][4].hash_code^=0x10000; dentry[6][4].name_len^=0x1b",
    "ours:all dentry[58][2].name[1]^=0xb0; dentry[58][2].file_type^=0x1; dentry[58][2].ino^=0x10",
    "seed:directories dentry[3][3].ino^=0x3; dentry[3][3].name[1]^=0x76",
    "ours:plain raw dentry[4][0].ino^=0x1; dentry[4][0].hash_code^=0x20; dentry[4][0].name_len^=0x3",
)


@pytest.mark.parametrize("damage", MENDED)
def test_mended(beds, damage):
    """Damages that the sample does not meet, and that once cost something. Of pairs, too, none may."""
    import sweep_table

    volume, _, text = damage.partition(" ")
    result = beds.one(beds.plan(volume).again(text))
    assert sweep_table.Reasons().faults(result) == set() and not result.get("lost")


@pytest.mark.parametrize("damage", KEPT)
def test_kept(beds, damage):
    """An entry that is wrong in several fields takes no place of one that is right."""
    import sweep_table

    volume, _, text = damage.partition(" ")
    assert sweep_table.Reasons().faults(beds.one(beds.plan(volume).again(text))) == set()


def test_a_further_link_comes_back(beds):
    """i_links says that one name lacks, and one free slot is all that could have held it."""
    result = beds.one(beds.plan("seed:casefold").again("dentry[4][2].used^=0x1"))
    assert result["found"] == ["DENTRY_FREED"] and not result["lost"] and not result["strange"]


@pytest.mark.parametrize("damage", ["seed:casefold raw inode[4].i_flags^=0x40000000", "seed:encrypted-casefold raw inode[5].i_flags^=0x40000000"])
def test_hashes_keep_casefold(beds, damage):
    """The hashes of the names show that their directory folds them: the flag comes back, and no hash changes."""
    import sweep_table

    volume, _, text = damage.partition(" ")
    result = beds.one(beds.plan(volume).again(text))
    assert sweep_table.Reasons().faults(result) == set() and set(result["found"]) == {"INODE_FIELD"}
