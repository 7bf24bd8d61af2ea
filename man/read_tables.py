#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""List options, commands and exit codes of a program from its source, as its --dump-options does.

read_tables.py SOURCE COMMON OUTPUT COMPILER...

A program for another machine cannot be run, but its tables can be read: the compiler preprocesses SOURCE, which has them, and
COMMON (cli/usage.c), which has the options of all programs. tests/cli/test_read_tables.py compares the lists with the programs'.
"""
from __future__ import annotations

import ast
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|' r"'(?:[^'\\]|\\.)+'" r"|\w+|[-+]\s*\d+|[{},]|\S")
KINDS = {"CLI_ARG_NONE": "none", "CLI_ARG_REQUIRED": "required", "CLI_ARG_OPTIONAL": "optional", "CLI_ARG_NUMBER": "number"}
TABLE = r"static (?:const )?struct %s %s\[\] = \{"
ENUM = re.compile(r"\benum\b[^{};]*\{([^}]*)\}")
# No table needs them, so an empty one will do where the compiler does not find them.
FOREIGN_HEADERS = ("fuse_lowlevel.h",)
# The synopses of the commands of f2fs are made from these columns.
SYNOPSES = """
#define COMMANDS(title)
#define COMMAND(name, operands, need, letters, fewest, most, run, help, doc) { name, operands, letters, doc },
static const struct synopsis synopses[] = {
#include "edit/commands.def"
};
"""


def preprocess(compiler: list[str], source: str, extra: str = "") -> str:
    """Return the preprocessed text of a file, with further lines after it."""
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder, "unit.c")
        unit.write_text(f'#include "{os.path.abspath(source)}"\n{extra}', encoding="utf-8")
        for name in FOREIGN_HEADERS:
            pathlib.Path(folder, name).write_text("")
        command = [*compiler, "-idirafter", folder, "-E", "-P", str(unit)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def value_of(tokens: list[str], names: dict[str, int]) -> str | int | None:
    """Return the value of an initializer: a text of one or more literals, a letter, a number, or None for NULL."""
    tokens = [token for token in tokens if token not in "()"]
    if tokens and all(token.startswith('"') for token in tokens):
        return "".join(ast.literal_eval(token) for token in tokens)
    joined = "".join(tokens)
    if joined.startswith("'"):
        return str(ast.literal_eval(joined))
    if re.fullmatch(r"-?\d+", joined):
        return int(joined)
    if joined in KINDS:
        return KINDS[joined]
    if joined in ("NULL", "void*0"):
        return None
    return names.get(joined, joined)


def rows_of(text: str, struct: str, name: str, names: dict[str, int]) -> list[list]:
    """Return the rows of a table of structs."""
    begin = re.search(TABLE % (struct, name), text)
    if not begin:
        return []
    rows: list[list] = []
    field: list[str] = []
    depth = 1
    for token in TOKEN.findall(text, begin.end()):
        if token == "{":
            depth += 1
            rows.append([])
        elif token == "}" or (token == "," and depth == 2):
            if field:
                rows[-1].append(value_of(field, names))
            field = []
            depth -= token == "}"
            if depth == 0:
                return rows
        elif depth == 2:
            field.append(token)
    raise SystemExit(f"read_tables.py: table {name} does not end")


def enumerators(text: str) -> dict[str, int]:
    """Return the values of all enumerators."""
    found: dict[str, int] = {}
    for body in ENUM.findall(text):
        last = -1
        for item in filter(str.strip, body.split(",")):
            name, _, value = (part.strip() for part in item.partition("="))
            value = value.strip("() ")
            try:
                last = found[value] if value in found else int(value.rstrip("uUlL"), 0) if value else last + 1
            except ValueError:
                continue  # an expression: no exit code has one
            found[name] = last
    return found


def escape(text: str | None) -> str:
    return (text or "").replace("\\", "\\\\").replace("\n", "\\n")


def option_lines(rows: list[list], taken: set[str]) -> list[str]:
    """Return the lines of options; letters that are taken are left out."""
    lines = []
    for number, letter, kind, name, argument, text, doc, instead in rows:
        if number in ("CLI_OPTION_GROUP", -1):
            lines.append("group\t" + escape(text))
        else:
            letter = letter if isinstance(letter, str) and letter not in taken else ""
            fields = ["old" if instead else "option", letter, name, kind, argument, text, doc]
            lines.append("\t".join(map(escape, fields)))
    return lines


def synopsis(operands: str, letters: str) -> str:
    """Return the operands of a command of f2fs with its options before them, as edit/synopsis.c does."""
    options = [word.lstrip("+?").split("/")[0] for word in letters.split()]
    options = [word for word in options if word]
    flags = "".join(word for word in options if ":" not in word)
    parts = [f"[-{flags}]"] if flags else []
    parts += ["[-%s %s]" % tuple(word.split(":")) for word in options if ":" in word]
    return " ".join([*parts, operands] if operands else parts)


def explanation(doc: str, letters: str) -> str:
    """Return the text about a command of f2fs with the long names of its options, as edit/synopsis.c does."""
    named = [word.lstrip("+?").split("/") for word in letters.split() if "/" in word]
    text = ", ".join("-%s is --%s" % (word[0], name) for word, name in named)
    return " ".join(part for part in (doc, text + "." if text else "") if part)


def main() -> None:
    source, common, output, *compiler = sys.argv[1:]
    is_edit = os.path.basename(os.path.dirname(os.path.abspath(source))) == "edit"
    text = preprocess(compiler, source, SYNOPSES if is_edit else "")
    names = enumerators(text)
    options = rows_of(text, "cli_option", "options", names)
    lines = option_lines(options, set())
    letters = {row[1] for row in options if isinstance(row[1], str)}
    lines += option_lines(rows_of(preprocess(compiler, common), "cli_option", "common", names), letters)
    columns = {name: rest for name, *rest in rows_of(text, "synopsis", "synopses", names)}
    for name, operands, help_text, doc in rows_of(text, "cli_command", "command_texts", names):
        if name is None:
            lines.append("commands\t" + escape(help_text))
        else:
            if name in columns:
                operands, letters_of, text_of = columns[name]
                operands, doc = synopsis(operands, letters_of), explanation(text_of, letters_of)
            lines.append("\t".join(map(escape, ["command", name, operands, help_text, doc])))
    lines += ["exit\t%d\t%s" % (code, escape(reason)) for code, reason in rows_of(text, "cli_exit", "exits", names)]
    with open(output, "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
