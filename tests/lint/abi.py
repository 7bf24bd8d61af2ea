# SPDX-License-Identifier: LGPL-2.1-or-later
"""ABI: programs compiled with an earlier header still work.

    abi.py HEADERS_FOLDER DUMP COMPILER...            compare the headers with the dump
    abi.py --update HEADERS_FOLDER DUMP COMPILER...   write the dump, if it only grows
    abi.py --anew HEADERS_FOLDER DUMP COMPILER...     write it whatever changed: before the first release only

The dump lists functions, constants, enumerators, types and members of structs as the headers declare them; from it follow
the layouts of every machine. A struct is one of three kinds. A sized one (struct_size is its first member) and a given
one (only callbacks get it) may get members at the end; a fixed one stays as it is.
"""
import pathlib
import re
import sys
import tempfile

import lint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import generate  # noqa: E402

NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b")
DEFINE = re.compile(r"#define (F2FS_\w+) (.+)")


def top_level(text, separator):
    """Split at separators that are outside of brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        if char == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def members(body):
    """Return the members of a struct, each with its type."""
    found = []
    for declaration in top_level(body, ";"):
        first, *others = top_level(declaration, ",")
        found.append(first)
        base = re.match(r"(.*?)\s*\**\w+(\[.*\])?$", first)
        found += [f"{base[1]} {other}" for other in others]
    return found


def value_of(text, known):
    """Return the value of a constant expression."""
    text = re.sub(r"\(\s*u?int\d+_t\s*\)", "", NUMBER.sub(r"\1", text))
    text = re.sub(r"\b0([0-7]+)\b", r"0o\1", text)  # Python's form of an octal number
    try:
        return eval(text, {"__builtins__": {}}, known)  # noqa: S307: our own headers
    except (NameError, SyntaxError):
        return " ".join(text.split())


def enumerators(body, known):
    found, following = {}, 0
    for item in top_level(body, ","):
        name, _, text = (part.strip() for part in item.partition("="))
        known[name] = found[name] = value_of(text, known) if text else following
        following = found[name] + 1
    return found


def kind_of(name, structs, functions):
    """Return "sized", "given" or "fixed"."""
    if structs[name][0] == "uint32_t struct_size":
        return "sized"
    used = re.compile(rf"\bstruct {name}\b")
    callback = re.compile(r"\(\*\w*\)\([^()]*\)")
    texts = functions + [member for name in structs for member in structs[name]]
    return "fixed" if any(used.search(callback.sub("", text)) for text in texts) else "given"


def describe(declarations, macros):
    """Return {what: value or list of members} of the preprocessed headers and their macros."""
    known, dump, structs, functions = {}, {}, {}, []
    for line in macros.splitlines():
        match = DEFINE.match(line)
        if match and not match[1].endswith(("_H", "_API")):
            dump[f"constant {match[1]}"] = str(value_of(match[2], known))
    for declaration in declarations:
        head, brace, rest = declaration.rstrip("; ").partition("{")
        if brace and head.startswith("enum"):
            numbers = enumerators(rest.rpartition("}")[0], known)
            dump.update({f"enumerator {name}": str(number) for name, number in numbers.items()})
        elif brace:
            structs[head.split()[1]] = members(rest.rpartition("}")[0])
        elif "(" in declaration:
            functions.append(declaration.rstrip("; "))
        else:
            dump[f"type {declaration.rstrip('; ')}"] = ""
    for function in functions:
        dump[f"function {re.search(r'(f2fs_[a-z0-9_]+) ?[(]', function)[1]}"] = function
    for name in structs:
        dump[f"struct {name}"] = [kind_of(name, structs, functions), *structs[name]]
    return dump


def look(headers, *compiler):
    include = pathlib.Path(headers).resolve()
    files = sorted(include.glob("*.h"))

    def run(*flags):
        return generate.preprocess(list(compiler), include.parent, files, *flags)

    return describe(generate.split_declarations(run()), run("-dM"))


def write(dump):
    lines = []
    for what, value in sorted(dump.items()):
        if isinstance(value, list):
            lines += [f"{what}: {value[0]}", *(f"\t{member}" for member in value[1:])]
        else:
            lines.append(f"{what}: {value}" if value else what)
    return "\n".join(lines) + "\n"


def read(text):
    dump, members_of = {}, None
    for line in text.splitlines():
        if line.startswith("\t"):
            members_of.append(line[1:])
            continue
        what, _, value = line.partition(": ")
        dump[what] = members_of = [value] if what.startswith("struct ") else value
    return dump


def breaks(old, new):
    """Say what programs that were compiled with the old interface would fall over."""
    findings = []
    for what, was in sorted(old.items()):
        now = new.get(what)
        if now is None:
            findings.append(f"{what} is gone")
        elif now != was and not isinstance(was, list):
            findings.append(f"{what} was {was}, is {now}")
        elif now != was and was[0] != now[0]:
            findings.append(f"{what} was {was[0]}, is {now[0]}")
        elif now != was and was[0] == "fixed":
            findings.append(f"{what} has no struct_size, so its members stay: {sorted(set(was) ^ set(now))}")
        elif now != was and now[: len(was)] != was:
            findings.append(f"{what} may only get members at its end")
    return findings


def rules(dump):
    """Say where the headers break the rules of growing."""
    structs = {what.split()[1]: value for what, value in dump.items() if what.startswith("struct ")}
    findings = []
    for name, (kind, *held) in sorted(structs.items()):
        if name.endswith(("_options", "_result")) and kind != "sized":
            findings.append(f"struct {name} has no struct_size")
        for member in held:
            inner = re.match(r"struct (\w+) \w+", member)
            if inner and structs.get(inner[1], [""])[0] == "sized":
                findings.append(f"struct {name} holds struct {inner[1]}, which may grow")
    return findings


def check(headers, path, *compiler):
    old, new = read(pathlib.Path(path).read_text()), look(headers, *compiler)
    findings = rules(new) + breaks(old, new)
    if not findings and old != new:
        grown = sorted(what for what in new if old.get(what) != new[what])
        command = " ".join(map(str, ("tests/lint/abi.py --update", headers, path, *compiler)))
        findings = [f"{what} is not in {path} yet: {command}" for what in grown]
    return findings


def update(headers, path, *compiler):
    new, path = look(headers, *compiler), pathlib.Path(path)
    findings = rules(new) + (breaks(read(path.read_text()), new) if path.exists() else [])
    if not findings:
        path.write_text(write(new))
    return findings


def anew(headers, path, *compiler):
    pathlib.Path(path).write_text(write(look(headers, *compiler)))
    return []


HEADER = """
#include <stdint.h>
#define F2FS_ROOM 260u
enum f2fs_e { F2FS_ONE = 1, F2FS_TWO, F2FS_ALL = F2FS_ONE | F2FS_TWO };
struct f2fs_x_options { uint32_t struct_size; const char *a, *b; };
struct f2fs_row { int kind; };
struct f2fs_point { uint32_t x, y; };
int f2fs_f(const struct f2fs_x_options *o, struct f2fs_point *p, int (*visit)(void *user, const struct f2fs_row *row));
"""
CHANGES = [  # a replacement, and the number of its findings; None: the interface only grows
    ("*b;", "*b; int c;", None),
    ("int kind;", "int kind, more;", None),
    ("F2FS_TWO,", "F2FS_TWO, F2FS_MORE = 8,", None),
    ("*b;", "*c;", 1),
    ("x, y;", "x, y, z;", 1),
    ("x, y;", "x; uint32_t y;", 0),
    ("x, y;", "y, x;", 1),
    ("F2FS_ONE = 1", "F2FS_ONE = 4", 3),
    ("F2FS_ROOM 260u", "F2FS_ROOM 0x104", 0),
    ("F2FS_ROOM 260u", "F2FS_ROOM 256", 1),
    ("struct f2fs_point *p,", "struct f2fs_point *p, int n,", 1),
    ("uint32_t struct_size; ", "", 2),
    ("int kind;", "int kind; struct f2fs_x_options o;", 1),
]


def self_test(*compiler):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        header, dump = pathlib.Path(folder, "f2fskit", "x.h"), pathlib.Path(folder, "dump")
        header.parent.mkdir()
        header.write_text(HEADER)
        anew(header.parent, dump, *compiler)
        for was, becomes, wanted in [("int", "int", 0), *CHANGES]:
            header.write_text(HEADER.replace(was, becomes))
            findings = check(header.parent, dump, *compiler)
            news = [finding for finding in findings if "is not in" in finding]
            good = len(findings) == len(news) == 1 if wanted is None else len(findings) == wanted and not news
            if not good:
                print(f"self-test: {was} -> {becomes}: {findings}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    modes = {"--update": update, "--anew": anew}
    if sys.argv[1] == "--self-test":
        sys.exit(self_test(*sys.argv[2:]))
    mode = modes.get(sys.argv[1])
    sys.exit(lint.report(mode(*sys.argv[2:]) if mode else check(*sys.argv[1:])))
