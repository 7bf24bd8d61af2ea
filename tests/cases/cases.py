# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read the tables of cases, make their volumes, and damage them.

A case is a table of a .toml file (the head of test_cases.py explains its keys). In its texts, {...} stands for a number, taken
from the volume as it was: {/path} is an inode, {data} and {node} a segment of such blocks in which no log writes, {pack} and
{other} the number of the checkpoint pack in force and of the other one, {pack_start} the first block of the one in force,
{chain} the block where nodes written by fsync begin, {hole} a free block in the hot node log, any other word a field by its
address (f2fskit/inject.h), with an @ in front of it the block that holds the field; + - * between them are done from left to
right.
"""
import dataclasses
import functools
import gzip
import os
import re
import shlex
import struct
import subprocess
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = os.path.join(os.path.dirname(HERE), "fuzz", "corpus", "image")
BLOCKS_PER_SEGMENT = 512


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    group: str
    finds: tuple
    image: str = "all"
    set: tuple = ()
    unreadable: str = ""
    accepts: bool = False
    end: str = ""
    also: bool = False
    left: tuple = ()
    hurts: tuple = ()
    moves: tuple = ()
    fails: str = ""
    frozen: bool = False


def load_table(name):
    with open(os.path.join(HERE, name), "rb") as f:
        return tomllib.load(f)


@functools.lru_cache(None)
def load():
    """All cases by name. A key that does not exist is a TypeError, a name that is there twice a ValueError."""
    found = {}
    for file in sorted(os.listdir(HERE)):
        group, kind = os.path.splitext(file)
        if kind != ".toml" or group in ("images", "without"):
            continue
        for name, row in load_table(file).items():
            if name in found:
                raise ValueError("two cases are called " + name)
            found[name] = Case(name, group, **{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()})
    return found


# volumes


def noise(n):
    """n bytes that are always the same and do not repeat within a block."""
    return b"".join(struct.pack("<Q", i * 0x9E3779B97F4A7C15 & (1 << 64) - 1) for i in range((n + 7) // 8))[:n]


def text(n):
    """n bytes that compress, and say where they stand."""
    return b" ".join(b"%d" % i for i in range(n // 4 + 1))[:n]


def repeated(command):
    """A command with {0..9} once for each number, in each place of it."""
    match = re.search(r"\{(\d+)\.\.(\d+)\}", command)
    if not match:
        return [command]
    first, last = match.groups()
    return [re.sub(r"\{%s\.\.%s\}" % (first, last), "%0*d" % (len(first), i), command)
            for i in range(int(first), int(last) + 1)]


def load_seed(path, name):
    with gzip.open(os.path.join(SEEDS, "seed-%s.gz" % name)) as f:
        unpack(path, f.read())


def unpack(path, data):
    """Unpack a compact image (tests/fuzz/compact.h)."""
    bits, blocks, at = data[5], struct.unpack_from("<I", data, 8)[0], 16
    with open(path, "wb") as f:
        f.truncate(blocks << bits)
        while at < len(data):
            block, offset, length = struct.unpack_from("<IHH", data, at)
            f.seek((block << bits) + offset)
            f.write(data[at + 8:at + 8 + length])
            at += 8 + length


class Maker:
    """Makes each volume of images.toml once."""

    def __init__(self, run_tool, folder):
        self.run_tool, self.folder, self.recipes, self.made = run_tool, folder, load_table("images.toml"), {}

    def paths(self, name):
        """The image, and its further device when there is one."""
        if name not in self.made:
            image = self.folder / (name + ".img")
            self.made[name] = self.make(image, **self.recipes[name])
        return self.made[name]

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def make(self, image, seed=None, size=None, mkfs=(), further=None, commands=()):
        if seed:
            load_seed(image, seed)
            return [image]
        paths = [image, self.folder / (image.name + ".further")][:2 if further else 1]
        for path, length in zip(paths, (size, further)):
            with open(path, "wb") as f:
                f.truncate(int(length.rstrip("M")) << 20)
        self.run_tool("mkfs.f2fs", "-q", "-f", *(word.replace("{further}", str(paths[-1])) for word in mkfs), image)
        lines = [line for command in commands for line in repeated(command)]
        lines = [re.sub(r"\{noise (\d+)\}", lambda m: self.file(m[1], noise(int(m[1]))), line) for line in lines]
        lines = [re.sub(r"\{text (\d+)\}", lambda m: self.file("text" + m[1], text(int(m[1]))), line) for line in lines]
        lines = [re.sub(r"\{(.)\*(\d+)\}", lambda m: m[1] * int(m[2]), line) for line in lines]
        if lines:
            self.run_tool("f2fs", "-w", "-f", self.file("commands", "\n".join(lines + [""]).encode()), image)
        return paths


# texts of a case


class Numbers:
    """What {...} stands for, on one volume."""

    def __init__(self, f2fskit, devices):
        self.f2fskit, self.devices = f2fskit, devices
        self.fields = f2fskit.fields(devices[0], devices=devices[1:])
        self.known = {}

    def close(self):
        self.fields.close()

    def open(self):
        return self.f2fskit.open(self.devices[0], devices=self.devices[1:])

    def of(self, text):
        """text with each {...} replaced by its number."""
        while True:
            match = re.search(r"\{([^{}]*)\}", text)
            if not match:
                return text
            text = text[:match.start()] + str(self.value(match[1])) + text[match.end():]

    def value(self, expression):
        words = re.split(r" ([-+*]) ", expression)
        total = self.word(words[0])
        for sign, word in zip(words[1::2], words[2::2]):
            n = self.word(word)
            total = total + n if sign == "+" else total - n if sign == "-" else total * n
        return total

    def word(self, word):
        if re.fullmatch(r"\d+", word):
            return int(word)
        if word not in self.known:
            self.known[word] = self.look(word)
        return self.known[word]

    def look(self, word):
        if word.startswith("/"):
            with self.open() as volume:
                return volume.lookup(word, follow=False).number
        if word.startswith("@"):
            return self.fields.describe(word[1:]).offset >> self.word("sb.log_blocksize")
        special = getattr(self, "find_" + word, None)
        return special() if special else int(self.fields[word])

    def find_pack(self):
        with self.open() as volume:
            return volume.checkpoint_pack

    def find_other(self):
        return 3 - self.word("pack")

    def find_pack_start(self):
        return self.word("sb.cp_blkaddr") + (self.word("pack") - 1) * BLOCKS_PER_SEGMENT

    def find_chain(self):
        return self.value("sb.main_blkaddr + %d" % (
            self.word("cp.cur_node_segno[1]") * BLOCKS_PER_SEGMENT + self.word("cp.cur_node_blkoff[1]")))

    def find_hole(self):
        segno, end = self.word("cp.cur_node_segno[0]"), self.word("cp.cur_node_blkoff[0]")
        return next(i for i in range(end) if not self.word("sit[%d].valid_map[%d]" % (segno, i // 8)) >> 7 - i % 8 & 1)

    def closed_segment(self, is_node):
        with self.open() as volume:
            logs = {log.segno for log in volume.logs.values()}
            return next(s.segno for s in volume.sit
                        if s.valid_blocks and s.segno not in logs and (s.type >= 3) == is_node)

    def find_data(self):
        return self.closed_segment(False)

    def find_node(self):
        return self.closed_segment(True)


class Broken:
    """A volume with the damage of a case, in layers over the image, which stays as it is."""

    def __init__(self, f2fskit, paths, case):
        self.f2fskit, self.case = f2fskit, case
        self.context = f2fskit.Context()
        self.files = [f2fskit.Device.open(path, context=self.context) for path in paths]
        numbers = Numbers(f2fskit, self.files)
        try:
            self.edits = [tuple(numbers.of(line).rsplit(" ", 1)) for line in case.set]
            self.layers = [self.cut(self.files[0], numbers), *self.files[1:]]
        finally:
            numbers.close()
        self.devices = [layer.overlay() for layer in self.layers]
        self.apply()

    def cut(self, device, numbers):
        """Return the device with its unreadable blocks."""
        block = numbers.word("sb.log_blocksize")
        if self.case.end:
            return device.slice(0, int(numbers.of(self.case.end)) << block)
        if self.case.unreadable:
            fault = device.fault()
            fault.set(bad_offset=int(numbers.of(self.case.unreadable)) << block, bad_length=1 << block)
            return fault
        return device

    def apply(self):
        for raw in (False, True):
            chosen = [(address, value) for address, value in self.edits if address.startswith("raw ") == raw]
            if chosen:
                with self.f2fskit.fields(self.devices[0], "r+", devices=self.devices[1:], raw=raw) as fields:
                    for address, value in chosen:
                        fields[address.removeprefix("raw ")] = value

    def check(self, **options):
        return self.f2fskit.check(self.devices[0], devices=self.devices[1:], content=True, **options)

    def contents(self):
        return contents(self.f2fskit, self.devices)

    def changes(self):
        """(offset, bytes) of all edits of the first device."""
        return [(offset, self.devices[0].read(offset, length)) for offset, length in self.devices[0].changes()]

    def close(self):
        for device in (*self.devices, *self.layers, *self.files):
            device.close()


def contents(f2fskit, devices, **options):
    """{path: contents} of all but directories: bytes, the target of a symlink, the type of others."""
    found = {}
    with f2fskit.open(devices[0], devices=devices[1:], **options) as volume:
        for path, entry in volume.scan("/"):
            kind = entry.type.name
            if kind == "DIRECTORY":
                continue
            inode = volume.inode(entry.ino)
            try:
                found[path] = inode.read_bytes(max_bytes=1 << 26) if kind == "REGULAR" else \
                    inode.readlink() if kind == "SYMLINK" else kind
            except f2fskit.Error as error:
                found[path] = type(error).__name__
    return found


class in_place:
    """with in_place(path, changes): the file has these bytes, and gets the old ones back."""

    def __init__(self, path, changes):
        self.path, self.changes, self.old = path, changes, []

    def swap(self, changes):
        with open(self.path, "r+b") as f:
            for offset, data in changes:
                f.seek(offset)
                self.old.append((offset, f.read(len(data))))
                f.seek(offset)
                f.write(data)

    def __enter__(self):
        self.swap(self.changes)

    def __exit__(self, *_):
        self.swap(list(self.old))
