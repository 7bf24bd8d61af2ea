#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write completion for a shell, from the options that each program lists (--dump-options).

complete.py bash|zsh F2FS TEMPLATE OUTPUT PROGRAM=LIST...
complete.py fish F2FS TEMPLATE FOLDER PROGRAM=LIST...

F2FS is the name of the program whose commands work on files inside an image.
"""
from __future__ import annotations

import dataclasses
import os
import re
import shlex
import sys


@dataclasses.dataclass
class Option:
    letter: str
    name: str
    kind: str  # none, required, optional or number
    argument: str
    text: str


@dataclasses.dataclass
class Program:
    name: str
    options: list[Option]
    commands: list[tuple[str, str]]  # with a line of help


def read_program(word: str) -> Program:
    """Read the list of PROGRAM=LIST."""
    name, listing = word.split("=", 1)
    program = Program(name, [], [])
    with open(listing, encoding="utf-8") as file:
        for line in file.read().splitlines():
            kind, *fields = [re.sub(r"\\(.)", lambda m: " " if m[1] == "n" else m[1], field) for field in line.split("\t")]
            if kind == "option":
                program.options.append(Option(*fields[:5]))
            elif kind == "command":
                program.commands.append((fields[0], fields[2]))
    return program


def valued(program: Program) -> str:
    """The letters of options that take the next word."""
    return "".join(o.letter for o in program.options if o.kind == "required")


def bash_row(program: Program) -> str:
    """The words of a program, and the letters of options that take the next word."""
    options = ["--" + o.name + ("=" if o.kind == "required" else "") if o.name else "-" + o.letter
               for o in program.options if o.name or o.letter]  # fmt: skip
    commands = " ".join(name for name, _ in program.commands)
    return "\t%s)\n\t\toptions=%s\n\t\tcommands=%s\n\t\tvalued=%s\n\t\t;;\n" % (
        program.name, *map(shlex.quote, (" ".join(options), commands, valued(program))))


def zsh_specs(option: Option) -> list[str]:
    """The words of _arguments for an option. A * before it lets it stand again."""
    text = re.sub(r"([\[\]:\\])", r"\\\1", option.text)
    argument = re.sub(r"([:\\])", r"\\\1", option.argument or "value")
    action = "_files" if re.search("FILE|DIR|PATH|TAR|DEVICE|IMAGE", argument) else "( )"
    value = {"none": "", "required": f":{argument}:{action}"}.get(option.kind, f"::{argument}:{action}")
    letter = {"none": "", "required": "+"}.get(option.kind, "-")
    long = {"none": "", "required": "="}.get(option.kind, "=-")
    specs = [f"*-{option.letter}{letter}[{text}]{value}"] if option.letter else []
    return specs + ([f"*--{option.name}{long}[{text}]{value}"] if option.name else [])


def zsh_row(program: Program) -> str:
    specs = [spec for option in program.options for spec in zsh_specs(option)]
    commands = [name.replace(":", r"\:") + ":" + text for name, text in program.commands]
    return "\t(%s)\n\t\tspecs=(\n%s\t\t)\n\t\tcommands=(\n%s\t\t)\n\t\t;;\n" % (
        program.name, *("".join(f"\t\t\t{shlex.quote(word)}\n" for word in words) for words in (specs, commands)))


def fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_rows(program: Program, f2fs: str) -> str:
    rows = []
    for option in program.options:
        words = ["complete", "-c", program.name]
        words += ["-s", fish_quote(option.letter)] if option.letter else []
        words += ["-l", option.name] if option.name else []
        words += ["-r"] if option.kind == "required" else []
        rows.append(" ".join([*words, "-d", fish_quote(option.text)]))
    for name, text in program.commands:
        rows.append("complete -c %s -n __f2fskit_wants_command -f -a %s -d %s" % (program.name, fish_quote(name), fish_quote(text)))
    if program.name == f2fs:
        for condition in ("and not __f2fskit_takes_host_files' -f", "and __f2fskit_takes_host_files'"):
            rows.append(f"complete -c {f2fs} -n '__f2fskit_has_command; {condition} -a '(__f2fskit_files_inside)'")
    return "".join(row + "\n" for row in rows)


def main() -> None:
    shell, f2fs, template, output, *words = sys.argv[1:]
    programs = [read_program(word) for word in words]
    with open(template, encoding="utf-8") as file:
        text = file.read()
    names = " ".join(program.name for program in programs)
    if shell == "fish":
        made = {os.path.join(output, program.name + ".fish"): text.replace("@VALUED@", fish_quote(valued(program)))
                .replace("@ROWS@", fish_rows(program, f2fs).rstrip("\n")) for program in programs}  # fmt: skip
    else:
        row = {"bash": bash_row, "zsh": zsh_row}[shell]
        made = {output: text.replace("@ROWS@", "".join(map(row, programs)).rstrip("\n")).replace("@NAMES@", names).replace("@F2FS@", f2fs)}
    for path, whole in made.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole)


if __name__ == "__main__":
    main()
