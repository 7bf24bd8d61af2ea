# SPDX-License-Identifier: LGPL-2.1-or-later
"""With --json every program writes JSON, or refuses: never text."""
import json

import pytest


@pytest.fixture(scope="module")
def image(run_tool, tmp_path_factory):
    path = tmp_path_factory.mktemp("json") / "image"
    run_tool("mkfs.f2fs", "-q", path, "64M")
    run_tool("f2fs", "-w", path, "touch", "/file", "--", "ln", "-s", "file", "/link", "--",
             "setfattr", "/file", "user.a", "b")
    return path


DOCUMENTS = {
    "readlink /link": {"path": "/link", "target": "file"},
    "pwd": {"path": "/"},
    "getfattr /file user.a": {"path": "/file", "name": "user.a", "value": "b"},
}


@pytest.mark.parametrize("call", DOCUMENTS)
def test_documents_of_commands(run_tool, image, call):
    assert json.loads(run_tool("f2fs", "--json", image, *call.split()).stdout) == DOCUMENTS[call]


def test_help_and_problems_as_json(run_tool, image):
    rows = json.loads(run_tool("f2fs", "--json", image, "help").stdout)
    assert {"ls", "help", "gc"} <= {row["name"] for row in rows}
    assert [row["name"] for row in json.loads(run_tool("f2fs", "--json", "help", "ls").stdout)] == ["ls"]
    rows = json.loads(run_tool("fsck.f2fs", "--json", "--problems").stdout)
    assert len(rows) > 50 and {"id", "name", "fix"} <= set(rows[0])


@pytest.mark.parametrize("call", ["f2fs IMAGE cat /file", "fsck.f2fs -l IMAGE", "fsck.f2fs -M IMAGE", "fsck.f2fs -t IMAGE",
                                  "defrag.f2fs --fragmentation --segment-map IMAGE", "defrag.f2fs --segment-map IMAGE",
                                  "defrag.f2fs --fragmentation --svg=- IMAGE"])
def test_what_has_no_json_is_refused(run_tool, image, call):
    name, *words = call.replace("IMAGE", str(image)).split()
    done = run_tool(name, "--json", *words, rc=None)
    assert done.returncode in (1, 16) and not done.stdout and b"json" in done.stderr.lower(), done


def test_help_needs_no_image(run_tool, image):
    assert run_tool("f2fs", "help").stdout == run_tool("f2fs", image, "help").stdout
    assert run_tool("f2fs", "help", "ls").stdout.startswith(b"ls ")
