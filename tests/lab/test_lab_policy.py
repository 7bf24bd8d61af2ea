# SPDX-License-Identifier: LGPL-2.1-or-later
"""Policies of one's own: the examples of docs/POLICY.md, policies in Python, and their errors."""
import json
import os
import re
import shutil
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

LOAD = """
[experiment]
rounds = 2
[volume]
size = "128MiB"
[engine]
logging = "normal"
commit_blocks = 1024
[source.one]
kind = "ycsb"
load = "A"
bytes = "86%"
page = "4KiB"
record = 4000
operations = 5000
"""


def example(language):
    """The code of the page."""
    with open(os.path.join(TOP, "docs", "POLICY.md")) as f:
        (code,) = re.findall(r"```%s\n(.*?)```" % language, f.read(), re.S)
    return code


@pytest.fixture
def rounds(run_tool, tmp_path):
    """rounds(*options): the rounds of the load; policy=TEXT writes a policy and uses it."""
    (tmp_path / "an.toml").write_text(LOAD)

    def run(*options, policy=None, rc=0):
        if policy is not None:
            (tmp_path / "mine.py").write_text(policy)
            options += ("--python", tmp_path / "mine.py")
        done = run_tool("f2fs-lab", "run", tmp_path / "an.toml", "--json=-", *options, rc=rc)
        return json.loads(done.stdout)["variants"][0]["rounds"] if rc == 0 else done.stderr.decode()
    return run


def test_python_example_is_dac(rounds):
    """The DAC of the page, in Python, equals the one in C to the last block."""
    code = example("python")
    assert len(code.splitlines()) <= 30
    ours, plain = rounds(policy=code), rounds()
    reference = rounds("--set=engine.placement=dac")
    for mine, theirs in zip(ours, reference):
        assert {**mine, "placement_bytes": 0} == {**theirs, "placement_bytes": 0}
    assert [r["moved_blocks"] for r in ours] != [r["moved_blocks"] for r in plain]


def test_victims_alone(rounds):
    """cost() that returns the blocks in use equals greedy, also among equal costs."""
    greedy = rounds("--set=engine.cleaning=greedy")
    assert rounds(policy="class Policy:\n    def cost(self, s):\n        return s.valid\n") == greedy
    old = "class Policy:\n    def cost(self, s):\n        return s.mtime if s.valid < s.blocks else None\n"
    assert rounds(policy=old) != greedy


def test_every_method_is_called(rounds, tmp_path):
    """Each gets valid arguments. Output of a policy does not disturb it."""
    policy = """
import collections
print("hello")


class Policy:
    streams = 2

    def __init__(self):
        self.calls = collections.Counter()
        self.live = {}

    def note(self, name):
        self.calls[name] += 1
        if self.calls[name] == 1:
            with open(%r, "a") as f:
                f.write(name + "\\n")

    def classify(self, ino, file_block, old):
        self.note("classify")
        assert ino > 3 and (old == 0 or self.live[old] == (ino, file_block))
        return file_block & 1

    def written(self, ino, file_block, old, addr):
        self.note("written")
        self.live.pop(old, None)
        self.live[addr] = ino, file_block

    def moving(self, ino, old):
        self.note("moving")
        assert self.live[old][0] == ino
        return 1

    def moved(self, old, addr):
        self.note("moved")
        if old in self.live:
            self.live[addr] = self.live.pop(old)

    def delay(self, ino, file_block, old):
        self.note("delay")
        return 0

    def heat(self, segno, blocks):
        self.note("heat")
        return segno

    def cost(self, s):
        self.note("cost")
        assert s.heat == s.section and 0 < s.valid <= s.blocks == 512
        return s.valid
""" % str(tmp_path / "calls")
    assert rounds(policy=policy)
    assert set((tmp_path / "calls").read_text().split()) == {
        "classify", "written", "moving", "moved", "delay", "heat", "cost"}


@pytest.mark.parametrize("policy,message", [
    ("class Policy:\n", "python3 cannot run the file, or it has no class Policy"),
    ("class Other:\n    pass\n", "python3 cannot run the file, or it has no class Policy"),
    ("class Policy:\n    pass\n", "class Policy has neither classify() nor cost()"),
    ("class Policy:\n    streams = 17\n    def classify(self, *a):\n        return 0\n", "streams is not 1 to 16"),
    ("class Policy:\n    def classify(self, *a):\n        return {}[a]\n", "the policy in Python has failed"),
    ("class Policy:\n    def classify(self, *a):\n        return -1\n", "the policy in Python has failed"),
    ("class Policy:\n    def cost(self, s):\n        return s.nothing\n", "the policy in Python has failed"),
])
def test_wrong_policies(policy, message, rounds):
    """An error in the file ends the run with a message, never with numbers."""
    assert message in rounds(policy=policy, rc=1)


def test_policy_without_file(rounds, tmp_path):
    assert "python3 cannot run the file" in rounds("--python", tmp_path / "none.py", rc=1)
    assert "exclude each other" in rounds("--set=engine.placement=dac", policy="class Policy:\n    pass\n", rc=1)


def test_c_example_compiles(tmp_path):
    """As a file of the laboratory, with the warnings of the build."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        pytest.skip("no compiler")
    declaration = "#include <f2fskit/placement.h>\nsize_t lab_baseline_parity(const struct f2fs_geometry *geo, struct f2fs_placement *out);\n"
    (tmp_path / "baseline_parity.c").write_text(declaration + example("c"))
    done = subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I", TOP, "-I",
                           os.path.join(TOP, "include"), "-c", "-o", tmp_path / "parity.o",
                           tmp_path / "baseline_parity.c"], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
