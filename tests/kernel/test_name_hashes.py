# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hashes of names are the kernel's: it files many names, we read the hashes that it stored and compute our own."""
import os
import random
import subprocess
import sys

import pytest

import makers
import uml

# In the guest: files with as many names as there are lines (hex) in a list, 300 in each directory, since the kernel
# looks through the whole directory for a folded name that it has not found by its hash. Refused names go to LOG.
LINK = """
import os, sys
top, names, log = sys.argv[1:]
refused = []
for i, line in enumerate(open(names)):
    name = bytes.fromhex(line.strip())
    if i % 300 == 0:
        folder = os.fsencode("%s/%d" % (top, i // 300))
        os.mkdir(folder)
        os.close(os.open(folder + b"/first", os.O_CREAT | os.O_WRONLY))
    try:
        os.link(folder + b"/first", folder + b"/" + name)
    except OSError as e:
        refused.append("%s %d" % (name.hex(), e.errno))
open(log, "w").write("\\n".join(refused))
"""

# Letters that fold to several, marks of several classes, characters that are dropped, and what Unicode 12.1 has not
# heard of: what folding in the wrong order, or by newer tables, would get wrong.
ODD = [0x41, 0x61, 0xAD, 0xDF, 0x130, 0x131, 0x300, 0x301, 0x316, 0x327, 0x345, 0x34F, 0x378, 0x3B1, 0x3F4, 0x5B0, 0x5D0,
       0x64B, 0x651, 0x898, 0x8CA, 0x958, 0xC3C, 0xE34, 0x1100, 0x1161, 0x11A8, 0x13A0, 0x1715, 0x180B, 0x1ABF, 0x1C90,
       0x1DFA, 0x1E9E, 0x1F82, 0x1FB7, 0x200D, 0x2126, 0x212A, 0x212B, 0x2C2F, 0x304C, 0x3099, 0xA7C0, 0xA7F5, 0xA82C,
       0xAB70, 0xAC01, 0xE000, 0xF900, 0xFB01, 0xFDD0, 0xFFFD, 0x10400, 0x10570, 0x10EAB, 0x11070, 0x11938, 0x1193D,
       0x16FF0, 0x1D15E, 0x1E2AE, 0x1E4EE, 0x2F800, 0xE0001, 0xE0800, 0x10FFFF]


def plain_names(rng):
    """Every length, bytes of all kinds but NUL and slash."""
    alphabet = [c for c in range(1, 256) if c != 0x2F]
    for length in list(range(1, 256)) * 4:
        yield bytes(rng.choices(alphabet, k=length))
    yield from (b"...", b".hidden", b"\xff" * 255)


def folded_names(rng):
    for i, c in enumerate(c for c in range(0x80, 0x3400) if c not in range(0xD800, 0xE000)):
        yield ("%c\u0301%x" % (c, i)).encode()
    for i in range(3000):
        yield ("".join(map(chr, rng.choices(ODD, k=rng.randint(1, 12)))) + "#%d" % i).encode()
    for i in range(300):                        # about as long as a folded name may become
        name = "".join(map(chr, rng.choices(ODD, k=90))).encode()[:rng.randint(200, 249)]
        yield name + b"#%03d" % i
    yield from (b"Z" * 254, b"z" * 255, b"not\xffUTF-8", "\u00ad\u200b".encode())


def our_hashes(build_dir, kind, names):
    done = subprocess.run([os.path.join(build_dir, "tests", "common", "name_hashes")], check=True, capture_output=True,
                          input="".join("%s %s\n" % (kind, name.hex()) for name in names), text=True)
    return done.stdout.split()


@pytest.mark.parametrize("kind", ["plain", "folded"])
def test_hashes(kernel, build_dir, f2fskit, tmp_path, kind):
    fold = kind == "folded"
    if fold and "casefold" not in kernel.features:
        pytest.skip("this kernel cannot fold names")
    names = sorted(set((folded_names if fold else plain_names)(random.Random(1))))
    disk, listed, log = (str(tmp_path / name) for name in ("disk.img", "names", "refused"))
    with open(disk, "wb") as f:
        f.truncate(256 << 20)
    subprocess.run([makers.PEER.program(), "-q", "-f", *(["-C", "utf8", "-O", "casefold"] if fold else []), disk],
                   check=True, stdout=subprocess.DEVNULL)
    with open(listed, "w") as f:
        f.write("\n".join(name.hex() for name in names))
    uml.run("mount /dev/ubda $MNT && mkdir $MNT/top && %s \"$1\" -c \"$2\" $MNT/top \"$3\" \"$4\""
            % ("chattr +F $MNT/top &&" if fold else ""),
            args=[sys.executable, LINK, listed, log], images=[disk], kernel=kernel, strict=True).check()
    with open(log) as f:
        refused = {bytes.fromhex(line.split()[0]) for line in f}

    with f2fskit.open(disk) as volume:
        stored = {e.raw_name: e.hash for folder in volume.lookup("/top").iterdir() if folder.raw_name.isdigit()
                  for e in volume.inode(folder.ino).iterdir()}
    for name in (b".", b"..", b"first"):
        stored.pop(name, None)
    assert len(refused) < len(names) / 10
    assert stored.keys() == set(names) - refused
    ours = our_hashes(build_dir, kind[0].replace("f", "c"), stored)
    if "-" in ours:
        pytest.skip("this build cannot fold names")
    wrong = [(name, "%08x" % theirs, mine) for (name, theirs), mine in zip(stored.items(), ours)
             if "%08x" % theirs != mine]
    assert not wrong, "%d of %d, such as %r" % (len(wrong), len(stored), wrong[:5])
