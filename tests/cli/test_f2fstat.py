# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fstat on a saved status."""
import json
import os

import pytest

STATUS = """
=====[ partition info(sda3). #0, RW, CP: Good]=====
Utilization: 7% (9 valid blocks, 1 discard blocks)
  - Node: 12 (Inode: 10, Other: 2)
  - Data: 123456
  - Valid: 6
  - Dirty: 5
  - Prefree: 4
  - Free: 54 (54)
CP calls: 3 (BG: 1)
GC calls: 2 (BG: 1)
  - nodes:    8 in   30
  - dents:    1 in dirs:   2 (   2)
  - meta:    7 in   20
  - NATs:        5/      10
  - SITs:        9/      54
  - free_nids:      11/   99
SSR: 21 blocks in 1 segments
LFS: 22 blocks in 2 segments
Memory: 333 KB

=====[ partition info(sdb). #1, RW, CP: Good]=====
Utilization: 99% (9 valid blocks, 1 discard blocks)

=====[ partition info(a"\\b). #2, RW, CP: Good]=====
"""


@pytest.fixture
def status(tmp_path, build_dir):
    if not os.path.exists(os.path.join(build_dir, "mounted", "f2fstat")):
        pytest.skip("built without programs for mounted volumes")
    path = tmp_path / "status"
    path.write_text(STATUS)
    return path


def test_lines(run_tool, status):
    lines = run_tool("f2fstat", "-f", status, "-d", 0, "-i", 2, "-c", 3).stdout.decode().splitlines()
    assert lines[:2] == lines[4:6] and lines[2] == lines[3] == lines[6] and len({len(line.rstrip()) for line in lines[1:3]}) == 1
    assert lines[1].split() == ("util node data free valid dirty prefree node dent meta sit nat fnid cp gc ssr lfs total node meta").split()
    assert lines[2].split() == "7 12 123456 54 6 5 4 8 1 7 9 5 11 3 2 21 22 333 120 80".split()
    bars = [i for i, letter in enumerate(lines[0]) if letter == "|"]
    assert [title.strip("-") for title in lines[0].split("|")[1:]] == ["main segments", "page/slab caches", "cp/gc", "blks", "memory", ""]
    assert all(lines[1][bar] == " " == lines[2][bar] for bar in bars[:-1])


def test_json_of_each_device(run_tool, status):
    first = json.loads(run_tool("f2fstat", "-f", status, "-c", 1, "--json").stdout)
    assert first["partition"] == "sda3" and first["node_cache_kib"] == 120 and None not in first.values() and len(first) == 21
    second = json.loads(run_tool("f2fstat", "-f", status, "-c", 1, "--json", "-p", "/dev/sdb").stdout)
    odd = run_tool("f2fstat", "-f", status, "-c", 1, "--json", "-p", 'a"\\b').stdout
    assert json.loads(odd)["partition"] == 'a"\\b'
    assert second["partition"] == "sdb" and second["utilization_percent"] == 99 and second["free_segments"] is None


def test_refusals(run_tool, status, tmp_path):
    assert run_tool("f2fstat", "-f", status, "-p", "/dev/sd", rc=1).stderr.endswith(b"no mounted volume on sd\n")
    assert b"No such file" in run_tool("f2fstat", "-f", tmp_path / "gone", rc=1).stderr
    assert b"-p" in run_tool("f2fstat", "sda", rc=1).stderr
    for words in (("-d", "x"), ("-i", "0"), ("-c", "0")):
        assert words[0].encode() in run_tool("f2fstat", "-f", status, *words, rc=1).stderr
