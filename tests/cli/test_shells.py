# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completion for zsh and fish: the words offered for a partial word. Those for bash are in test_completion.py."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

# Completes the line and prints it in marks.
ZSH = """
unsetopt beep; PS1=; fpath=(%s $fpath); path=(%s $path); autoload -U compinit; compinit -u -D
zstyle ':completion:*' completer _complete; zstyle ':completion:*' list-prompt ''; LISTMAX=10000
show() { zle complete-word; print -r -- "<<$BUFFER>>"; exit }; zle -N show; bindkey '^I' show
"""
PROGRAMS = ["mkfs.f2fs", "fsck.f2fs", "dump.f2fs", "sload.f2fs", "tune.f2fs", "defrag.f2fs", "resize.f2fs", "f2fs", "f2fslabel",
            "inject.f2fs", "f2fs-lab", "f2fs_io", "f2fscrypt", "fibmap.f2fs", "f2fstat"]


def ask_zsh(folders, build_dir, line, cwd):
    """Type a line and a tab at a zsh: the completed line."""
    mine, its = pty.openpty()
    setup = ZSH % (os.path.join(build_dir, "completions"), " ".join(folders))
    with open(os.path.join(cwd, ".zshrc"), "w") as rc:
        rc.write(setup)
    # The line editor starts with the typed line in its buffer, so nothing rests on when the shell is ready.
    with open(os.path.join(cwd, ".zshrc"), "a") as rc:
        rc.write("zle-line-init() { BUFFER=%s; CURSOR=$#BUFFER; zle show }; zle -N zle-line-init\n" % ("$'%s'" % line.replace("'", "\\'")))
    shell = subprocess.Popen(["zsh", "-d", "-i"], stdin=its, stdout=its, stderr=its, cwd=cwd, start_new_session=True,
                             env=dict(os.environ, ZDOTDIR=str(cwd), TERM="dumb", COLUMNS="200", LINES="50"))
    os.close(its)
    said, end = b"", time.monotonic() + 60
    while b">>" not in said and time.monotonic() < end:
        if select.select([mine], [], [], 1)[0]:
            try:
                said += os.read(mine, 65536)
            except OSError:
                break
    shell.kill()
    shell.wait()
    os.close(mine)
    found = re.search(r"<<(.*?)>>", said.decode(errors="replace"), re.S)
    assert found, said
    return found[1]


@pytest.fixture
def image(run_tool, tmp_path):
    for path in ("etc/passwd", "etc/profile.d/a.sh", "etc/.hidden", "empty", "etc/with blank"):
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_text("")
    run_tool("mkfs.f2fs", "-q", "--root-dir", tmp_path / "tree", tmp_path / "disk.img", "64M")
    return tmp_path


@pytest.fixture
def folders(tool):
    return sorted({os.path.dirname(tool(name)) for name in ("f2fs", "mkfs.f2fs", "fsck.f2fs", "f2fs-lab")})


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize("line, whole", [
    ("mkfs.f2fs --overpro", "mkfs.f2fs --overprovision="),
    ("fsck.f2fs -y --dry-r", "fsck.f2fs -y --dry-run "),
    ("fsck.f2fs dis", "fsck.f2fs disk.img "),
    ("f2fs-lab ru", "f2fs-lab run "),
    ("f2fs disk.img readl", "f2fs disk.img readlink "),
    ("f2fs disk.img ls -- readl", "f2fs disk.img ls -- readlink "),
    ("f2fs -w disk.img help undel", "f2fs -w disk.img help undelete "),
    ("f2fs disk.img cat /etc/pa", "f2fs disk.img cat /etc/passwd "),
    ("f2fs disk.img cat /etc/pr", "f2fs disk.img cat /etc/profile.d/"),
    ("f2fs disk.img cat /etc/w", "f2fs disk.img cat /etc/with\\ blank "),
    ("f2fs disk.img ls -- stat em", "f2fs disk.img ls -- stat empty "),
])
def test_zsh(image, folders, build_dir, line, whole):
    assert ask_zsh(folders, build_dir, line, image) == whole


@pytest.fixture
def fish(image, folders, build_dir):
    """A function: the words that fish offers for the last word of a line."""
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")

    def ask(line):
        text = "set -gx PATH %s $PATH; set -g fish_complete_path %s; complete -C %s" % (
            " ".join(folders), os.path.join(build_dir, "completions"), "'%s'" % line)
        done = subprocess.run(["fish", "--no-config", "-c", text], capture_output=True, text=True, cwd=image,
                              env=dict(os.environ, HOME=str(image)))
        assert done.returncode == 0 and not done.stderr, done.stderr
        return [row.split("\t")[0] for row in done.stdout.splitlines()]
    return ask


def test_fish(fish):
    assert fish("dump.f2fs --ex") == ["--exclude=", "--existing=", "--extract="] or fish("dump.f2fs --ex") == ["--exclude", "--existing", "--extract"]
    assert fish("fsck.f2fs -y --dry-r") == ["--dry-run"]
    assert fish("f2fs-lab ru") == ["run"]
    assert fish("f2fs disk.img setf") == ["setfattr"] == fish("f2fs -w disk.img ls -- setf")
    assert fish("f2fs -w disk.img help undel") == ["undelete"]
    assert fish("f2fs disk.img cat /etc/p") == ["/etc/passwd", "/etc/profile.d/"]
    assert fish("f2fs disk.img cat /etc/w") == ["/etc/with blank"]
    assert fish("f2fs disk.img ls -- stat em") == ["empty"]
    assert "disk.img" in fish("f2fs -w disk.img put /etc/passwd di") and "disk.img" not in fish("f2fs -w disk.img rm di")


def test_all_programs_and_options(run_tool, build_dir):
    with open(os.path.join(build_dir, "completions/_f2fskit")) as opened:
        zsh = opened.read()
    for program in PROGRAMS:
        with open(os.path.join(build_dir, "completions", program + ".fish")) as opened:
            fish_text = opened.read()
        assert program in zsh.split("\n")[0].split()
        row = zsh.split("\t(%s)\n" % program)[1].split(";;")[0]
        for line in run_tool(program, "--dump-options").stdout.decode().splitlines():
            fields = line.split("\t")
            if fields[0] == "option" and fields[2]:
                assert re.search(r"'\*--%s[=[]" % fields[2], row), (program, fields[2])
                assert re.search(r"^complete -c %s .*-l %s " % (re.escape(program), fields[2]), fish_text, re.M), fields[2]
            elif fields[0] == "command":
                assert re.search(r"^\t\t\t'?%s:" % fields[1], row, re.M), fields[1]
                assert re.search(r"-a '%s' " % fields[1], fish_text), fields[1]
