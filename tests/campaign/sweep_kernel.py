# SPDX-License-Identifier: LGPL-2.1-or-later
"""Choose volumes of a sweep to ask the kernel about: one in N of those that a check calls clean."""
import random

import kernel_asked
import sweep_judge


def is_clean(report):
    return report is not None and not sweep_judge.severe(report)


class Asked(kernel_asked.Asked):
    def __init__(self, folder, every, kernel=None):
        super().__init__(folder, kernel)
        self.every = every

    def choose(self, bed, result, said, again):
        """Keep the damaged volume if a check finds nothing wrong with it, the repaired one otherwise."""
        if random.Random("ask " + result["id"]).randrange(self.every) or not is_clean(again):
            return
        self.keep(result, bed.damaged if is_clean(said) and not result["wrote"] else bed.tops)
