# SPDX-License-Identifier: LGPL-2.1-or-later
"""Flash models below a volume: their counts reach the results, and errors in a model's text are reported."""
import json

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
