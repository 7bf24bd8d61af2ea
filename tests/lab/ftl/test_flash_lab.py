# SPDX-License-Identifier: LGPL-2.1-or-later
"""Flash models below a volume: their counts reach the results, and errors in a model's text are reported."""
import json
import os

import pytest

ONE = """
[experiment]
rounds = 2
[volume]
size = "128MiB"
flash = "%s"
[source.one]
kind = "uniform"
size = "64MiB"
bytes = "16MiB"
made_in_round = true
"""


@pytest.fixture
def experiment(tmp_path):
    def write(model):
        path = tmp_path / "flash.toml"
        path.write_text(ONE % model)
        return path
    return write


def rounds_of(run_tool, path):
    (variant,) = json.loads(run_tool("f2fs-lab", "run", path, "--json=-").stdout)["variants"]
    return variant["rounds"]


@pytest.mark.parametrize("model", ["page", "block", "bast", "fast", "sast", "dftl", "multi"])
def test_volume_wears_the_flash(run_tool, experiment, model):
    logs = ",logs=4" if model in ("bast", "fast", "sast") else ""
    first, second = rounds_of(run_tool, experiment(f"{model}:superblock=1M,op=20%,fill=1{logs}"))
    assert first["asked_blocks"] == 16384 and second["asked_blocks"] == 4096
    assert 0.5 < first["wai"] < 4 and second["wai"] > 0
    assert first["flash_wa"] >= 1
    merges = first["full_merges"] + first["partial_merges"] + first["switch_merges"]
    assert (merges > 0) == (model not in ("page", "dftl", "multi"))
    if merges:
        assert first["switch_share"] > 0.3


def test_without_a_model_nothing_is_counted(run_tool, experiment):
    assert [round_["wai"] for round_ in rounds_of(run_tool, experiment(""))] == [0, 0]


@pytest.mark.parametrize("model, words", [
    ("tape", "a flash model is page, block, bast, fast, sast, dftl or multi"),
    ("sast:k=0,op=7%", "flash model sast: k=0: it may be 1 to 1048576"),
    ("sast:logs=64,op=7%", "op: 7% of 64 superblocks is 4, and the model needs 65 beyond the data"),
])
def test_wrong_model_is_named(run_tool, experiment, model, words):
    done = run_tool("f2fs-lab", "run", experiment(model), rc=None)
    assert done.returncode == 1 and words in done.stderr.decode()


TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def small(run_tool, name, *options):
    """The last rounds of the small form, by label."""
    path = os.path.join(TOP, "lab/experiments", name + ".toml")
    done = run_tool("f2fs-lab", "run", path, "--small", "--json=-", *options)
    return {v["label"]: v["rounds"][-1] for v in json.loads(done.stdout)["variants"]}


def test_cache_of_the_map(run_tool):
    """A cache of all entries answers always. A small one answers a log hardly ever, which costs reads of the map."""
    found = small(run_tool, "dftl-cache", "--set=engine.logging=normal")
    page, whole, part = (next(row for label, row in found.items() if word in label) for word in ("page:", "cache=32768", "cache=2048"))
    assert page["map_hits"] == page["map_reads"] == 0 and whole["map_hits"] == 1 and whole["map_writes"] == 0
    assert part["map_hits"] < 0.1 and part["map_reads"] > 1.5 and 0 < part["map_writes"] < 0.1
    assert page["flash_wa"] <= whole["flash_wa"] < part["flash_wa"]


def test_hints_spare_the_device(run_tool, experiment):
    """The volume writes the same with hints, and the device copies less. A device without streams refuses them."""
    found = small(run_tool, "multi-stream", "--set=engine.discard=false", "--set=engine.placement=dac")
    mixed, named = found["hints=false"], found["hints=true"]
    assert mixed["device_blocks"] == named["device_blocks"] and mixed["waf"] == named["waf"]
    assert named["flash_wa"] < 1.02 and mixed["flash_wa"] > 1.2 and named["wai"] < 0.85 * mixed["wai"]
    done = run_tool("f2fs-lab", "run", experiment("page:op=20%"), "--set=engine.hints=true", rc=None)
    assert done.returncode == 1 and b"engine.hints is for a flash that takes them" in done.stderr
