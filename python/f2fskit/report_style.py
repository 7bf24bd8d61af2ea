# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frame, the look and the script of the pages that `report()` writes. `dump.f2fs --report` has the same files built in."""

from __future__ import annotations

import pkgutil


def _part(name: str) -> str:
    data = pkgutil.get_data("f2fskit", name)
    if data is None:
        raise FileNotFoundError(f"{name} is missing beside report_style.py; install f2fskit again")
    return data.decode()


PAGE = _part("report_frame.html")
STYLE = _part("report_look.css")
SCRIPT = _part("report_sort.js")
