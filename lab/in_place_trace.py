# SPDX-License-Identifier: LGPL-2.1-or-later
"""An experiment on our engine and on a model of a file system that writes in place and keeps a journal of metadata, as Ext4 does
(data=ordered, delayed allocation): python3 lab/in_place_trace.py BUILD EXPERIMENT [OPTION of f2fs-lab run...]

The same operations go to both. In the model a write makes blocks dirty. An fsync writes those of its file and, when metadata have
changed since the last commit, a commit of the journal: a descriptor, each block of metadata that changed, and a commit block. New
blocks change the inode, the bitmap and the group's descriptor; names change the directory, the inode and its bitmap; a larger file
its inode. Blocks of metadata go to their places once at the end of a round, or when the journal is a quarter full. Two columns: an
overwrite changes the inode's time and so calls for a commit (fsync), or it does not (fdatasync).
"""
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
BLOCK, JOURNAL, INODES_IN_BLOCK = 4096, 32768, 16


class InPlace:
    """Counts blocks; files are numbers, blocks of metadata names."""

    def __init__(self, times_count):
        self.times_count = times_count
        self.files, self.dirty, self.changed, self.away = {}, {}, set(), set()
        self.data = self.journal = self.home = self.in_journal = 0

    def inode(self, number):
        return "inode table", number // INODES_IN_BLOCK

    def create(self, number):
        self.files[number] = set()
        self.dirty[number] = set()
        self.changed |= {"directory", "inode bitmap", self.inode(number)}

    def remove(self, number):
        self.dirty.pop(number)
        self.changed |= {"directory", "inode bitmap", self.inode(number)}
        if self.files.pop(number):
            self.changed |= {"block bitmap", "group descriptor"}

    def write(self, number, offset, length):
        if length:
            self.dirty[number] |= set(range(offset // BLOCK, (offset + length - 1) // BLOCK + 1))
            if self.times_count:
                self.changed.add(self.inode(number))

    def truncate(self, number, size):
        gone = {block for block in self.files[number] if block * BLOCK >= size}
        self.files[number] -= gone
        self.dirty[number] = {block for block in self.dirty[number] if block * BLOCK < size}
        self.changed.add(self.inode(number))
        if gone:
            self.changed |= {"block bitmap", "group descriptor"}

    def write_out(self, number):
        blocks = self.dirty[number]
        if blocks - self.files[number]:
            self.changed |= {"block bitmap", "group descriptor", self.inode(number)}
        self.files[number] |= blocks
        self.data += len(blocks)
        self.dirty[number] = set()

    def commit(self):
        if not self.changed:
            return
        self.journal += 2 + len(self.changed)
        self.in_journal += 2 + len(self.changed)
        self.away |= self.changed
        self.changed = set()
        if self.in_journal > JOURNAL // 4:
            self.go_home()

    def go_home(self):
        self.home += len(self.away)
        self.away, self.in_journal = set(), 0

    def fsync(self, number):
        self.write_out(number)
        self.commit()

    def sync(self):
        for number in self.files:
            self.write_out(number)
        self.commit()
        self.go_home()

    def do(self, word):
        """Carry out an operation as gen prints it; reads change nothing."""
        kind, number, *rest = word
        if kind == "sync":
            self.sync()
        elif kind == "create":
            self.create(int(number))
        elif kind != "read":
            getattr(self, kind)(int(number), *map(int, rest))

    def written(self):
        return {"data": self.data, "journal": self.journal, "home": self.home, "all": self.data + self.journal + self.home}


def rounds_of(text, times_count):
    """Return the writes of each round but the first, which makes the files."""
    volume, before, found = InPlace(times_count), None, []
    for line in text.splitlines():
        word = line.split()
        if word[0] != "round":
            volume.do(word)
            continue
        volume.sync()
        now = volume.written()
        if before:
            found.append({key: now[key] - before[key] for key in now})
        before = now
    return found


def main(build, path, *options):
    sys.path.insert(0, str(TOP / "lab"))
    import engine_kernel  # noqa: E402

    build, path = pathlib.Path(build).resolve(), pathlib.Path(path)
    path = path if path.exists() else TOP / "lab/experiments" / (path.name + ".toml")
    with tempfile.TemporaryDirectory(prefix="f2fs-lab.") as work:
        trace = pathlib.Path(work) / "trace.f2t"
        ours = engine_kernel.ours(build, path, list(options), trace)
        text = subprocess.run([build / "lab/f2fs-lab", "gen", "trace", "--rounds", str(len(ours)), "--set", f"file={trace}"],
                              capture_output=True, text=True, check=True).stdout
    columns = [ours, rounds_of(text, True), rounds_of(text, False)]
    print("%-6s%10s%26s%26s" % ("round", "ours", "in place, fsync", "in place, fdatasync"))
    for number, (one, full, less) in enumerate(zip(*columns), 1):
        print("%-6d%10d" % (number, one["written"]) + "".join(
            "%12d (ours %+.0f %%)" % (side["all"], 100 * one["written"] / side["all"] - 100) for side in (full, less)))


if __name__ == "__main__":
    main(*sys.argv[1:])
