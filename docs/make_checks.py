#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write docs/CHECKS.md from the table of problems that fsck.f2fs prints.

    docs/make_checks.py build/fsck/fsck.f2fs > docs/CHECKS.md
"""
import json
import subprocess
import sys

HEAD = """# Checks

What `fsck.f2fs` and `f2fs_check()` find: each problem has a number and a name that are never used for another one.
`fsck.f2fs --explain=NAME` shows a single one. This file is made from `lib/facts/problems.def` by `docs/make_checks.py`.

How bad a problem is:

| Severity | Meaning |
|---|---|
| note | worth knowing, nothing is wrong; notes are no problems and do not change the exit status |
| stale | what can be derived from the rest is wrong; user data is not touched |
| damage | a structure is wrong; user data may be affected |
| loss | user data, or the way to it, is lost |

What can be decided about a repair (`--only`, `--except`, `--ask`; `decide`, `only` and `skip` in Python) is said where it is
not each finding by itself:

* *common*: it follows from the rest, as counts and tables do, or everything else stands on it. Whatever a repair writes makes
  it right, because a checkpoint has to be consistent; left out it is only no reason to write.
* *none*: a repair does nothing about it.

An inode that goes on breaking a rule is not written at all, so other findings about it are left with it. A node that hangs
nowhere and is left keeps its id, its block and those of its data; that these are in use is then found again, too.
"""
KINDS = {"choice": "Repair", "common": "Repair (common)", "none": "Repair (none)"}


def render(problems):
    lines, group = [HEAD], None
    for p in problems:
        if p["group"] != group:
            group = p["group"]
            lines.append("## %s\n" % group)
        lines.append("### P%d %s (%s)\n" % (p["id"], p["name"], p["severity"]))
        lines.append("> %s\n" % p["message"].replace("{", "*").replace("}", "*"))
        lines.append("%s\n\n%s: %s.\n" % (p["explanation"], KINDS[p["repair"]], p["fix"]))
    return "\n".join(lines)


def main():
    listing = subprocess.run([sys.argv[1], "--explain=all", "--json"], check=True, capture_output=True).stdout
    sys.stdout.write(render(json.loads(listing)))


if __name__ == "__main__":
    main()
