# SPDX-License-Identifier: LGPL-2.1-or-later
"""bench/run.py: each table of bench/RESULTS.md has a row in bench/tables.toml, and the row's command makes it again."""
import importlib.util
import pathlib
import re
import types

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
BEFORE = "# Measurements\n\n<!-- table one -->\nstale\n<!-- end -->\n\ntext\n\n<!-- table two -->\nkept\n<!-- end -->\n"


def load(name):
    spec = importlib.util.spec_from_file_location("bench_" + name, TOP / "bench" / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def marked(text):
    """Blocks by name, and the text outside of them."""
    block = load("run").BLOCK
    return [found[1] for found in block.finditer(text)], block.sub("", text)


def test_each_table_has_a_row_and_each_row_a_table():
    names, rest = marked((TOP / "bench" / "RESULTS.md").read_text())
    assert names == list(load("run").read_tables())
    assert not re.search(r"^\s*\|.*\|$", rest, re.M), "a table without marks"
    assert "(to be made)" not in (TOP / "bench" / "RESULTS.md").read_text()


def test_a_block_shows_the_command_of_its_row():
    run = load("run")
    for found in run.BLOCK.finditer((TOP / "bench" / "RESULTS.md").read_text()):
        assert found[2].startswith(run.indented(run.read_tables()[found[1]]["command"] + "\n")), found[1]


def test_commands_name_files_and_titles_that_exist():
    titles = load("peers").TABLES
    for name, row in load("run").read_tables().items():
        assert set(row) <= {"command", "long"}, name
        for path in re.findall(r"(?<![\w$/])((?:bench|tests)/[\w./-]+)", row["command"]):
            assert (TOP / path).exists(), path
        for program in re.findall(r"\$BUILD/bench/(\w+)", row["command"]):
            assert (TOP / "bench" / (program + ".c")).exists(), program
        for title in re.findall(r'bench/peers\.py .*"(.*)"', row["command"]):
            assert title in titles, title


def run_tables(tmp_path, monkeypatch, tables, *arguments):
    run, path = load("run"), tmp_path / "RESULTS.md"
    path.write_text(BEFORE)
    (tmp_path / "tables.toml").write_text(tables)
    monkeypatch.setattr(run, "TABLES", tmp_path / "tables.toml")
    monkeypatch.setattr("sys.argv", ["run.py", *arguments, "--into", str(path), "-w", str(tmp_path / "work"), "-b", str(tmp_path)])
    return run.main(), path.read_text()


def test_all_leaves_long_ones_out(tmp_path, monkeypatch):
    tables = "[one]\ncommand = 'echo \"| $((6 * 7)) |\"'\n[two]\ncommand = 'echo other > $WORK/x; cat $WORK/x'\nlong = 'a kernel'\n"
    status, text = run_tables(tmp_path, monkeypatch, tables, "all")
    assert status == 0 and "\n| 42 |\n<!-- end -->\n\ntext\n" in text and "stale" not in text and "kept" in text
    status, text = run_tables(tmp_path, monkeypatch, tables, "all", "--long")
    assert status == 0 and "\n    other\n<!-- end -->\n" in text and "kept" not in text
    assert list((tmp_path / "work").iterdir()) == []
    status, text = run_tables(tmp_path, monkeypatch, tables, "two")
    assert "stale" in text and "kept" not in text


@pytest.mark.parametrize("command", ["echo x; false", "true", "no-such-program | cat"])
def test_a_failure_leaves_the_table(tmp_path, monkeypatch, capsys, command):
    status, text = run_tables(tmp_path, monkeypatch, "[one]\ncommand = '%s'\n[two]\ncommand = 'echo new'\n" % command, "all")
    assert status == 1 and "stale" in text and "    new\n" in text and "failed: one" in capsys.readouterr().err


def test_names_that_do_not_exist(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match="no such table: three"):
        run_tables(tmp_path, monkeypatch, "[one]\ncommand = 'true'\n", "three")
    with pytest.raises(SystemExit, match="0 places for the table three"):
        run_tables(tmp_path, monkeypatch, "[three]\ncommand = 'echo x'\n", "all")


def test_peers_are_compared_with_the_first(capsys):
    peers = load("peers")
    bench = peers.Bench(types.SimpleNamespace(build="", runs=2, limit=10))
    bench.table([peers.Row("ours", None, ["echo", "a"], lambda text: text.decode().strip() + " read"),
                 peers.Row("theirs", None, ["echo", "b"]), peers.Row("missing", None, ["no-such-program"])], "A note.")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["A note.", ""] and len(lines) == 6 and "missing" not in "".join(lines)
    columns = lines[2].count("|")
    assert all(line.count("|") == columns for line in lines[2:])
    assert lines[4].startswith("| ours | ") and lines[4].endswith("| a read |") and " | 1.00 | " in lines[4]


def test_a_peer_that_takes_too_long_is_ended(capsys):
    peers = load("peers")
    peers.Bench(types.SimpleNamespace(build="", runs=1, limit=0.1)).table([peers.Row("ours", None, ["sleep", "60"])])
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("| ours | not done after 0 s |") and line.count("|") == peers.HEAD.count("|")


def test_the_folder_of_the_user_stays(tmp_path, monkeypatch):
    """Images go into a new folder below it, and that alone is removed."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work/mine").write_text("mine")
    status, _ = run_tables(tmp_path, monkeypatch, "[one]\ncommand = 'echo new > $WORK/x; cat $WORK/x'\n", "one")
    assert status == 0
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["mine"]


def test_peers_keep_the_folder_of_the_user(tmp_path, monkeypatch):
    peers = load("peers")
    (tmp_path / "mine").write_text("mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(peers, "TABLES", {"one": lambda bench: (pathlib.Path.cwd() / "made").write_text("made")})
    monkeypatch.setattr("sys.argv", ["peers.py", "one", "-w", str(tmp_path)])
    peers.main()
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
