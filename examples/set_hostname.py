#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prepare a system image for a machine: set_hostname.py IMAGE NAME [KEY.pub]

Writes /etc/hostname and the line of /etc/hosts, and lets a key of ssh log in as root: all of it, or nothing.
"""
import pathlib
import sys

import f2fskit


def set_line(path, start, line):
    """Make line the only one of a file that begins with start."""
    lines = path.read_text().splitlines() if path.exists() else []
    path.write_text("".join(f"{old}\n" for old in [*(old for old in lines if not old.startswith(start)), line]))


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    image, name = sys.argv[1:3]
    try:
        with f2fskit.open(image, "r+") as volume:
            etc = volume.path("/etc")
            etc.mkdir(exist_ok=True)
            (etc / "hostname").write_text(f"{name}\n")
            set_line(etc / "hosts", "127.0.1.1", f"127.0.1.1\t{name}")
            if len(sys.argv) == 4:
                folder = volume.path("/", "root", ".ssh")
                folder.mkdir(0o700, parents=True, exist_ok=True)
                keys = folder / "authorized_keys"
                key = pathlib.Path(sys.argv[3]).read_text().strip()
                set_line(keys, key, key)
                keys.chmod(0o600)
    except (f2fskit.Error, OSError) as error:
        print(f"{image}: {error}; nothing was changed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
