# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run the same command lines in two mounted volumes: commands_twice.py LIST.json FOLDER PROGRAMS FOLDER PROGRAMS. A row of the list
is a program of their folder and its words. "INPUT|PROGRAM" gives it an input. Prints for each row and folder [status, output, errors]; without PROGRAMS null."""
import json
import os
import subprocess
import sys


def ask(folder, programs, words):
    if not programs:
        return None
    given, _, program = words[0].rpartition("|")
    done = subprocess.run([os.path.join(programs, program), *words[1:]], cwd=folder, capture_output=True, input=given.encode(), timeout=60)
    return [done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")]


if __name__ == "__main__":
    places = [sys.argv[2:4], sys.argv[4:6]]
    with open(sys.argv[1]) as file:
        rows = json.load(file)
    json.dump([[ask(folder, programs, row) for folder, programs in places] for row in rows], sys.stdout)
