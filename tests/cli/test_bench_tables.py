# SPDX-License-Identifier: LGPL-2.1-or-later
"""bench/run.py --into: a table takes the place of the section with its title, and nothing else changes."""
import importlib.util
import os

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEFORE = "# Measurements\n\n## First\n\nold\n\n## Echo twice\n\nstale figure\n\n## Last\n\nkept\n"


def load():
    spec = importlib.util.spec_from_file_location("bench_run", os.path.join(TOP, "bench", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sections_are_replaced_or_added(tmp_path):
    bench = load().Bench(1, 10, "")
    path = tmp_path / "RESULTS.md"
    path.write_text(BEFORE)
    bench.table("Echo twice", [("echo", None, ["echo", "a"], None), ("missing", None, ["no-such-program"], None)], "A note.")
    bench.table("New", [("echo", None, ["echo", "b"], None)])
    bench.put_into(path)
    text = path.read_text()
    assert text.startswith("# Measurements\n\n## First\n\nold\n\n## Echo twice\n\n    bench/run.py -n 1 --limit 10 --only \"Echo twice\"\n")
    assert "stale" not in text and "A note." in text and "missing" not in text
    first, echo, last, new = text.split("\n## ")[1:]
    assert last == "Last\n\nkept\n" and first == "First\n\nold\n"
    assert echo.count("| echo | ") == 1 and new.startswith("New\n") and new.count("| echo | ") == 1
    bench.put_into(path)
    assert len(path.read_text().split("\n## ")) == 5


def test_other_titles_are_left_out(tmp_path):
    bench = load().Bench(1, 10, "Echo")
    bench.table("New", [("echo", None, ["echo", "b"], None)])
    assert not bench.sections
