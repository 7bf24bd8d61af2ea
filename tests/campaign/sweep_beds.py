# SPDX-License-Identifier: LGPL-2.1-or-later
"""The volumes of a sweep with their spots, each made when it is asked for, and the damages done to them."""
import f2fskit

import others
import sweep_judge
import sweep_plan
import sweep_spots
import sweep_volumes
import sweep_writes


class Beds:
    """names: those of sweep_volumes."""

    def __init__(self, names, then=None):
        self.names, self.made, self.then = list(names), {}, then

    def get(self, name):
        if name not in self.made:
            subject = sweep_volumes.make(name)
            spots, seals = sweep_spots.find(subject)
            self.made[name] = sweep_judge.Whole(subject), sweep_plan.Plan(name, spots), seals
        return self.made[name]

    def whole(self, name):
        return self.get(name)[0]

    def plan(self, name):
        return self.get(name)[1]

    def seals(self, name):
        return self.get(name)[2]

    def one(self, damage):
        """The result of a damage."""
        whole, _, seals = self.get(damage.volume)
        return sweep_judge.one(whole, damage, seals, self.then)

    def writes(self, damage, word=None):
        """The result of changes before the repair."""
        whole, _, seals = self.get(damage.volume)
        return sweep_writes.one(whole, damage, seals, word)

    def clean(self, damage, asked):
        """No repair: keep the volume for the kernel if a check calls it clean."""
        whole, _, seals = self.get(damage.volume)
        result = {"id": damage.id, "kind": damage.kind, "order": damage.order, "state": "CHECKED"}
        bed = sweep_judge.Bed(whole.subject, damage, seals)
        try:
            asked.keep(result, bed.damaged)
        except (f2fskit.Error, OSError) as error:       # no volume any more
            result["state"] = type(error).__name__
        finally:
            bed.close()
        return result

    def save(self, damage, path):
        """Write the damaged volume to files of the host."""
        bed = sweep_judge.Bed(self.whole(damage.volume).subject, damage, self.seals(damage.volume))
        try:
            for i, device in enumerate(bed.damaged):
                others.save(device, path if i == 0 else "%s.%d" % (path, i))
        finally:
            bed.close()

    def close(self):
        for whole, _, _ in self.made.values():
            whole.subject.close()
