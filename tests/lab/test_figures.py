# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of the documents: tables are written from lab/figures, and f2fs-lab verify measures them again."""
import collections
import csv
import importlib.util
import json
import os

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(scope="module")
def make_figures():
    spec = importlib.util.spec_from_file_location("make_figures", os.path.join(TOP, "docs", "make_figures.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_documents_are_written_from_tables(make_figures):
    found = make_figures.tables()
    assert found
    for name, table in found.items():
        with open(os.path.join(TOP, table["document"])) as f:
            text = f.read()
        assert text.count("<!-- figures: %s -->\n" % name) == 1
        assert make_figures.written(text, found) == text, "run python3 docs/make_figures.py"


def test_cells_take_measured_figures(make_figures):
    """Each number of a cell that has a value, with its commas; the others stay."""
    measured = collections.deque([("1234", "2345"), ("0.5", "0.75"), ("9", "8")])
    assert make_figures.filled("1,234 of 0.5 (7)", "a, b", measured) == "2,345 of 0.75 (7)"
    assert make_figures.filled("seed 3", "", measured) == "seed 3"
    with pytest.raises(AssertionError):
        make_figures.filled("7", "a", measured)


TAKEN = """[table]
document = "x.md"
head = ["", "Written"]
[table.one]
values = ["", "a, b"]
cells = ["2 runs", %s]
"""


def test_tables_take_a_file_of_measurements(make_figures, tmp_path, monkeypatch):
    """Also where only rows have values, and where a file system had no space."""
    monkeypatch.setattr(make_figures, "TOP", tmp_path)
    path = tmp_path / "lab/figures/one.toml"
    path.parent.mkdir(parents=True)
    path.write_text(TAKEN % '"1,000 (0.5)"')
    found = tmp_path / "found.csv"
    for old, new in ("1000", "2000"), ("2000", "no space"), ("no space", "30"):
        found.write_text("row,column,printed,measured,result\ntable.one,Written,%s,%s,differs\n"
                         "table.one,Written,0.5,0.5,same\n" % (old, new))
        make_figures.take(found)
        assert path.read_text() == TAKEN % ('"%s (0.5)"' % ("2,000" if new == "2000" else new))


def test_small_rows_are_as_printed(run_tool):
    done = run_tool("f2fs-lab", "verify", "--small", "--json=-", rc=None)
    assert done.returncode == 0 or b"built without libsqlite3" in done.stderr, done.stderr.decode()


TABLE = """
[one]
experiment = "fast15-iozone"
small = true
head = ["", "Written", "Shares"]
values = ["", "%s", "part asked_blocks, fewer asked_blocks"]
[one.whole]
cells = ["1", "%s", "1, 0"]
[one.half]
set = ["source.file.bytes=10MiB"]
cells = ["2", "2,560 of 7", "-"]
"""


@pytest.fixture
def verify(run_tool, tmp_path):
    def run(values, cell, *options, rc=0):
        (tmp_path / "one.toml").write_text(TABLE % (values, cell))
        return run_tool("f2fs-lab", "verify", "--figures", tmp_path, "--json=-", *options, rc=rc)
    return run


def test_differences_are_named(verify):
    """The row, what is printed and what is measured; other rows are measured all the same."""
    done = verify("asked_blocks@all", "7", rc=1)
    found = json.loads(done.stdout)
    bad = found[0]
    assert (bad["row"], bad["column"], bad["printed"], bad["result"]) == ("one.whole", "Written", "7", "differs")
    assert [(row["row"], row["printed"], row["measured"]) for row in found[1:]] == [
        ("one.whole", "1", "1"), ("one.whole", "0", "0"), ("one.half", "2560", "2560")]
    assert "one.whole: Written: printed 7, measured %s" % bad["measured"] in done.stderr.decode()
    verify("asked_blocks", bad["measured"], "one")
    assert len(json.loads(verify("asked_blocks", "7", "one.half").stdout)) == 1


@pytest.mark.parametrize("values,options,message", [
    ("odd", [], "one.values: is not [least|most] [FORM] [RUN/]METRIC[@ROUND]"), ("odd waf", [], "one.values: is not ["),
    ("least odd waf", [], "one.values: is not ["),
    ("waf@9", [], "there is no such round"), ("waf", ["two"], "no table of figures and no row is named 'two'")])
def test_wrong_tables(verify, values, options, message):
    assert message in verify(values, "1", *options, rc=1).stderr.decode()


SEEDS = """
[many]
experiment = "m2h-ycsb"
set = ["engine.placement=none", "volume.size=300MB", "experiment.rounds=1"]
head = ["", "All"]
values = ["", "%s"]
[many.run.2]
set = ["experiment.seed=2"]
[many.run.3]
set = ["experiment.seed=3"]
[many.row]
cells = ["x", "1 1 1"]
"""


def test_several_seeds(run_tool, tmp_path):
    """Mean, least and most of the values that single runs have."""
    def run(text):
        (tmp_path / "many.toml").write_text(text)
        return run_tool("f2fs-lab", "verify", "--figures", tmp_path, "--json=-", rc=1)

    def measured(text):
        return [int(row["measured"]) for row in json.loads(run(text).stdout)]
    seeds = SEEDS % "device_blocks, least device_blocks, most device_blocks" + "seeds = %d\n"
    single = measured(SEEDS % "device_blocks, 2/device_blocks, 3/device_blocks")
    assert len(set(single)) == 3
    assert measured(seeds % 3) == [round(sum(single) / 3), min(single), max(single)]
    for number in (0, 65):
        assert "many.row.seeds: is out of bounds: 1 to 64" in run(seeds % number).stderr.decode()


def test_figures_as_csv(verify, tmp_path):
    """The rows of the listing, also where figures differ."""
    path = tmp_path / "found.csv"
    listed = json.loads(verify("asked_blocks@all", "7", "--csv", path, rc=1).stdout)
    with open(path, newline="") as f:
        assert list(csv.DictReader(f)) == listed
    assert b"/dev/full: No space left" in verify("asked_blocks", "7", "one.half", "--csv=/dev/full", rc=1).stderr


def test_json_goes_to_its_file(verify, run_tool, tmp_path):
    path = tmp_path / "found.json"
    verify("asked_blocks", "7", "one.half")
    for command in ("verify", "one.half", "--figures", tmp_path), ("list",):
        assert run_tool("f2fs-lab", *command, "--json", path).stdout == b""
        assert json.loads(path.read_text())
        assert b"/dev/full: No space left" in run_tool("f2fs-lab", *command, "--json=/dev/full", rc=1).stderr
