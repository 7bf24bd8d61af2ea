#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Print the directory below a prefix in which this interpreter looks for modules.

install_dir.py PREFIX

Meson asks Python without the prefix. So it misses Debian's separate directory below /usr/local.
"""
import os
import site
import sys
import sysconfig


def main() -> None:
    prefix = os.path.join(sys.argv[1], "")
    found = [path for path in site.getsitepackages() if path.startswith(prefix)]
    if prefix == "/usr/":
        found = [path for path in found if not path.startswith("/usr/local/")]
    names = {"base": sys.argv[1], "platbase": sys.argv[1]}
    print(found[0] if found else sysconfig.get_path("platlib", "posix_prefix", vars=names))


if __name__ == "__main__":
    main()
