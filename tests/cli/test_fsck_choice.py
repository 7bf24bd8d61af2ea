# SPDX-License-Identifier: LGPL-2.1-or-later
"""Choose problems to repair. The next run finds the problems that were left and no new ones. The chosen ones are gone."""
import hashlib
import subprocess

import pytest


def names(report):
    return {p.name for p in report.problems if p.severity}


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


@pytest.fixture(scope="module")
def sound(run_tool, tmp_path_factory):
    image = tmp_path_factory.mktemp("choice") / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    run_tool("f2fs", "-w", image, "mkdir", "/many", "/deep")
    run_tool("f2fs", "-w", image, "touch", "/small", "/medium")
    return image


@pytest.fixture
def two(sound, f2fskit, tmp_path):
    """Two files with a wrong number of links, a directory with a wrong parent, and a count: the path."""
    path = tmp_path / "disk.img"
    path.write_bytes(sound.read_bytes())
    with f2fskit.open(path) as volume:
        number = {name: volume.lookup(name).number for name in ("/medium", "/small", "/many", "/deep")}
    with f2fskit.fields(path, "r+") as fields:
        for name in ("/medium", "/small"):
            fields["inode[%d].i_links" % number[name]] = 7
        fields["inode[%d].i_pino" % number["/many"]] = number["/deep"]
        fields["cp.valid_node_count"] = 99
    return path


ALL = {"LINKS_FILE", "DIR_PINO", "CP_VALID_NODES"}


def test_each_finding_by_itself(two, f2fskit):
    def decide(problem):
        assert problem.is_chosen == (problem.severity != f2fskit.Severity.NOTE)
        return problem.path != "/small"

    report = f2fskit.check(two, repair=True, decide=decide)
    assert names(report) == ALL and report.state == f2fskit.CheckState.LEFT
    assert {p.path for p in report.problems if p.severity and not p.is_chosen} == {"/small"}
    assert (report.found, report.fixed, report.left) == (4, 3, 1)
    after = f2fskit.check(two)
    assert [(p.name, p.path) for p in after.problems if p.severity] == [("LINKS_FILE", "/small")]
    assert f2fskit.check(two, repair=True).is_sound


def test_stop(two, f2fskit):
    before = digest(two)
    told = []

    def decide(problem):
        told.append(problem.name)
        return f2fskit.Decision.STOP if told.count("LINKS_FILE") == 2 else f2fskit.Decision.FIX

    report = f2fskit.check(two, repair=True, decide=decide)
    assert report.fixed == 0 and report.left == report.found == 4 and told[-1] == "LINKS_FILE"
    assert digest(two) == before
    with pytest.raises(ZeroDivisionError):
        f2fskit.check(two, repair=True, decide=lambda problem: 1 / 0)
    with pytest.raises(ValueError):
        f2fskit.check(two, repair=True, decide=lambda problem: 17)
    assert digest(two) == before


def test_words(two, f2fskit):
    before = digest(two)
    for chosen in ({"only": "dirs"}, {"only": []}, {"except_": ["links", "totals"]},
                   {"only": "links", "except_": ["P604", "DIR_PINO"]}):
        report = f2fskit.check(two, repair=True, **chosen)
        assert report.fixed == 0 and digest(two) == before, chosen
    with pytest.raises(f2fskit.InvalidError, match="nonsense"):
        f2fskit.check(two, repair=True, only=["links", "nonsense"])
    assert f2fskit.check(two, dry_run=True, only=["606"]).left == 2, "counts follow"
    assert names(f2fskit.check(two, repair=True, only=["606"])) == ALL
    assert names(f2fskit.check(two)) == {"LINKS_FILE"}
    assert f2fskit.check(two, repair=True, except_="tables").is_sound


def test_options(two, run_tool):
    done = run_tool("fsck.f2fs", "-y", "--except=DIR_PINO,P604", "--except", "totals", two, rc=4)
    assert b"[FIX]" not in done.stdout and b"[ASSERT] (LINKS_FILE" in done.stdout
    done = run_tool("fsck.f2fs", "-y", "--only=DIR_PINO", two, rc=5)
    assert done.stdout.count(b"[FIX]") == 1 and b"[FIX] (DIR_PINO" in done.stdout
    done = run_tool("fsck.f2fs", "-n", two, rc=4)
    assert done.stdout.count(b"[ASSERT]") == 2 == done.stdout.count(b"[ASSERT] (LINKS_FILE")
    for wrong in (["-y", "--only", "nonsense"], ["-n", "--only", "links"], ["-y", "--ask"], ["--ask", "--json"],
                  ["-l", "--except=links"]):
        assert run_tool("fsck.f2fs", *wrong, two, rc=16).stderr
    table = run_tool("fsck.f2fs", "--problems").stdout.decode()
    assert " * " in next(line for line in table.splitlines() if line.startswith("P911"))
    assert " * " not in next(line for line in table.splitlines() if line.startswith("P604"))


def answer(tool, image, text, *options):
    done = subprocess.run([tool("fsck.f2fs"), "--ask", *options, image], input=text, capture_output=True, timeout=300)
    assert not done.stderr
    return done.returncode, done.stdout


def test_questions(two, tool, run_tool):
    before = digest(two)
    for text in (b"", b"q\n", b"y\ny\nq\n", b"y\nn\nwhat\n"):
        code, output = answer(tool, two, text)
        assert code == 4 and b"nothing was changed" in output and digest(two) == before, text
    code, output = answer(tool, two, b"n\nn\nn\nn\n")
    assert code == 4 and output.count(b"[y/n/a/q]") == 4 and b"[FIX]" not in output and digest(two) == before
    assert answer(tool, two, b"a\n", "--dry-run")[0] == 4 and digest(two) == before
    code, output = answer(tool, two, b"n\ny\nn\nn\n")
    assert code == 5 and output.count(b"[FIX]") == 1 and b"1 repaired" not in output
    assert run_tool("fsck.f2fs", "-n", two, rc=4).stdout.count(b"[ASSERT]") == 2
    code, output = answer(tool, two, b"a\n")
    assert code == 1 and output.count(b"[y/n/a/q]") == 1 and output.count(b"[FIX]") == 2


def test_nothing_is_recovered_when_nothing_is_to_be_written(sound, f2fskit, tool, tmp_path):
    path = tmp_path / "disk.img"
    path.write_bytes(sound.read_bytes())
    volume = f2fskit.open(path, "r+")
    volume.path("/small").write_bytes(b"synced")
    volume.path("/small").inode().fsync()
    number = volume.lookup("/medium").number
    volume.close()
    with f2fskit.fields(path, "r+") as fields:
        fields["inode[%d].i_links" % number] = 7
    before = digest(path)
    assert f2fskit.check(path).pending > 0
    report = f2fskit.check(path, repair=True, decide=lambda problem: f2fskit.Decision.STOP)
    assert report.recovered_nodes == 0 and digest(path) == before
    assert answer(tool, path, b"q\n")[0] == 4 and digest(path) == before
    report = f2fskit.check(path, repair=True)
    assert report.recovered_inodes == 1 and report.is_sound
    with f2fskit.open(path) as volume:
        assert volume.read_bytes("/small") == b"synced" and volume.pending == 0
