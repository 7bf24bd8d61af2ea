#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time what Python pays per file and per byte, beside os.walk with os.lstat and the C interface, in one run.

usage: PYTHONPATH=build/python bench/python_rate.py FOLDER [FILES [MIB]]

Makes a tree of FILES small files (100,000) and an image of it in FOLDER, best a tmpfs, and one file of MIB MiB (600). Each row runs
in a process of its own, so that its peak of memory is its own; times are the best of three, in wall and processor seconds.

Where pytsk3 and dissect.extfs are installed, they list the same tree with sizes on ext4, made by `mke2fs -d`.
"""
import importlib.util
import os
import pathlib
import resource
import stat
import subprocess
import sys
import time

import f2fskit

PER_FOLDER = 1000


def make(folder, files, mib):
    """Make the tree, the image of it, and the image with the large file."""
    tree = folder / "tree"
    if not tree.exists():
        for i in range(files):
            if i % PER_FOLDER == 0:
                (tree / f"{i // PER_FOLDER:04d}").mkdir(parents=True)
            (tree / f"{i // PER_FOLDER:04d}" / f"file-{i:06d}").write_bytes(b"%d" % i)
    if not (folder / "tree.img").exists():
        f2fskit.mkfs(folder / "tree.img", (files // 100 << 20) + (256 << 20))
        with f2fskit.open(folder / "tree.img", "r+") as volume:
            volume.populate(tree)
    if not (folder / "tree.ext4").exists() and any(importlib.util.find_spec(peer) for peer in ("pytsk3", "dissect")):
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-N", str(files * 2), "-d", tree, folder / "tree.ext4", f"{files // 100 + 256}M"], check=True)
    if not (folder / "large.img").exists():
        f2fskit.mkfs(folder / "large.img", (mib * 5 // 4 << 20) + (256 << 20))
        with f2fskit.open(folder / "large.img", "r+") as volume, volume.path("/large").open("wb", 0) as file:
            for i in range(mib):
                file.write(bytes([i % 251]) * (1 << 20))


def os_walk(folder):
    count = 0
    for path, dirs, names in os.walk(folder / "tree"):
        for name in dirs + names:
            count += os.lstat(os.path.join(path, name)).st_size >= 0
    return count


def scan_stat(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return sum(entry.stat().st_size >= 0 for path, entry in volume.scan(stats=True))


def pytsk3_walk(folder):
    import pytsk3

    found = pytsk3.FS_Info(pytsk3.Img_Info(str(folder / "tree.ext4")))
    count, todo = 0, [found.open_dir(path="/")]
    while todo:
        for entry in todo.pop():
            if entry.info.name.name not in (b".", b"..") and entry.info.meta:
                count += entry.info.meta.size >= 0
                if entry.info.meta.type == pytsk3.TSK_FS_META_TYPE_DIR:
                    todo.append(entry.as_directory())
    return count


def dissect_walk(folder):
    from dissect.extfs import ExtFS

    with open(folder / "tree.ext4", "rb") as file:
        count, todo = 0, [ExtFS(file).root]
        while todo:
            for inode in todo.pop().iterdir():
                if inode.filename not in (".", ".."):
                    count += inode.size >= 0
                    if inode.filetype == stat.S_IFDIR:
                        todo.append(inode)
    return count


def timeline(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return sum(1 for _ in volume.timeline())


def timeline_of_the_tool(folder):
    tool = pathlib.Path(f2fskit.__file__).parents[2] / "dump/dump.f2fs"
    return subprocess.run([tool, "--timeline", folder / "tree.img"], check=True, capture_output=True).stdout.count(b"\n")


def start_python(folder):
    return subprocess.run([sys.executable, "-c", ""], check=True).returncode


def import_f2fskit(folder):
    return subprocess.run([sys.executable, "-c", "import f2fskit"], check=True).returncode


def inodes(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return len(volume.inodes())


def inodes_paths(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return len(volume.inodes(paths=True))


def inode_table(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return len(volume.inode_table().buffer())


def keep_stats(folder):
    """Bytes of a StatResult, by what ten thousand of them take."""
    import tracemalloc

    with f2fskit.open(folder / "tree.img") as volume:
        inode = volume.path("/0000/file-000000").inode()
        tracemalloc.start()
        kept = [inode.stat() for _ in range(10000)]
        return tracemalloc.get_traced_memory()[0] // len(kept) - 8


def nat(folder):
    with f2fskit.open(folder / "tree.img") as volume:
        return len(volume.nat.array())


def read_bytes(folder):
    with f2fskit.open(folder / "large.img") as volume:
        return len(volume.read_bytes("/large"))


def readinto(folder):
    with f2fskit.open(folder / "large.img") as volume, volume.path("/large").open("rb", 0) as file:
        return file.readinto(bytearray(volume.path("/large").stat().st_size))


def write_by_inode(folder):
    device = f2fskit.Device.memory(256 << 20)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for i in range(10000):
            volume.root.create(f"file-{i}").pwrite(b"contents", 0)
    return 10000


def write_by_path(folder):
    device = f2fskit.Device.memory(256 << 20)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        for i in range(10000):
            volume.path(f"/file-{i}").write_bytes(b"contents")
    return 10000


ROWS = (os_walk, scan_stat, pytsk3_walk, dissect_walk, inodes, inodes_paths, inode_table, keep_stats, nat, timeline, timeline_of_the_tool,
        read_bytes, readinto, write_by_inode, write_by_path, start_python, import_f2fskit)
PEERS = {"pytsk3_walk": "pytsk3", "dissect_walk": "dissect"}


def processor():
    """Return the processor time of this process and of its children that ended."""
    return sum(part for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN) for part in resource.getrusage(who)[:2])


def run(name, folder):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for _ in range(1 if name == "keep_stats" else 3):
        wall, cpu = time.perf_counter(), processor()
        found = globals()[name](folder)
        times.append((time.perf_counter() - wall, processor() - cpu))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    wall, cpu = min(times, key=lambda one: one[1])
    print(f"    {name:20} {wall:8.3f} s {cpu:8.3f} cpu s {peak / 1024:8.0f} MiB more {found:12}")


def main():
    folder = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2 and sys.argv[2] in globals():
        return run(sys.argv[2], folder)
    make(folder, int((sys.argv[2:] or [100000])[0]), int((sys.argv[3:] or [600])[0]))
    for row in ROWS:
        if row.__name__ in PEERS and not importlib.util.find_spec(PEERS[row.__name__]):
            print(f"    {row.__name__:20} {PEERS[row.__name__]} is not installed")
            continue
        subprocess.run([sys.executable, __file__, folder, row.__name__], check=True)


if __name__ == "__main__":
    main()
