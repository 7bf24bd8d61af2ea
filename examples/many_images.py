#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""List many images as a table: many_images.py IMAGE ...

Each image has 60 seconds and 1 GiB of memory, in a process of its own. With an address in DASK_SCHEDULER the workers of
that cluster look at them.
"""
import os
import sys

from f2fskit.inventory import inventory


def main():
    executor = None
    if os.environ.get("DASK_SCHEDULER"):
        import dask.distributed

        executor = dask.distributed.Client(os.environ["DASK_SCHEDULER"])
    bad = 0
    for row in inventory(sys.argv[1:], executor, digests=True, seconds=60, memory=1 << 30):
        state = row.error or ("sound" if row.is_sound else "; ".join(row.findings))
        print(f"{row.image}\t{row.files} files\t{row.file_bytes} bytes\t{row.tree_sha256[:16] or '-'}\t{state}")
        bad += not row.is_sound or bool(row.error)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
