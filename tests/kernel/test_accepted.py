# SPDX-License-Identifier: LGPL-2.1-or-later
"""The judge of campaigns that asks the kernel (tests/campaign/kernel_judge.py): it accepts the sound volumes that campaigns damage,
and finds fault with those that the kernel refuses, complains of, or dies of."""
import os
import re
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "campaign"))
NAMES = ("ours:plain", "ours:all", "ours:several", "ours:waiting", "seed:encrypted", "seed:verity", "seed:compressed",
         "seed:fsync-mixed", "seed:orphans", "seed:read-only", "seed:directories")


def refused(volume):
    return {"inode[3].i_mode": "0100755"}, r"mount: EINVAL"


def complains(volume):
    ino = volume.lookup("/tree/size-1").number
    return {"inode[%d].i_inline" % ino: "|=2", "inode[%d].i_size" % ino: "99999999"}, r"stat '/tree/size-1': EUCLEAN"


def quiet(volume):
    return {"cp.ckpt_flags": "|=0x10"}, r"status: the kernel wants a check"


def changed(volume):
    """A byte of a file: nobody complains, and what the kernel reads is different."""
    return {"file[%d].u8[4500]" % volume.lookup("/tree/size-4").number: "^=1"}, None


def dies(volume):
    """The list of unlinked files names a node that does not exist."""
    free = next(nid for nid in range(4, 9999) if not volume.nat[nid].block_addr)
    return {"orphan[0].ino": "%d" % free}, r"the guest died"


DAMAGES = {"refused": (refused, "ours:plain"), "dies": (dies, "ours:waiting"), "complains": (complains, "ours:plain"),
           "quiet": (quiet, "ours:plain")}
CHANGED = {"/tree/size-4", "/second"}       # two names of one file


def saved(devices, folder, name):
    import others

    paths = [str(folder / ("%s.%d" % (name, i))) for i in range(len(devices))]
    for device, path in zip(devices, paths):
        others.save(device, path)
    return paths


@pytest.fixture(scope="module")
def asked(kernel, f2fskit, tmp_path_factory):
    """{name: (kernel messages, expected messages, what the kernel read)}"""
    import kernel_judge
    import sweep_volumes

    folder, volumes, wanted = tmp_path_factory.mktemp("asked"), {}, {}
    made = {name: sweep_volumes.make(name) for name in (*NAMES, "ours:16k")}
    for word, (damage, name) in {**DAMAGES, "changed": (changed, "ours:plain")}.items():
        layer = made[name].layers()[0]
        with f2fskit.open(layer) as volume:
            changes, wanted[word] = damage(volume)
        with f2fskit.fields(layer, "r+") as fields:
            for address, value in changes.items():
                fields[address] = value
        volumes[word] = saved([layer], folder, word)
    for name, subject in made.items():
        volumes[name] = saved(subject.bases, folder, name.replace(":", "-"))
        subject.close()
    views = []
    said = kernel_judge.ask(list(volumes.values()), kernel=kernel, views=views)
    return {name: (complaints, wanted.get(name), view) for name, complaints, view in zip(volumes, said, views)}


def test_sound_volumes_are_accepted(asked):
    assert {name: asked[name][0] for name in NAMES if asked[name][0]} == {}
    assert asked["ours:16k"][0] is None


@pytest.mark.parametrize("word", DAMAGES)
def test_fault_is_found(asked, word):
    said, wanted, _ = asked[word]
    assert any(re.search(wanted, line) for line in said), said


def test_a_changed_byte_is_seen(asked):
    """The kernel's view of a volume shows each name, and one wrong byte in a file."""
    (said, _, found), (_, _, whole) = asked["changed"], asked["ours:plain"]
    assert said == [] and set(found) == set(whole) and len(whole) > 100
    assert {path for path in whole if found[path] != whole[path]} == CHANGED
    assert asked["refused"][2] is None
