# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blocks of metadata hold something else: a repair keeps all that the rest of the volume knows (tests/campaign/lost_blocks.py). By hand:
tests/campaign/lost-blocks."""
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "campaign"))
NODES = ("ours:all", "ours:several", "ours:16k", "seed:plain", "seed:features", "seed:casefold", "seed:inline-xattr")
KINDS = ("zeros", "noise", "another node")
LOST_WRITES = ("ours:plain", "ours:zoned")


def faults(judge, damages):
    import lost_blocks

    return {damage.id: wrong for damage in damages if (wrong := lost_blocks.one(judge, damage)["wrong"])}


@pytest.mark.parametrize("name", NODES)
def test_nodes(f2fskit, name):
    """Each node in turn, with another kind of damage than the one before it."""
    import lost_blocks
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make(name))
    blocks, chosen = {}, []
    for damage in lost_blocks.damages_of_nodes(name, whole):
        kinds = blocks.setdefault(damage.block, [])
        kinds.append(damage)
    for i, kinds in enumerate(blocks.values()):
        chosen.append(kinds[i % len(kinds)])
    assert len(chosen) > 8
    assert faults(lost_blocks.Judge(whole), chosen) == {}
    whole.subject.close()


@pytest.mark.parametrize("name", LOST_WRITES)
def test_lost_writes(f2fskit, name):
    """Each block as it was before its last write, which the device lost."""
    import lost_blocks

    whole, damages = lost_blocks.lost_writes(name)
    assert len(damages) > 100
    assert faults(lost_blocks.Judge(whole), damages) == {}
    whole.subject.close()


def test_judge_notices(f2fskit, monkeypatch):
    """A repair that deletes a file with its inode would be found."""
    import lost_blocks
    import sweep_judge
    import sweep_volumes

    whole = sweep_judge.Whole(sweep_volumes.make("ours:plain"))
    judge = lost_blocks.Judge(whole)
    with f2fskit.open(whole.subject.bases[0]) as volume:
        block = volume.nat[volume.lookup("/far").number].block_addr
    damage = lost_blocks.Lost("ours:plain", block, bytes(4096), "zeros")
    found = dict(whole.look.found)
    assert judge.excess(damage, {"/far"}, found) == []
    del found["/far"]
    assert judge.excess(damage, {"/far"}, found) == ["name /far"]
    assert judge.excess(damage, {"/far", "/second"}, found) == ["/second", "name /far"]
    whole.subject.close()
