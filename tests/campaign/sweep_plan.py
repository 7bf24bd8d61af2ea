# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which damages a sweep does: single bits, one after the other or by a seed; pairs and triples of fields of one structure, or along
the path of one file (entry, inode, nodes, NAT, SSA, SIT).

The id of a damage is its volume and its changes, as `sweep --again` takes it: "ours:plain inode[5].i_links^=0x4". Checksums that
cover a change are made right; after "raw " all are left as they are."""
import collections
import random
import re

Change = collections.namedtuple("Change", "spot mask")


class Damage:
    """Changes of one volume, all at once."""

    def __init__(self, volume, changes, is_raw=False):
        self.volume, self.changes, self.is_raw = volume, changes, is_raw
        self.id = "%s %s%s" % (volume, "raw " if is_raw else "", "; ".join("%s^=0x%x" % (c.spot.address, c.mask) for c in changes))
        self.order = sum(2 if change.spot.twin else 1 for change in changes)
        self.kind = " + ".join(sorted(c.spot.kind for c in changes))

    def apply(self, device, seals):
        """Make the changes, then the checksums of the changed structures."""
        closes = {}
        for spot, mask in self.changes:
            # a spot without a width is the bit of a slot
            width, change = spot.width or 1, mask if spot.width else spot.bit
            for twin in {0, spot.twin}:
                at = spot.offset + twin
                old = int.from_bytes(device.read(at, width), "little")
                device.write(at, (old ^ change).to_bytes(width, "little"))
                if spot.seal:
                    closes[spot.seal[0], spot.seal[1] + twin] = True
        for seal in closes if not self.is_raw else ():
            seals.close(device, seal)


def masks(spot):
    """Of each bit."""
    return (1,) if not spot.width else tuple(1 << i for i in range(8 * spot.width))


class Plan:
    """The damages of one volume."""

    def __init__(self, volume, spots):
        self.volume, self.spots = volume, spots
        self.by_address = {spot.address: spot for spot in spots}
        self.kinds, self.places, self.owners = (collections.defaultdict(list) for _ in range(3))
        for spot in spots:
            self.kinds[spot.kind].append(spot)
            self.places[spot.place].append(spot)
            for ino in spot.owners:
                self.owners[ino].append(spot)
        # a place is chosen as often as another of its kind, whatever its number
        self.many = {"structure": self.groups(self.places), "path": self.groups(self.owners)}

    @staticmethod
    def groups(of):
        """Lists of spots, each by its kinds."""
        found = []
        for spots in of.values():
            kinds = collections.defaultdict(list)
            for spot in spots:
                kinds[spot.kind].append(spot)
            if len(kinds) > 1:
                found.append(list(kinds.values()))
        return found

    def every(self):
        """Every bit, with checksums right, and, where there is one, wrong."""
        for spot in self.spots:
            for mask in masks(spot):
                yield Damage(self.volume, [Change(spot, mask)])
                if spot.seal:
                    yield Damage(self.volume, [Change(spot, mask)], True)

    def single(self, rng):
        spot = rng.choice(self.kinds[rng.choice(list(self.kinds))])
        return Damage(self.volume, [Change(spot, rng.choice(masks(spot)))], bool(spot.seal) and rng.random() < 0.4)

    def several(self, rng, order):
        """Fields of one structure, or of one path."""
        group = rng.choice(self.many[rng.choice(("structure", "path", "path"))])
        changes = []
        for kind in rng.sample(group, min(order, len(group))):
            spot = rng.choice(kind)
            changes.append(Change(spot, self.mask(rng, spot)))
        return Damage(self.volume, changes, rng.random() < 0.3)

    @staticmethod
    def mask(rng, spot):
        if not spot.width or rng.random() < 0.6:
            return rng.choice(masks(spot))
        return rng.randrange(1, 1 << rng.choice((2, 8 * spot.width)))

    def again(self, text):
        """The damage of an id without its volume."""
        is_raw = text.startswith("raw ")
        changes = []
        for part in text.removeprefix("raw ").split("; "):
            match = re.fullmatch(r"(.*)\^=(0x[0-9a-f]+)", part)
            if not match or match[1] not in self.by_address:
                raise ValueError("'%s' is no change of this volume" % part)
            changes.append(Change(self.by_address[match[1]], int(match[2], 16)))
        return Damage(self.volume, changes, is_raw)


def sample(plans, seed, counts):
    """(order, number) of damages by a seed: counts[order] of them on the volumes in turn; made when it is their turn."""
    names = list(plans)
    for order, count in counts.items():
        for number in range(seed, seed + count):
            rng = random.Random("sweep %d %d" % (order, number))
            plan = plans[names[number % len(names)]]
            yield plan.single(rng) if order == 1 else plan.several(rng, order)
