# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write a file as string literals of C: python3 make_text.py FILE OUTPUT"""
import json
import pathlib
import sys

lines = pathlib.Path(sys.argv[1]).read_text(encoding="ascii").splitlines()
pathlib.Path(sys.argv[2]).write_text("".join(json.dumps(line + "\n") + "\n" for line in lines))
