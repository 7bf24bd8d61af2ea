# SPDX-License-Identifier: LGPL-2.1-or-later
"""The list of places where Linux refuses something (reasons.toml), and the program that compares it with a kernel's sources."""
import importlib.machinery
import importlib.util
import os
import re
import tomllib

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL = """
/* f2fs_err(sbi, "in a comment"); */
static bool sanity_check_thing(struct inode *inode)
{
	if (a) {
		f2fs_warn(sbi, "corrupted thing (ino=%lx) %u of %u, run fsck to fix it at once, please",
			  inode->i_ino, 1, 2);
		set_sbi_flag(sbi, SBI_NEED_FSCK);
		return false;
	}
	if (b)
		return false;
	f2fs_info(sbi, "only a report");
	if (!c) {
		f2fs_info(sbi, "a report that says why");
		return true;
	}
	return false;
}

int f2fs_do(struct inode *inode)
{
	if (a)
		return -EFSCORRUPTED;
	f2fs_bug_on(sbi, b);
	if (c) {
		err = -EFSCORRUPTED;
		goto out;
	}
	return f2fs_other(sbi);
}
"""
PLACES = {"file.c sanity_check_thing": ["corrupted thing of run fsck to fix it at", "false", "a report that says why", "false #2"],
          "file.c f2fs_do": ["EFSCORRUPTED", "bug_on", "EFSCORRUPTED #2"]}


@pytest.fixture(scope="module")
def reasons():
    loader = importlib.machinery.SourceFileLoader("reasons", os.path.join(HERE, "reasons"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("reasons", loader))
    loader.exec_module(module)
    return module


def scan(reasons, folder, text):
    (folder / "fs" / "f2fs").mkdir(parents=True, exist_ok=True)
    (folder / "fs" / "f2fs" / "file.c").write_text(text)
    return reasons.scan(str(folder))


def test_every_place_has_a_row(reasons):
    """Each place names rows of refusals.toml, or one kind of place that no image reaches."""
    kinds, table = reasons.load()
    with open(os.path.join(HERE, "refusals.toml"), "rb") as file:
        rows = tomllib.load(file)
    for function, places in table.items():
        assert re.fullmatch(r"\w+\.[ch] \w+", function), function
        assert "all" not in places or (set(places) == {"all", "places"} and places["places"] > 0), function
        for name, value in places.items():
            assert name == "places" or value in kinds or (value and set(value.split()) <= set(rows)), (function, name, value)


def test_places_of_a_source(reasons, tmp_path):
    assert scan(reasons, tmp_path, KERNEL) == PLACES


def test_new_and_lost_places_are_named(reasons, tmp_path):
    table = {function: dict.fromkeys(names, "flow") for function, names in PLACES.items()}
    assert reasons.compare(scan(reasons, tmp_path, KERNEL), table) == ([], [])
    newer = KERNEL.replace("\treturn f2fs_other", "\tif (d)\n\t\treturn -EFSBADCRC;\n\treturn f2fs_other")
    assert reasons.compare(scan(reasons, tmp_path, newer), table) == (["file.c f2fs_do: EFSBADCRC"], [])
    older = KERNEL.replace("corrupted thing", "bad thing")
    assert reasons.compare(scan(reasons, tmp_path, older), table) == (
        ["file.c sanity_check_thing: bad thing of run fsck to fix it at once,"],
        ["file.c sanity_check_thing: corrupted thing of run fsck to fix it at"])
    whole = {**table, "file.c f2fs_do": {"all": "flow", "places": 3}}
    assert reasons.compare(scan(reasons, tmp_path, KERNEL), whole) == ([], [])
    assert reasons.compare(scan(reasons, tmp_path, newer), whole) == (["file.c f2fs_do: 4 places, the table knows 3"], [])
