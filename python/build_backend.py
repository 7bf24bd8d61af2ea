# SPDX-License-Identifier: LGPL-2.1-or-later
"""Build the module from its sources for pip. meson-python does the work; this file names missing tools in plain words."""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import sys
from typing import Any

mesonpy: Any = importlib.import_module("mesonpy")

COMPILERS = ("cc", "gcc", "clang", "icx", "tcc")
LACK = """
f2fskit has no wheel for this Python or machine, so pip builds it from its sources, and that needs a C compiler: {tried}.
  Debian, Ubuntu:  apt-get install gcc python3-dev zlib1g-dev pkg-config
  Fedora:          dnf install gcc python3-devel zlib-devel pkgconf
  Alpine:          apk add gcc musl-dev linux-headers python3-dev zlib-dev pkgconf
Another compiler is named by CC. Wheels need none: they are for Linux on x86-64, with glibc 2.28 or later, or with musl.
"""


def _check() -> None:
    named = shlex.split(os.environ.get("CC", ""))
    if not any(shutil.which(word) for word in named or COMPILERS):
        tried = f"{named[0]}, which CC names, is not there" if named else f"there is none of {', '.join(COMPILERS)}"
        sys.exit(LACK.format(tried=tried))


def build_wheel(*words: Any, **named: Any) -> Any:
    """Build a wheel, if there is a compiler."""
    _check()
    return mesonpy.build_wheel(*words, **named)


def build_editable(*words: Any, **named: Any) -> Any:
    """The same for `pip install -e`."""
    _check()
    return mesonpy.build_editable(*words, **named)


build_sdist = mesonpy.build_sdist
get_requires_for_build_sdist = mesonpy.get_requires_for_build_sdist
get_requires_for_build_wheel = mesonpy.get_requires_for_build_wheel
get_requires_for_build_editable = getattr(mesonpy, "get_requires_for_build_editable", mesonpy.get_requires_for_build_wheel)
