# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read and write wheels: zip files with metadata and a RECORD of all members."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import re
import zipfile
from typing import Callable, Mapping

TIME = (2020, 1, 1, 0, 0, 0)  # of all members: the same input gives the same wheel
_PROGRAM = 0o100755
_FILE = 0o100644


def record_line(name: str, data: bytes) -> str:
    """Return the line of a file in RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def write(target: pathlib.Path, folder: str, members: Mapping[str, tuple[bytes, bool]]) -> None:
    """Write a wheel of {name: (bytes, may it be run)}. folder: that of its metadata."""
    lines = [record_line(name, data) for name, (data, _) in members.items()]
    record = f"{folder}/RECORD"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name, (data, runs) in {**members, record: ("\n".join([*lines, f"{record},,"]).encode() + b"\n", False)}.items():
            info = zipfile.ZipInfo(name, TIME)
            info.external_attr = (_PROGRAM if runs else _FILE) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, data, zipfile.ZIP_DEFLATED, 9)


def rewrite(source: pathlib.Path, target: pathlib.Path, tag: str, added: Mapping[str, bytes],
            finish: Callable[[str, bytes], bytes] = lambda name, data: data) -> None:
    """Write a wheel again, with another tag, such as "cp39-abi3-musllinux_1_2_x86_64", and with licences. finish: gets the name and
    the bytes of each member, and returns the new ones."""
    with zipfile.ZipFile(source) as old:
        folder = next(name.split("/")[0] for name in old.namelist() if name.endswith(".dist-info/WHEEL"))
        members = {info.filename: (finish(info.filename, old.read(info)), bool(info.external_attr >> 16 & 0o100))
                   for info in old.infolist() if not info.is_dir() and info.filename != f"{folder}/RECORD"}
    head = members[f"{folder}/WHEEL"][0]
    members[f"{folder}/WHEEL"] = (re.sub(rb"(?m)^Tag: .*", f"Tag: {tag}".encode(), head), False)
    for name, data in sorted(added.items()):
        members[f"{folder}/licenses/{name}"] = (data, False)
    write(target, folder, members)
