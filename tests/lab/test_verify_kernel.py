# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of the kernel's file systems: how counters are read, and how tables are measured. No kernel is needed."""
import importlib.util
import os

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(scope="module")
def verify_kernel():
    spec = importlib.util.spec_from_file_location("verify_kernel", os.path.join(TOP, "lab", "verify_kernel.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Three rounds as f2fs_lab_replay prints them: reads, merged, sectors, ms, writes, merged, sectors, ...
REPLAY = """== 0 10 /sys/block/ubda/stat
      5        0       80        0       20        0      800        0        0        0        0
== 0 10 |dmsetup message lab 0 mark round
== 1 100 /sys/block/ubda/stat
      9        0      336        0       60        0     2400        0        0        0        0
== 2 0 /sys/block/ubda/stat
      9        0      336        0       60        0     2400        0        0        0        0
"""


def test_counters_of_a_disk(verify_kernel):
    engine = verify_kernel.engine_kernel
    first, second = engine.differences(engine.parse(REPLAY))
    assert first == {"asked": 100, "requests": 40, "written": 200, "read_requests": 4, "read": 32, "waf": 2,
                     "request_blocks": 5, "read_request_blocks": 8}
    assert second == {"asked": 0, "requests": 0, "written": 0, "read_requests": 0, "read": 0, "waf": 0,
                      "request_blocks": 0, "read_request_blocks": 0}


ROUNDS = [{"ours": {"written": 100, "bytes_512k": 0.5}, "ext4": {"written": 200}, "nilfs2": {"written": 7}},
          {"ours": {"written": 3000, "bytes_512k": 0.25}, "ext4": {"written": 1500}, "nilfs2": {}}]


@pytest.mark.parametrize("text,value", [
    ("written", 3000), ("ext4/written", 1500), ("ext4/written@1", 200), ("percent bytes_512k", 25), ("nilfs2/written@1", 7),
    ("thousandth written", 3), ("over ext4 written", 2), ("over ours ext4/written@1", 2), ("nilfs2/written", "no space")])
def test_values(verify_kernel, text, value):
    assert verify_kernel.value_of(text, ROUNDS) == value


@pytest.mark.parametrize("text", ["", "odd written", "written@", "a/b/c"])
def test_wrong_values(verify_kernel, text):
    with pytest.raises(ValueError, match="not .FORM."):
        verify_kernel.value_of(text, ROUNDS)


@pytest.mark.parametrize("printed,value,tolerance,expected", [
    ("2.00", 1.999, 0, ("2.00", True)), ("2.00", 1.99, 0, ("1.99", False)), ("2.00", 1.99, 0.01, ("1.99", True)),
    ("2000", 1900, 0.1, ("1900", True)), ("2000", 1500, 0.1, ("1500", False)), ("no space", "no space", 0, ("no space", True)),
    ("2.0", "no space", 1, ("no space", False)), ("no space", 7.25, 1, ("7.25", False))])
def test_comparing(verify_kernel, printed, value, tolerance, expected):
    assert verify_kernel.compared(printed, value, tolerance) == expected


def test_small_shares_have_slack(verify_kernel):
    assert verify_kernel.compared("0.06", 0.02, 0.1, 0.05) == ("0.02", True)
    assert verify_kernel.compared("0.06", 0.14, 0.1, 0.05) == ("0.14", False)


TABLE = {"engine": "kernel", "experiment": "x", "systems": ["ext4", "nilfs2"], "set": ["a.b=1"], "tolerance": 0.1,
         "head": ["", "Ours", "ext4", "NILFS2"], "values": ["", "written, over ext4 written", "ext4/written", "nilfs2/written"],
         "one": {"cells": ["in 2", "2,900 (2.0)", "1,800", "no space"], "set": ["c.d=2"]},
         "paper": {"cells": ["the paper", "7", "", ""], "values": ["", "", "", ""]}}


def test_a_table(verify_kernel):
    rows = list(verify_kernel.kernel_rows({"t": TABLE, "other": {"head": [], "one": {"cells": []}}}))
    assert [name for name, *_ in rows] == ["t.one"], "a row without values is not measured"
    assert verify_kernel.plan(*rows[0][1:]) == ("x", ("--ext4", "--nilfs2", "--set=a.b=1", "--set=c.d=2"))
    assert list(verify_kernel.verify(*rows[0], ROUNDS)) == [
        ("t.one", "Ours", "2900", "3000", "same"), ("t.one", "Ours", "2.0", "2.0", "same"),
        ("t.one", "ext4", "1800", "1500", "differs"), ("t.one", "NILFS2", "no space", "no space", "same")]


def test_tables_name_what_they_measure(verify_kernel):
    """Each value is of a system that the table runs, and each cell has a number for it."""
    rows = list(verify_kernel.kernel_rows(verify_kernel.make_figures.tables()))
    assert rows
    for name, table, row in rows:
        systems = {"ours", "kernel", *row.get("systems", table.get("systems", []))}
        assert systems <= {"ours", *verify_kernel.engine_kernel.SYSTEMS}, name
        for cell, values in zip(row["cells"], row.get("values", table.get("values")), strict=True):
            texts = values.split(",") if values else []
            assert len(texts) <= len(verify_kernel.make_figures.NUMBER.findall(cell)), (name, cell)
            for text in texts:
                _, other, system, metric, _ = verify_kernel.VALUE.fullmatch(text.strip()).groups()
                assert {system or "ours", other or "ours"} <= systems, (name, text)
                assert metric in [*verify_kernel.engine_kernel.ROWS, "read"], (name, text)


def test_f2fs_lab_leaves_them_out(verify_kernel, run_tool):
    name = next(verify_kernel.kernel_rows(verify_kernel.make_figures.tables()))[0]
    done = run_tool("f2fs-lab", "verify", name, rc=1)
    assert "%s is a figure of the kernel: lab/verify_kernel.py" % name in done.stderr.decode()
