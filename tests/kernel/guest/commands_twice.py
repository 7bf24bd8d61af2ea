# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run the same command lines in two mounted volumes: commands_twice.py LIST.json FOLDER PROGRAM FOLDER PROGRAM. A row of the list
is the words after the name of the program. Prints for each row and folder [status, output, errors]; without PROGRAM null."""
import json
import subprocess
import sys


def ask(folder, program, words):
    if not program:
        return None
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    return [done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")]


if __name__ == "__main__":
    places = [sys.argv[2:4], sys.argv[4:6]]
    with open(sys.argv[1]) as file:
        rows = json.load(file)
    json.dump([[ask(folder, program, row) for folder, program in places] for row in rows], sys.stdout)
