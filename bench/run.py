#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make the tables of bench/RESULTS.md again, each by its command in bench/tables.toml, in the order of the file.

usage: bench/run.py all [--long] [-b BUILD] [-w FOLDER] [--into FILE]
       bench/run.py NAME... [-b BUILD] [-w FOLDER] [--into FILE]
       bench/run.py --list

`all` leaves out tables that take hours, a kernel or files that no build has. --long makes those, too; names make single tables.
Commands run in the top folder with BUILD, the folder of the programs, and WORK, a new folder for images in FOLDER, which is best on a
tmpfs. WORK is removed afterwards. Output replaces the text between the table's marks in FILE (default bench/RESULTS.md): the command,
the machine, the output. The text of a command that fails stays, and the status is 1.
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib

TOP = pathlib.Path(__file__).resolve().parent.parent
TABLES, RESULTS = TOP / "bench" / "tables.toml", TOP / "bench" / "RESULTS.md"
BEGIN, END = "<!-- table %s -->\n", "<!-- end -->\n"
BLOCK = re.compile(r"^<!-- table (\S+) -->\n(.*?)^<!-- end -->\n", re.M | re.S)


def read_tables():
    """Return the rows by their names, in order: command, and for some long, the reason why `all` leaves them out."""
    return tomllib.loads(TABLES.read_text())


def machine():
    return "%s, %d processors, Linux %s, %s, load %.0f." % (
        platform.machine(), os.cpu_count(), platform.release().split("-")[0], time.strftime("%Y-%m-%d", time.gmtime()), os.getloadavg()[0])


def indented(text):
    return "".join("    " + line if line.strip() else line for line in text.splitlines(keepends=True))


def run(command, build, work):
    """Run a command. Return what it printed, or None if it failed."""
    work.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "BUILD": str(build), "WORK": str(work), "F2FSKIT_BUILD": str(build),
                   "PYTHONPATH": str(build / "python")}
    done = subprocess.run(["bash", "-euc", command], cwd=TOP, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    shutil.rmtree(work, ignore_errors=True)
    return done.stdout if done.returncode == 0 and done.stdout.strip() else None


def block(name, command, output):
    """Return a table with its marks. Output without a table of Markdown is shown as it is."""
    output = output.strip("\n") + "\n"
    return BEGIN % name + "\n".join([indented(command.strip() + "\n"), machine() + "\n",
                                     output if re.search(r"^\|", output, re.M) else indented(output)]) + END


def put(text, name, new):
    """Replace the text between the marks of a table."""
    parts = [found for found in BLOCK.finditer(text) if found[1] == name]
    if len(parts) != 1:
        sys.exit("%d places for the table %s, not one" % (len(parts), name))
    return text[:parts[0].start()] + new + text[parts[0].end():]


def choose(tables, names, with_long):
    unknown = set(names) - set(tables) - {"all"}
    if unknown:
        sys.exit("no such table: %s" % ", ".join(sorted(unknown)))
    return [name for name, row in tables.items() if name in names or ("all" in names and (with_long or "long" not in row))]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("names", metavar="NAME", nargs="*", help="tables, or all")
    p.add_argument("--long", action="store_true", help="with all: those that it leaves out, too")
    p.add_argument("--list", action="store_true", help="print names, and the reasons of long ones")
    p.add_argument("-b", "--build", type=lambda text: pathlib.Path(text).resolve(), default=TOP / "build")
    p.add_argument("-w", "--work", type=lambda text: pathlib.Path(text).resolve(),
                   default=pathlib.Path("/dev/shm") if os.path.isdir("/dev/shm") else TOP / "build")
    p.add_argument("--into", type=pathlib.Path, default=RESULTS)
    o = p.parse_args()
    tables, failed = read_tables(), []
    if o.list:
        for name, row in tables.items():
            print("%-20s %s" % (name, "long: " + row["long"] if "long" in row else ""))
        return 0
    if not o.names:
        p.error("name tables, or all")
    for name in choose(tables, o.names, o.long):
        print(name, flush=True)
        output = run(tables[name]["command"], o.build, o.work / ("f2fskit-bench-%d" % os.getpid()))
        if output is None:
            failed.append(name)
            continue
        o.into.write_text(put(o.into.read_text(), name, block(name, tables[name]["command"], output)))
    if failed:
        print("failed: %s" % ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
