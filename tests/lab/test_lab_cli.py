# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs-lab: experiments from their files to results, and messages about wrong files."""
import collections
import csv
import glob
import hashlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree
import zlib

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPERIMENTS = sorted(glob.glob(os.path.join(TOP, "lab", "experiments", "*.toml")))

TINY = """
[experiment]
rounds = 2
[volume]
size = "64MiB"
[source.one]
kind = "uniform"
size = "8MiB"
bytes = "1MiB"
"""


@pytest.fixture
def experiment(tmp_path):
    """experiment(text): the path of a file with that text."""
    def write(text):
        path = tmp_path / "an.toml"
        path.write_text(text)
        return path
    return write


@pytest.fixture
def results(run_tool):
    """results(path, *options): the measurements of a run, as JSON."""
    def run(path, *options):
        return json.loads(run_tool("f2fs-lab", "run", path, "--json=-", *options).stdout)
    return run


def needs_sqlite(text, run_tool):
    """Skip a test of SQLite itself where f2fs-lab was built without it."""
    if "sqlite3" in text:
        done = run_tool("f2fs-lab", "gen", "sqlite3", "--rounds=0", rc=None)
        if b"built without libsqlite3" in done.stderr:
            pytest.skip("f2fs-lab was built without libsqlite3")


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: os.path.basename(path)[:-5])
def test_small_form(path, run_tool, tmp_path):
    """Every experiment has a small form that comes to its end; in text and in JSON the same is said."""
    with open(path) as f:
        needs_sqlite(f.read(), run_tool)
    text = run_tool("f2fs-lab", "run", path, "--small", "--json", tmp_path / "out.json").stdout.decode()
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["variants"]
    for variant in found["variants"]:
        for measured in variant["rounds"]:
            assert (measured["waf"] + measured["saved_share"] >= 1 or measured["fsyncs"]
                    or measured["asked_blocks"] == 0 or found["settings"].get("engine.at_once") == "false")
            assert sum(measured["write_sizes"]) == measured["requests"]
            assert sum(measured["causes"].values()) == measured["device_blocks"] * 4096
    for row in found.get("paper_values", []):
        assert row["ours"] is not None, "no variant, round or metric of the small form: %s" % row
    assert found["title"] in text and all(variant["label"] in text for variant in found["variants"])


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: os.path.basename(path)[:-5])
def test_every_reader_of_toml_reads_it(path):
    with open(path, "rb") as f:
        tables = tomllib.load(f)
    assert tables["experiment"]["title"] and tables["small"]


def test_counts_add_up(experiment, results):
    """256 blocks were asked for in each round, and at least those went to the device."""
    found = results(experiment(TINY))
    (variant,) = found["variants"]
    assert [r["asked_blocks"] for r in variant["rounds"]] == [256, 256]
    for measured in variant["rounds"]:
        assert measured["data_blocks"] <= 256 <= measured["device_blocks"]
        assert measured["commits"] == 1
    assert sum(row["data"] + row["node"] for row in variant["segments"]) > 0


LOOKUPS = """
[engine]
reads = %s
[volume]
size = "64MiB"
[source.dir]
kind = "lookups"
names = 2000
lookups = 50
"""


def test_lookups(experiment, results):
    """Each look-up counts what a new reader needs: at least the NAT, three inodes, and the entries of two directories."""
    def reads(carried_out, *options):
        (variant,) = results(experiment(LOOKUPS % carried_out), *options)["variants"]
        return variant["rounds"][0]["lookup_reads"]
    assert reads("false") == 0
    plain, once = reads("true"), reads("true", "--set=source.dir.lookups=1")
    assert plain > 6 and once > 5
    assert 5 < reads("true", "--set=engine.dir_level=8") < plain
    assert reads("true", "--set=source.dir.names=10") == 5


def pointer_blocks(first, last):
    """Nodes but the inode above some blocks, one block after the other."""
    nodes = set()
    for block in range(first, last + 1):
        direct = (block - 923) // 1018
        if direct >= 0:
            nodes.add(("direct", direct))
        if direct >= 2:
            nodes.add(("indirect", (direct - 2) // 1018))
        if direct >= 2 + 2 * 1018:
            nodes.add("double")
    return len(nodes)


@pytest.mark.parametrize("blocks", [700, 2000, 3100, 16384])
def test_pointer_blocks(blocks, experiment, results):
    """Each write counts the nodes above its blocks once; appends write one node each."""
    text = '[volume]\nsize = "320MiB"\n[source.one]\nkind = "fill"\nin_rounds = true\nsize = "64MiB"\nrequest = "%d"\n' % (blocks * 4096)
    found = results(experiment(text))["variants"][0]["rounds"][0]
    wanted = sum(pointer_blocks(at, min(at + blocks, 16384) - 1) for at in range(0, 16384, blocks))
    assert found["tree_share"] == pytest.approx(wanted / 16384, abs=0.00005)
    text = '[volume]\nsize = "320MiB"\n[source.one]\nkind = "fill"\nsize = "64MiB"\nappend = "%d"\n' % (blocks * 4096)
    found = results(experiment(text))["variants"][0]["rounds"][0]
    assert found["asked_blocks"] == found["fsyncs"] == blocks and found["node_share"] == pytest.approx(1, abs=0.01)


def test_shares_of_temperatures(experiment, results):
    """Blocks in use are in the logs of their kind; blocks that cleaning has moved are cold."""
    kinds = ["%s_%s_valid" % (heat, kind) for kind in ("data", "node") for heat in ("hot", "warm", "cold")]
    text = TINY.replace("[source.one]", '[engine]\nlogging = "normal"\n[source.one]').replace('"64MiB"', '"128MiB"')
    for size, has_cold in (("8MiB", False), ("60%", True)):
        found = results(experiment(text), "--set=source.one.size=" + size, "--set=source.one.bytes=60MiB")["variants"][0]["rounds"][1]
        assert sum(found[kind] for kind in kinds) == pytest.approx(1, abs=0.0005)
        assert (found["cold_data_valid"] > 0, found["moved_blocks"] > 0) == (has_cold, has_cold)
        assert found["warm_data_valid"] > 0.4 and 0 < found["warm_node_valid"] < 0.02
    found = results(experiment(TINY.replace('"uniform"', '"lookups"').replace('size = "8MiB"', "names = 500").replace('bytes = "1MiB"', "")))
    found = found["variants"][0]["rounds"][0]
    assert found["hot_data_valid"] > 0 and found["warm_node_valid"] > 0.9 and found["warm_data_valid"] == 0


def test_iozone(experiment, results, run_tool):
    """Each test goes through the whole file; reads are requests of the device, which writes at random make short."""
    lines = run_tool("f2fs-lab", "gen", "iozone", "--rounds=6", "--set=size=48KiB", "--set=record=16KiB").stdout.decode().split("round ")
    rounds = [[line.split() for line in text.splitlines()[1:] if not line.startswith("create")] for text in lines[1:]]
    assert [{op[0] for op in ops} for ops in rounds[:6]] == [{"write"}, {"read"}, {"read"}, {"write"}, {"read"}, set()]
    for ops, record in zip(rounds, (16384, 16384, 4096, 4096, 16384)):
        assert sorted(int(op[2]) for op in ops) == list(range(0, 49152, record)) and all(op[3] == str(record) for op in ops)
    assert [int(op[2]) for op in rounds[1]] == [0, 16384, 32768] and rounds[2] != rounds[3]
    text = TINY.replace("rounds = 2", "rounds = 5").replace('"64MiB"', '"64MiB"\n[engine]\nreads = true').replace(
        '"uniform"', '"iozone"').replace('bytes = "1MiB"\n', "")
    found = results(experiment(text))["variants"][0]["rounds"]
    assert [r["asked_blocks"] for r in found] == [2048, 0, 0, 2048, 0]
    assert found[1]["read_requests"] < 40 and found[1]["read_request_blocks"] > 60
    assert found[2]["read_requests"] >= 2048 > 2 * found[2]["read_request_blocks"]
    assert found[4]["read_requests"] > 1500
    kept = results(experiment(text), "--set=engine.reads=false")["variants"][0]["rounds"]
    assert kept[2]["read_requests"] == 0 and [r["device_blocks"] for r in kept] == [r["device_blocks"] for r in found]
    assert "size is no multiple" in run_tool("f2fs-lab", "gen", "iozone", "--set=size=10KiB", rc=1).stderr.decode()


def test_pieces_of_files(experiment, results):
    """Files written alone are whole and are read ahead. Updates break up the files of their source, and no others."""
    text = TINY.replace("[source.one]", '[engine]\nlogging = "normal"\n[source.one]').replace('"1MiB"', '"32KiB"')
    def values(*options):
        (variant,) = results(experiment(text + 'read_back = %s\nrequest = "4KiB"\n' % options[0]), *options[1:])["variants"]
        return [(r["file_pieces"], r["piece_blocks"], r["ahead_hits"]) for r in variant["rounds"]]
    assert values("false") == [(0, 0, 0)] * 2
    (pieces, blocks, hits), (pieces2, blocks2, hits2) = values("true")
    assert 1 < pieces < pieces2 <= 1 + 2 * 16 and blocks * pieces == pytest.approx(2048, rel=0.01)
    assert 0.97 < hits2 < hits < 1
    # one miss in a file that is whole
    ((pieces, blocks, hits), _) = values("true", "--set=source.one.bytes=0")
    assert (pieces, blocks) == (pytest.approx(1, abs=3), pytest.approx(2048 / pieces, rel=0.01))
    assert hits == pytest.approx(1 - pieces / 2047, abs=0.0002)


def test_free_runs(experiment, results):
    """Blocks overwritten here and there leave short runs of free ones; the free segments after them are a long one."""
    (variant,) = results(experiment(TINY))["variants"]
    first, last = variant["rounds"]
    assert 1 < first["free_runs"] < last["free_runs"] <= 3 * 512 and last["free_run_blocks"] < first["free_run_blocks"]
    assert 0 < last["long_free_share"] < first["long_free_share"] < 1
    assert last["free_runs"] * last["free_run_blocks"] >= 512 * last["free_segments"]


def test_same_seed_same_counts(experiment, results):
    path = experiment(TINY)
    assert results(path) == results(path)
    assert results(path, "--seed=2")["variants"] != results(path)["variants"]


def test_result_carries_its_settings(experiment, results, run_tool):
    """A result can be made again from itself: the version, the seed, and settings as they were with --small and --set."""
    text = TINY + '[small]\nvolume.size = "80MiB"\n[vary]\nengine.logs = [2, 6]\n'
    found = results(experiment(text), "--small", "--seed=7", "--set=engine.commit_blocks=99")
    assert found["settings"] == {
        "volume.size": "80MiB", "source.one.kind": "uniform", "source.one.size": "8MiB", "source.one.bytes": "1MiB",
        "vary.engine.logs": ["2", "6"], "engine.commit_blocks": "99"}
    assert (found["seed"], found["rounds"]) == (7, 2)
    assert found["version"] in run_tool("f2fs-lab", "--version").stdout.decode()


def test_csv_has_what_json_has(experiment, run_tool, tmp_path):
    """A line for each round of each variant, whose label may hold commas."""
    path = experiment(TINY + '[vary]\nengine.logs = [2, 6]\nengine.placement = ["none", "adaptive:streams=4,keep=1"]\n')
    run_tool("f2fs-lab", "run", path, "--json", tmp_path / "a.json", "--csv", tmp_path / "a.csv", "--set=volume.size=200MiB")
    found = json.loads((tmp_path / "a.json").read_text())
    with open(tmp_path / "a.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    expected = [(v["label"], r) for v in found["variants"] for r in v["rounds"]]
    assert len(rows) == len(expected) == 8
    for row, (label, measured) in zip(rows, expected):
        assert (row.pop("variant"), int(row.pop("seed")), int(row.pop("round"))) == (label, 1, measured["round"])
        assert {key: float(value) for key, value in row.items()} == {key: measured[key] for key in row}
    assert b"/dev/full: No space left" in run_tool("f2fs-lab", "run", path, "--set=engine.logs=2", "--csv=/dev/full",
                                                  "--set=engine.placement=none", rc=1).stderr


def test_samples(experiment, run_tool, tmp_path):
    """Samples divide the rounds, change nothing else, and are in JSON, CSV and the picture."""
    path = experiment(TINY + "[vary]\nengine.logs = [2, 6]\n")
    plain = json.loads(run_tool("f2fs-lab", "run", path, "--json=-").stdout)
    run_tool("f2fs-lab", "run", path, "--set=experiment.samples=100", "--json", tmp_path / "a.json", "--csv",
             tmp_path / "a.csv", "--plot", tmp_path / "a.svg")
    found = json.loads((tmp_path / "a.json").read_text())
    with open(tmp_path / "a.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    for before, variant in zip(plain["variants"], found["variants"]):
        assert variant["rounds"] == before["rounds"] and "samples" not in before
        samples = variant["samples"]
        assert [s["written"] for s in samples] == [100, 200, 300, 400, 500, 512]
        assert [s["round"] for s in samples] == [1, 1, 2, 2, 2, 2]
        for key in ("asked_blocks", "device_blocks", "moved_blocks", "node_blocks", "commits", "requests"):
            assert sum(s[key] for s in samples) == sum(r[key] for r in variant["rounds"])
    expected = [(v["label"], s) for v in found["variants"] for s in v["samples"]]
    assert len(rows) == len(expected) == 12
    for row, (label, sample) in zip(rows, expected):
        assert row.pop("variant") == label and row.pop("seed") == "1"
        assert {key: float(value) for key, value in row.items()} == {key: sample[key] for key in row}
    cut = json.loads(run_tool("f2fs-lab", "run", path, "--set=experiment.samples=100", "--set=engine.idle_sections=1",
                              "--set=engine.logs=6", "--json=-").stdout)["variants"][0]["samples"]
    assert [s["written"] for s in cut] == [100, 200, 256, 356, 456, 512]      # idle cleaning is between samples
    root = xml.etree.ElementTree.parse(tmp_path / "a.svg").getroot()
    texts = [text.text for text in root.findall("{http://www.w3.org/2000/svg}text")]
    assert {"logs=2", "logs=6", "blocks that the load wrote", "0", "512"} <= set(texts)
    assert run_tool("f2fs-lab", "plot", tmp_path / "a.json").stdout == (tmp_path / "a.svg").read_bytes()


def test_names_of_experiments(run_tool):
    """The commands of the documents work beside a build, from any folder."""
    by_name = run_tool("f2fs-lab", "run", "fast15-iozone", "--small", cwd="/").stdout
    assert by_name == run_tool("f2fs-lab", "run", os.path.join(TOP, "lab/experiments/fast15-iozone.toml"), "--small").stdout


def test_variants_are_combinations(experiment, results):
    path = experiment(TINY + '[vary]\nengine.logs = [2, 6]\nsource.one.bytes = ["1MiB", "2MiB"]\n')
    assert [v["label"] for v in results(path)["variants"]] == [
        "logs=2 bytes=1MiB", "logs=2 bytes=2MiB", "logs=6 bytes=1MiB", "logs=6 bytes=2MiB"]
    assert [v["label"] for v in results(path, "--set", "engine.logs=2")["variants"]] == ["bytes=1MiB", "bytes=2MiB"]


def test_percent_of_the_room(experiment, results):
    found = results(experiment(TINY.replace('"8MiB"', '"50%"')))
    assert 0.5 <= found["variants"][0]["used_share"] < 0.52


def test_idle_cleaning(experiment, results):
    """Before each round that many sections are emptied, which the round does not count."""
    path = experiment(TINY.replace('"1MiB"', '"6MiB"') + '[engine]\nlogging = "normal"\n')
    (without,), (cleaned,) = (results(path, *options)["variants"] for options in ([], ["--set=engine.idle_sections=2"]))
    assert [r["idle_sections"] for r in without["rounds"]] == [0, 0]
    for one, other in zip(without["rounds"], cleaned["rounds"]):
        assert other["asked_blocks"] == one["asked_blocks"] and other["data_blocks"] == one["data_blocks"]
    last = cleaned["rounds"][1]
    assert last["idle_sections"] == 2 and 0 <= last["idle_victim_blocks"] < 512 and last["moved_blocks"] == 0
    assert last["idle_blocks"] >= last["idle_victim_blocks"] * 2


IDLE_TIMES = """
[engine]
logging = "normal"
commit_blocks = 500
idle_seconds = %d
sleep_seconds = %d
idle_cleaning = "greedy"
"""


@pytest.mark.parametrize("idle,sleep,sections", [(0, 0, 0), (30, 0, 0), (31, 0, 1), (1800, 30, 0), (1800, 31, 1), (1800, 150, 2),
                                                 (1800, 151, 3), (100, 600, 2), (91, 0, 2), (331, 0, 6)])
def test_idle_times(idle, sleep, sections, experiment, results):
    """A section after 30 s, the next ones after 60 s each, until the device sleeps or is used."""
    text = TINY.replace('"64MiB"', '"128MiB"') + IDLE_TIMES % (idle, sleep)
    found = results(experiment(text), "--set=source.one.size=30MiB", "--set=source.one.bytes=15MiB")["variants"][0]["rounds"][1]
    assert found["idle_sections"] == sections


def test_sidecar(experiment, results):
    """What leaves the placement's memory comes back from a sidecar: looks miss, and less is forgotten."""
    path = experiment(TINY.replace('"64MiB"', '"600MiB"').replace('"8MiB"', '"200MiB"').replace('"1MiB"', '"40MiB"') +
                      '[engine]\nplacement = "m2h:memory=100000"\n')
    (without,), (beside,) = (results(path, *options)["variants"] for options in ([], ["--set=engine.sidecar=true"]))
    assert without["rounds"][1]["sidecar_share"] == 0
    assert 0 < beside["rounds"][1]["sidecar_share"] < 1 and 0 < beside["rounds"][1]["known_hits"] < 1


WRONG = [
    ("[volume]\nsize = 5 6\n", "an.toml:2: volume.size: there is more on the line than one value"),
    ("[volume]\nsize\n", "an.toml:2: volume.size: = is missing"),
    ('[volume]\nsize = "64MiB\n', "an.toml:2: volume.size: the string has no end on its line"),
    ("[volume]\nsize = \n", "an.toml:2: volume.size: is no value"),
    ("[volume]\nsize = 1979-05-27\n", "an.toml:2: volume.size: "),
    ("[volume]\nsize = {a = 1}\n", "an.toml:2: volume.size: is no value"),
    ("[volume\nsize = 1\n", "an.toml:1: volume: ] is missing"),
    ("[[volume]]\n", "an.toml:1: arrays of tables are not understood here"),
    ('[volume]\nsize = """\n', "an.toml:2: volume.size: strings of several lines are not understood here"),
    ("[volume]\nsize = [1, 2\n", "an.toml:3: volume.size: a comma or ] is missing in the list"),
    ("[volume]\nsize = 1\nsize = 2\n", "an.toml:3: volume.size: line 2 has the same key"),
    ("[a..b]\n", "an.toml:1: a key made of letters"),
    ("[" + "a" * 200 + "]\n", "is too long a key"),
    (TINY + "[engine]\nspeed = 3\n", "an.toml:11: engine.speed: there is no such key"),
    (TINY + "[engine]\nlogs = 7\n", "an.toml:11: engine.logs: '7' is out of bounds: 2 to 6"),
    (TINY + '[engine]\nlogs = "x"\n', "an.toml:11: engine.logs: 'x' is not a number"),
    (TINY + "[engine]\ndiscard = 1\n", "an.toml:11: engine.discard: '1' is neither true nor false"),
    (TINY + '[engine]\nlogging = "odd"\n', "engine.logging"),
    (TINY + '[engine]\nidle_cleaning = "odd"\n', "engine.idle_cleaning names no policy"),
    (TINY + '[engine]\ndiscard_unit = "zone"\n', "engine.discard_unit is none of block, segment, section"),
    (TINY + '[engine]\nfsync_mode = "odd"\n', "engine.fsync_mode is none of strict, posix"),
    *[(TINY + '[engine]\nsidecar = true\nplacement = "%s"\n' % name,
       "the placement %s keeps nothing in a sidecar, only m2h does" % name) for name in ("adaptive", "death", "lifespan")],
    *[(TINY + '[engine]\nsidecar = true\nplacement = "%s"\n' % name, "engine.sidecar is of engine.placement=m2h alone")
      for name in ("none", "dac")],
    (TINY + '[engine]\ntarget = "odd"\n', "engine.target is none of log, age, holes, adaptive"),
    (TINY + '[engine]\ntemperature = "odd"\n', "engine.temperature is none of table"),
    (TINY + '[vary]\nengine.logs = 2\n', "an.toml:11: vary.engine.logs: is no list of values"),
    (TINY + '[paper.a]\nmetric = "speed"\n', "an.toml:11: paper.a.metric: is no metric"),
    (TINY.replace("uniform", "odd"), "an.toml:7: source.one.kind: is no kind of source"),
    ('[volume]\nsize = "64MiB"\n', "there is no table [source.NAME]"),
    (TINY.replace('"64MiB"', '"60%"'), "an.toml:5: volume.size: '60%' has no volume to be a part of"),
]


@pytest.mark.parametrize("text,message", WRONG, ids=["%d %s" % (i, row[1].split(":")[-1][:40]) for i, row in enumerate(WRONG)])
def test_wrong_experiment(text, message, experiment, run_tool):
    done = run_tool("f2fs-lab", "run", experiment(text), rc=1)
    assert message in done.stderr.decode()
    assert done.stdout == b""


def test_wrong_settings_of_the_command_line(experiment, run_tool):
    path = experiment(TINY)
    for setting, message in [("engine.logs=9", "--set engine.logs: '9' is out of bounds"),
                             ("engine.odd=1", "--set engine.odd: there is no such key"),
                             ("engine.logs", "is not KEY=VALUE")]:
        assert message in run_tool("f2fs-lab", "run", path, "--set", setting, rc=1).stderr.decode()
    assert "no such key" in run_tool("f2fs-lab", "gen", "uniform", "--set", "odd=1", rc=1).stderr.decode()
    assert "there is no source 'odd'" in run_tool("f2fs-lab", "gen", "odd", rc=1).stderr.decode()


def test_no_space_names_the_operation(experiment, run_tool):
    """Nothing partial is a result: a volume that is too small ends the run without one."""
    done = run_tool("f2fs-lab", "run", experiment(TINY.replace('"8MiB"', '"60MiB"')), "--json=-", rc=1)
    assert done.stdout == b""
    message = done.stderr.decode()
    assert "operation " in message and "(source one, round 0: write of file 0, offset " in message


def catches(process, number):
    """Has it come to where the signal does not just kill it?"""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as f:
        return int(re.search(r"SigCgt:\s*(\w+)", f.read())[1], 16) >> (number - 1) & 1


def test_stop(experiment, tool):
    path = experiment(TINY.replace('"1MiB"', '"64GiB"'))
    process = subprocess.Popen([tool("f2fs-lab"), "run", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while not catches(process, signal.SIGINT):
        assert process.poll() is None
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130 and out == b"", err


def test_generated_operations(run_tool):
    def ops(*options):
        return run_tool("f2fs-lab", "gen", "uniform", "--set=size=2MiB", "--set=bytes=64KiB", *options).stdout
    first = ops().decode().splitlines()
    assert first[:3] == ["create 0 u0", "write 0 0 1048576", "write 0 1048576 1048576"]
    assert first[3] == "round 1" and first[-1] == "round 2" and len(first) == 3 + 16 + 2
    assert ops() == ops("--seed=1") != ops("--seed=2")


def test_plot(experiment, run_tool, tmp_path):
    """A line for each variant with a dot for each round, of a metric that exists."""
    picture = tmp_path / "waf.svg"
    run_tool("f2fs-lab", "run", experiment(TINY + "[vary]\nengine.logs = [2, 6]\n"), "--plot", picture)
    root = xml.etree.ElementTree.parse(picture).getroot()
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == 2 * 2
    texts = [text.text for text in root.findall("{http://www.w3.org/2000/svg}text")]
    assert {"logs=2", "logs=6", "waf", "round"} <= set(texts)
    path = experiment(TINY.replace("rounds = 2", 'rounds = 2\nplot = "odd"'))
    assert "an.toml:4: experiment.plot: is no metric" in run_tool("f2fs-lab", "run", path, rc=1).stderr.decode()


def test_plot_of_a_kept_result(experiment, run_tool, tmp_path):
    """The same picture as with run --plot; another metric makes another one."""
    path = experiment(TINY + "[vary]\nengine.logs = [2, 6]\n")
    run_tool("f2fs-lab", "run", path, "--json", tmp_path / "out.json", "--plot", tmp_path / "out.svg")
    picture = run_tool("f2fs-lab", "plot", tmp_path / "out.json").stdout
    assert picture == (tmp_path / "out.svg").read_bytes()
    run_tool("f2fs-lab", "plot", tmp_path / "out.json", "commits", "--plot", tmp_path / "commits.svg")
    other = (tmp_path / "commits.svg").read_bytes()
    assert other != picture and b">commits</text>" in other
    done = run_tool("f2fs-lab", "plot", tmp_path / "out.json", "odd", "--plot", tmp_path / "odd.svg", rc=1)
    assert b"there is no metric odd" in done.stderr and not (tmp_path / "odd.svg").exists()


def pixels_of(path):
    """The width of a PNG and its pixels, three bytes each, row after row."""
    data, at, parts = path.read_bytes(), 8, {}
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        length, name = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        parts[name] = parts.get(name, b"") + data[at + 8:at + 8 + length]
        at += length + 12
    width, height = (int.from_bytes(parts[b"IHDR"][i:i + 4], "big") for i in (0, 4))
    assert parts[b"IHDR"][8:] == bytes([8, 2, 0, 0, 0])
    packed, above, rows = zlib.decompress(parts[b"IDAT"]), bytes(width * 3), []
    for y in range(height):
        kind, *row = packed[y * (width * 3 + 1):(y + 1) * (width * 3 + 1)]
        for x in range(width * 3):
            left, corner = (row[x - 3], above[x - 3]) if x >= 3 else (0, 0)
            near = min((left, above[x], corner), key=lambda n: abs(left + above[x] - corner - n))
            row[x] = (row[x] + (0, left, above[x], (left + above[x]) // 2, near)[kind]) % 256
        above = bytes(row)
        rows.append(above)
    return width, b"".join(rows)


def test_plot_as_png(run_tool, tmp_path):
    """By the name of the file: dots and lines in colours of their own, at the same places as in the SVG."""
    results = tmp_path / "a.json"
    results.write_text(json.dumps({"title": "\u00e4{}" + "long " * 99, "variants": [
        {"label": "l%d" % i, "rounds": [{"waf": v + i} for v in (1, 2, 1)]} for i in range(10)]}))
    done = run_tool("f2fs-lab", "plot", results, "--plot", tmp_path / "a.png", rc=None)
    if b"built without cairo" in done.stderr:
        assert done.returncode == 1 and not (tmp_path / "a.png").exists()
        pytest.skip("f2fs-lab was built without cairo")
    assert done.returncode == 0, done.stderr
    run_tool("f2fs-lab", "plot", results, "--plot", tmp_path / "a.svg")
    width, pixels = pixels_of(tmp_path / "a.png")
    root = xml.etree.ElementTree.parse(tmp_path / "a.svg").getroot()
    assert width == int(root.get("width")) and len(pixels) == 3 * width * int(root.get("height"))
    dots = root.findall("{http://www.w3.org/2000/svg}circle")
    assert len(dots) == 30
    for dot in dots[-3:]:       # drawn last
        at = 3 * (round(float(dot.get("cy"))) * width + round(float(dot.get("cx"))))
        assert "#" + pixels[at:at + 3].hex() == dot.get("fill")
    found = {pixels[i:i + 3].hex() for i in range(0, len(pixels), 3)}
    assert {dot.get("fill")[1:] for dot in dots} | {"ffffff"} <= found
    assert "000000" in {pixels[3 * (y * width + x):][:3].hex() for y in range(5, 25) for x in range(70, 300)}, "no title"
    (tmp_path / "full.png").symlink_to("/dev/full")     # a file that we did not make is not removed
    assert b"No space" in run_tool("f2fs-lab", "plot", results, "--plot", tmp_path / "full.png", rc=1).stderr
    assert (tmp_path / "full.png").is_symlink()
    results.write_bytes(ROUND.replace('"l"', '"\xff"').encode("latin-1") + b"]}")
    assert b"a.png: Invalid" in run_tool("f2fs-lab", "plot", results, "--plot", tmp_path / "a.png", rc=1).stderr


ROUND = '{"title": "t", "variants": [{"label": "l", "rounds": [{"waf": 1}]}'


@pytest.mark.parametrize("text,message", [
    ("", "line 1: a value is missing"), ("{}", "is no result"), ('{"a": 1\n,}', "line 2: the name of a member"),
    ('{"a" 1}', "line 1: a colon"), ("[1 2]", "a comma or ]"), ("[1", "a comma or ]"), ('{"a": 1', "a comma or }"),
    ('"abc', "a string has no end"), ('"a\\', "a string has no end"), ('"a\\x"', "a wrong escape"),
    ('"a\\u00"', "a wrong escape"), ("[1e]", "no such number"), ("[tru]", "is none"), ("[1]x", "text after the end"),
    ("[" * 40, "too deep"), ('{"title": "t", "variants": []}', "is no result"), (ROUND + ', 5]}', "has no label"),
    (ROUND + ', {"label": "m", "rounds": [{"waf": 1}, {"waf": 2}]}]}', "not as many rounds"),
    (ROUND + ', {"label": "m", "rounds": [{"waf": "1"}]}]}', "no metric waf"),
    (ROUND + ', {"label": "m", "rounds": [{"waf": -1e301}]}]}', "too large to be drawn: -1e301"),
    (ROUND + ', {"label": "m", "rounds": [{"waf": 1e999}]}]}', "too large"),
], ids=range(21))
def test_wrong_results(text, message, run_tool, tmp_path):
    (tmp_path / "a.json").write_text(text)
    done = run_tool("f2fs-lab", "plot", tmp_path / "a.json", rc=1)
    assert message in done.stderr.decode() and done.stdout == b""


def test_text_of_results(run_tool, tmp_path):
    """Escapes of JSON are resolved, and markup is not taken for any."""
    (tmp_path / "a.json").write_text(ROUND.replace('"t"', '"\\u00e4 \\"<&"') + "]}", encoding="utf-8")
    assert "\u00e4 \"&lt;&amp;" in run_tool("f2fs-lab", "plot", tmp_path / "a.json").stdout.decode()
    done = run_tool("f2fs-lab", "plot", tmp_path / "none.json", rc=1)
    assert "No such file" in done.stderr.decode()


# The operations of each source with these parameters, as they were when the source was made: the same on every host.
GOLDEN = {
    "fill": ("size=3MiB spread=true files=5", "13fc40a0004b5c56"),
    "iozone": ("size=64KiB record=16KiB", "d9cbd133772a5f3d"),
    "lookups": ("names=20 lookups=30", "e6f244978652245e"),
    "uniform": ("size=1MiB files=3 bytes=256KiB fsync_every=7", "b523a748d51e4a6d"),
    "fileserver": ("files=40 bytes=2MiB", "64f3df2ffb21cfe7"),
    "varmail": ("files=40 bytes=300KiB", "45fddd1b472aa125"),
    "videoserver": ("files=8 size=2MiB bytes=8MiB", "1539142797417551"),
    "oltp": ("files=3 size=64KiB bytes=100KiB", "0ec4ae8b66496ba7"),
    "mobile": ("application=twitter scale=0.01 databases=3 blocks=50 media=2 kept=10", "bb5f0cfd3010349f"),
    "sqlite": ("records=100 transactions=60 checkpoint=20", "df059b11c80b3dcb"),
    "tpcc": ("size=4MiB step=256KiB log=128KiB sync_every=9", "84e17ed173ee870c"),
    "tpcc, twice": ("size=4MiB step=256KiB log=128KiB redo=2 doublewrite=64KiB growth=0.3", "252f9533fe4bafad"),
    "ycsb": ("records=2000 operations=500 load=D", "8d1ddd86a8a04af6"),
    "ycsb, drifting": ("records=2000 operations=500 drift=3", "bdf4005c4310b2a5"),
}


@pytest.mark.parametrize("source", GOLDEN)
def test_golden_operations(source, run_tool):
    settings, digest = GOLDEN[source]
    stream = run_tool("f2fs-lab", "gen", source.partition(",")[0], "--rounds=2", *("--set=" + s for s in settings.split())).stdout
    assert hashlib.sha256(stream).hexdigest()[:16] == digest


def trace_of(run_tool, path, source="varmail"):
    options = ["--rounds=2", *("--set=" + s for s in GOLDEN[source][0].split())]
    name = source.partition(",")[0]
    run_tool("f2fs-lab", "gen", name, "--trace", path, *options)
    return run_tool("f2fs-lab", "gen", name, *options).stdout


@pytest.mark.parametrize("source", GOLDEN)
def test_traces_give_the_same_operations(source, run_tool, tmp_path):
    path = tmp_path / "a.f2t"
    text = trace_of(run_tool, path, source)
    assert run_tool("f2fs-lab", "gen", "trace", "--rounds=2", "--set=file=%s" % path).stdout == text


def test_traces_can_be_run(experiment, results, run_tool, tmp_path):
    """The same load is measured, whether it comes from its source or from a trace of it."""
    def run(source):
        found = results(experiment("[experiment]\nrounds = 2\n[volume]\nsize = \"64MiB\"\n[source.one]\n" + source))
        return found["variants"]
    run_tool("f2fs-lab", "gen", "varmail", "--seed=8", "--rounds=2", "--set=files=40", "--set=bytes=300KiB",
             "--trace", tmp_path / "a.f2t")  # the first source of an experiment with seed 1
    assert run('kind = "trace"\nfile = "%s"\n' % (tmp_path / "a.f2t")) == run(
        'kind = "varmail"\nfiles = 40\nbytes = "300KiB"\n')


def test_wrong_traces(run_tool, tmp_path):
    path = tmp_path / "a.f2t"
    trace_of(run_tool, path)
    whole = path.read_bytes()
    for data, message in [(b"", "is no trace"), (b"F2FSLAB2" + whole[8:], "is no trace"),
                          (whole[:20], "record 2: the trace ends within"), (whole[:-1], "the trace ends within a round"),
                          (whole[:8] + b"\x63", "record 1: there is no such kind of operation"),
                          (whole[:8] + b"\x01" + b"\xff" * 12, "record 1: a number is too long"),
                          (whole[:8] + b"\x01\x00" + b"\xff" * 4 + b"\x7f", "record 1: a number is too large"),
                          (whole[:8] + b"\x00\x00\x00\x00\x00", "record 1: a file has no name")]:
        path.write_bytes(data)
        done = run_tool("f2fs-lab", "gen", "trace", "--rounds=2", "--set=file=%s" % path, rc=1)
        assert message in done.stderr.decode(), data[:20]
    assert "No such file" in run_tool("f2fs-lab", "gen", "trace", "--set=file=odd", rc=1).stderr.decode()


def test_every_source_has_a_digest(run_tool):
    """Those that read a trace have theirs in test_lab_import.py and in test_traces_*; SQLite's versions differ."""
    found = json.loads(run_tool("f2fs-lab", "list", "--json=-").stdout)
    have = {name.partition(",")[0] for name in GOLDEN} | {
        "sqlite3", "trace", "strace", "fio", "blkparse", "msr", "alibaba", "tencent", "midas"}
    assert have == {row["table"][len("source "):] for row in found["parameters"]
                    if row["table"].startswith("source ")}


def test_sources_run(experiment, results):
    """The loads of databases go through the engine, too: fsyncs are made, and what they say is written."""
    found = results(experiment(TINY.replace('"uniform"', '"sqlite"').replace('size = "8MiB"\n', "").replace(
        'bytes = "1MiB"\n', "transactions = 30\n")))
    assert [r["fsyncs"] for r in found["variants"][0]["rounds"]] == [30, 30]
    found = results(experiment(TINY.replace('"uniform"', '"ycsb"').replace('size = "8MiB"\n', "records = 1000\n").replace(
        'bytes = "1MiB"\n', "operations = 300\n")))
    assert all(100 < r["asked_blocks"] / 4 < 200 for r in found["variants"][0]["rounds"])


def database(run_tool, *settings):
    """The operations of a database of SQLite's, those of round 0 apart, without reads."""
    needs_sqlite("sqlite3", run_tool)
    text = run_tool("f2fs-lab", "gen", "sqlite3", *("--set=" + s for s in settings)).stdout.decode()
    lines = [line.split() for line in text.splitlines() if not line.startswith("read")]
    middle = lines.index(["round", "1"])
    return lines[:middle], lines[middle + 1:-1]


def test_database_with_a_log(run_tool):
    """A transaction is a frame of the log, 24 bytes and a page, and an fsync; a long log goes to the database."""
    before, after = database(run_tool, "statement=update", "transactions=20", "records=50", "checkpoint=0")
    names = [line[2] for line in before if line[0] == "create"]
    assert names[0] == "db" and names[-1] == "db-wal"
    assert [line[0] for line in after if line[1] == "1" and line[3:] != ["32"]].count("write") == 2 * 20
    sizes = [line[3] for line in after if line[0] == "write"]
    assert sizes[-4:] == ["24", "4096", "24", "4096"]
    assert sum(line == ["fsync", "1"] for line in after) in (20, 21) and ["fsync", "0"] not in after
    _, after = database(run_tool, "transactions=60", "records=50", "checkpoint=10")
    assert ["fsync", "0"] in after and any(line[:2] == ["write", "0"] for line in after)


@pytest.mark.parametrize("journal,last", [("delete", "remove"), ("truncate", "truncate"), ("persist", "write")])
def test_database_with_a_journal(journal, last, run_tool):
    """The row's page and the first one, which counts changes, are written between two fsyncs; then the journal is given up."""
    before, after = database(run_tool, "statement=update", "transactions=3", "records=50", "journal=" + journal)
    made = [line[1:] for line in before + after if line[0] == "create"]
    assert made == [["0", "db"]] + [["1", "db-journal"]] * (len(made) - 1) and len(made) > 1
    pages = [line for line in after if line[0] == "write" and line[1] == "0"]
    assert len(pages) == 2 * 3 and all(line[3] == "4096" for line in pages)
    assert after.count(["fsync", "0"]) == 3
    end = [line for line in after if line[0] != "fsync"][-1]
    assert end[:2] == [last, "1"]


def test_database_is_the_same_each_time(run_tool):
    settings = ("transactions=30", "records=50", "record=900")
    assert database(run_tool, *settings) == database(run_tool, *settings)
    wide = database(run_tool, *settings)[1]
    narrow = database(run_tool, "transactions=30", "records=50", "record=900", "page=1024")[1]
    assert {line[3] for line in wide if len(line) > 3} != {line[3] for line in narrow if len(line) > 3}


def test_wrong_databases(run_tool):
    needs_sqlite("sqlite3", run_tool)
    for setting, message in [("journal=odd", "journal: is none of the words"), ("statement=odd", "statement: is none"),
                             ("synchronous=odd", "synchronous: is none"), ("page=1000", "page: is no power of two")]:
        assert message in run_tool("f2fs-lab", "gen", "sqlite3", "--set=" + setting, rc=1).stderr.decode()
    done = run_tool("f2fs-lab", "gen", "sqlite3", "--set=statement=delete", "--set=records=5", "--trace=x", rc=1)
    assert "there is no record left to be deleted" in done.stderr.decode() and not os.path.exists("x")


def test_list(run_tool):
    found = json.loads(run_tool("f2fs-lab", "list", "--json=-").stdout)
    assert {row["metric"] for row in found["metrics"]} >= {"waf", "moved_share"}
    assert [row["experiment"] for row in found["experiments"]] == sorted(os.path.basename(path)[:-5] for path in EXPERIMENTS)
    assert any(row["table"] == "source uniform" and row["key"] == "bytes" for row in found["parameters"])


def test_trace_of_a_run(experiment, run_tool, results, tmp_path):
    """What the engine was asked to do, of all sources and with its checkpoints, is what a run of that trace does."""
    two = TINY.replace("rounds = 2", "rounds = 1") + "[source.two]\n" + TINY[TINY.index("kind"):]
    path = experiment(two + "[engine]\ncommit_blocks = 100\n")
    run_tool("f2fs-lab", "run", path, "--trace", tmp_path / "a.f2t")
    wanted = results(path)["variants"][0]["rounds"][0]
    text = run_tool("f2fs-lab", "gen", "trace", "--set=file=%s" % (tmp_path / "a.f2t")).stdout.decode()
    assert {"create 0 s0/u0", "create 1 s1/u0"} <= set(text.splitlines())
    assert text.split("round 1\n")[1].count("sync ") == 512 // 100
    found = results(experiment('[volume]\nsize = "64MiB"\n[engine]\ncommit_blocks = 100000\n[source.a]\nkind = "trace"\nfile = "%s"\n'
                               % (tmp_path / "a.f2t")))["variants"][0]["rounds"][0]
    same = ("asked_blocks", "data_blocks", "commits", "fsyncs")
    assert {key: found[key] for key in same} == {key: wanted[key] for key in same}
    done = run_tool("f2fs-lab", "run", experiment(TINY + "[vary]\nengine.logs = [2, 6]\n"), "--trace", tmp_path / "b.f2t", rc=1)
    assert b"a trace is of one variant" in done.stderr and not (tmp_path / "b.f2t").exists()


def test_replay(run_tool, tool, tmp_path):
    """A trace in a directory of the host: its files are there, as long as they were written."""
    replay = os.path.join(os.path.dirname(tool("f2fs-lab")), "f2fs_lab_replay")
    trace = tmp_path / "a.f2t"
    run_tool("f2fs-lab", "gen", "uniform", "--set=size=64KiB", "--set=bytes=16KiB", "--set=files=2", "--trace", trace)
    (tmp_path / "at").mkdir()
    (tmp_path / "counts").write_text("7\n")
    done = subprocess.run([replay, trace, tmp_path / "at", tmp_path / "counts"], capture_output=True, check=True)
    assert {p.name: p.stat().st_size for p in (tmp_path / "at").iterdir()} == {"u0": 65536, "u1": 65536}
    counts = tmp_path / "counts"
    assert done.stdout.decode() == "".join("== %d %d %s\n7\n" % (i, n, counts) for i, n in [(0, 32), (1, 4)])
    trace.write_bytes(trace.read_bytes()[:-1])
    assert b"ends within a round" in subprocess.run([replay, trace, tmp_path / "at"], capture_output=True).stderr


def test_bounds(experiment, tool):
    """Nobody is below the bound but who chooses where users' blocks go; who knows the future is better than who does not."""
    build = os.path.dirname(os.path.dirname(tool("f2fs-lab")))
    path = experiment(TINY.replace('"8MiB"', '"85%"').replace('bytes = "1MiB"', 'bytes = "100MiB"').replace(
        '"64MiB"', '"280MiB"\noverprovision = 20\n[engine]\nlogging = "normal"\ncommit_blocks = 1024'))
    done = subprocess.run([sys.executable, os.path.join(TOP, "lab", "bounds.py"), build, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = {line[:14].strip(): float(line[14:]) for line in done.stdout.splitlines()[1:]}
    assert set(found) == {"the run", "fifo", "greedy", "cost-benefit", "clairvoyant", "placed", "bound"}
    assert 0 < found["bound"] <= found["clairvoyant"] <= found["greedy"] <= found["fifo"]
    assert found["placed"] < found["clairvoyant"] and found["the run"] > 0


def test_drift(run_tool):
    """Popularity moves on: what is written in the second round is not what was written in the first, but with no drift it is."""
    def rounds(drift):
        text = run_tool("f2fs-lab", "gen", "ycsb", "--rounds=2", "--set=records=4000", "--set=record=4000", "--set=page=4KiB",
                        "--set=operations=2000", "--set=drift=%s" % drift).stdout.decode().split("round")
        return [collections.Counter(line.split()[2] for line in part.splitlines() if line.startswith("write")) for part in text[1:3]]
    hottest = [[part.most_common(1)[0][0] for part in rounds(drift)] for drift in (0, 1)]
    assert hottest[0][0] == hottest[0][1] and hottest[1][0] != hottest[1][1]


def test_placements(tool):
    """One load of the set, in a tenth of its size: a ratio for each policy, and where it is worse."""
    build = os.path.dirname(os.path.dirname(tool("f2fs-lab")))
    command = [sys.executable, os.path.join(TOP, "lab", "placements.py"), build, "--size=0.3", "--load=three-heats"]
    done = subprocess.run(command + ["--seeds=2", "--policy=greedy", "--policy=dac", "--policy=few=dac@cost-benefit"],
                          capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    head, row, *judged = done.stdout.splitlines()
    assert head.split() == ["load", "used", "greedy", "dac", "few"]
    assert re.fullmatch(r"three-heats +0\.\d+ +\d\.\d+( +\d\.\d\d \(\d\.\d\d-\d\.\d\d\)){2}", row)
    assert [line[:12].strip() for line in judged] == ["dac", "few", ""]
    printed = subprocess.run(command + ["--print", "three-heats", "dac"], capture_output=True, text=True).stdout
    assert 'commit_blocks = 1229' in printed and 'placement = "dac"' in printed


def test_target_of_cleaning(experiment, results):
    """ATGC's target takes holes of used segments; where logs fill none it changes nothing."""
    text = TINY.replace('"8MiB"', '"80%"').replace('bytes = "1MiB"', 'bytes = "150MiB"').replace(
        '"64MiB"', '"320MiB"\noverprovision = 20\n[engine]\ncleaning = "age"\nlike_kernel = true\ncommit_blocks = 1024')
    shares = {}
    for logging in ("adaptive", "normal"):
        found = results(experiment(text + '[vary]\nengine.target = ["log", "age"]\n'), "--set=engine.logging=" + logging)["variants"]
        shares[logging] = [[r["threaded_share"] for r in v["rounds"]] for v in found]
        assert all(v["rounds"][-1]["moved_blocks"] > 0 for v in found)
    assert shares["adaptive"][0] != shares["adaptive"][1] and shares["normal"][0] == shares["normal"][1]


def test_hole_plugging(run_tool, tmp_path):
    """Holes cost a disk more than the log at 80 %, and less at 92 %. The adaptive target is near the cheaper one."""
    run_tool("f2fs-lab", "run", os.path.join(TOP, "lab/experiments/holes-uniform.toml"), "--small", "--json", tmp_path / "out.json")
    found = {v["label"]: v["rounds"] for v in json.loads((tmp_path / "out.json").read_text())["variants"]}
    cost = {label: sum(row["disk_cost"] for row in rounds) for label, rounds in found.items()}
    assert found["size=80% target=adaptive"] == found["size=80% target=log"]
    assert cost["size=80% target=log"] < 0.97 * cost["size=80% target=holes"]
    assert cost["size=92% target=holes"] < 0.6 * cost["size=92% target=log"]
    assert cost["size=92% target=adaptive"] < 1.2 * cost["size=92% target=holes"]


def test_loads_are_experiments():
    """Each load of the set is an experiment, made by placements.py."""
    sys.path.insert(0, os.path.join(TOP, "lab"))
    import placements
    with open(os.path.join(TOP, "lab", "placement_loads.toml"), "rb") as f:
        table = tomllib.load(f)
    made = {"load-%s.toml" % load: placements.standing(table, load) for load in table["load"]}
    found = {os.path.basename(path): open(path).read() for path in EXPERIMENTS if os.path.basename(path).startswith("load-")}
    assert found == made, "run python3 lab/placements.py --write"


@pytest.mark.parametrize("method,victims", [("death", "greedy"), ("lifespan", "greedy"), ("adaptive", "hotness")])
def test_victims_of_placements(method, victims, experiment, results):
    """Each method has the victims that suit it, unless others are named."""
    text = TINY.replace('"8MiB"', '"80%"').replace('bytes = "1MiB"', 'bytes = "150MiB"').replace(
        '"64MiB"', '"320MiB"\noverprovision = 20\n[engine]\nlogging = "normal"\ncommit_blocks = 1024')
    ways = [method, method + ":victims=greedy", method + ":victims=hotness"]
    found = results(experiment(text + "[vary]\nengine.placement = %s\n" % json.dumps(ways)))["variants"]
    own, greedy, hotness = ([r["moved_blocks"] for r in v["rounds"]] for v in found)
    assert greedy != hotness and own == {"greedy": greedy, "hotness": hotness}[victims]


def test_model_in_place():
    """Worked by hand: data, then a commit of descriptor, metadata and commit block, then metadata at their places."""
    spec = importlib.util.spec_from_file_location("in_place_trace", os.path.join(TOP, "lab", "in_place_trace.py"))
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    rounds = ["create 0 f\nwrite 0 0 4096\nfsync 0\n",
              "write 0 0 10\nwrite 0 20 10\nfsync 0\nread 0 0 10\n",     # the same block; its inode's time
              "write 0 4000 200\nsync 0\nfsync 0\n",                     # a second block is new
              "truncate 0 100\nfsync 0\n", "remove 0\n", "sync 0\n"]
    text = "".join(ops + "round %d\n" % (i + 1) for i, ops in enumerate(rounds))
    wanted = [(1, 3, 1), (2, 5, 3), (0, 5, 3), (0, 7, 5), (0, 0, 0)]
    without = [(1, 0, 0), *wanted[1:]]
    for times_count, expected in ((True, wanted), (False, without)):
        found = model.rounds_of(text, times_count)
        assert [(r["data"], r["journal"], r["home"]) for r in found] == expected
        assert all(r["all"] == r["data"] + r["journal"] + r["home"] for r in found)


def test_model_of_bandwidth(tmp_path):
    """Twice the requests and as many blocks moved as written, worked by hand: 10 * 20 + 100 * 8 against 20 * 20 + 200 * 8 + 100 * 8."""
    def result(label, requests, device, moved):
        return {"label": label, "rounds": [{"asked_blocks": 100, "requests": requests, "device_blocks": device, "moved_blocks": moved}]}
    (tmp_path / "a.json").write_text(json.dumps({"variants": [result("one", 10, 100, 0)]}))
    (tmp_path / "b.json").write_text(json.dumps({"variants": [result("two", 20, 200, 100)]}))
    done = subprocess.run([sys.executable, os.path.join(TOP, "lab", "bandwidth.py"), tmp_path / "a.json", tmp_path / "b.json"],
                          capture_output=True, text=True, check=True)
    assert [line.split() for line in done.stdout.splitlines()] == [["one", "1.00", "all", "1.00"], ["two", "0.36", "all", "0.36"]]


def test_placements_of_other_papers(results):
    """Both move less than the six logs on a load with hot and cold records. DAC moves least, and its memory is a byte a block."""
    found = {}
    for placement in ("none", "dac", "sepbit"):
        path = os.path.join(TOP, "lab/experiments/m2h-ratio-ycsb.toml")
        options = ("--small", "--set=engine.at_once=false", f"--set=engine.placement={placement}")
        (variant,) = results(path, *options)["variants"]
        found[placement] = (sum(row["moved_blocks"] for row in variant["rounds"]), variant["rounds"][-1]["placement_bytes"])
    assert found["dac"][0] < found["sepbit"][0] < found["none"][0]
    assert found["none"][1] == 0 and 200_000 < found["dac"][1] < 400_000 and found["sepbit"][1] > 8 * found["dac"][1] * 0.9
