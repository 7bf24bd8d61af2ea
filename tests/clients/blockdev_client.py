# SPDX-License-Identifier: LGPL-2.1-or-later
"""What libblockdev, by its GObject bindings, makes of an image: a JSON object on standard output.

Run by test_blockdev.py with a Python that has them; PATH says whose programs it meets. Version 2 of Debian 12 comes without
functions for F2FS, so there only the check of versions and the general functions are its own.
"""
import json
import sys

import gi

for version in ("3.0", "2.0"):
    try:
        gi.require_version("BlockDev", version)
        break
    except ValueError:
        pass
from gi.repository import BlockDev  # noqa: E402


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:  # GLib.Error: the library's message
        return str(error)


def main():
    image, pattern = sys.argv[1:]
    plugin = BlockDev.PluginSpec()
    plugin.name = BlockDev.Plugin.FS
    plugin.so_name = None
    BlockDev.init([plugin], None)
    report = {"version": version, "checks": {
        least: outcome(BlockDev.utils_check_util_version, "fsck.f2fs", least, "-V", pattern) for least in ("1.11.0", "99.0")}}
    report["has_f2fs"] = hasattr(BlockDev, "fs_f2fs_mkfs")
    if report["has_f2fs"]:
        extra = [BlockDev.ExtraArg.new(*pair) for pair in (("-l", "block dev"), ("-t", "nodiscard"), ("-f", ""))]
        report["mkfs"] = outcome(BlockDev.fs_f2fs_mkfs, image, extra)
        report["check"] = outcome(BlockDev.fs_f2fs_check, image, None)
        report["repair"] = outcome(BlockDev.fs_f2fs_repair, image, None)
        info = BlockDev.fs_f2fs_get_info(image)
        report["info"] = {"sectors": info.sector_count, "features": info.features}
    else:
        report["mkfs"] = outcome(BlockDev.utils_exec_and_report_error,
                                 ["mkfs.f2fs", "-l", "block dev", "-t", "nodiscard", "-f", image], None)
    report["type"] = outcome(BlockDev.fs_get_fstype, image)
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main()
