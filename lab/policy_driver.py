# SPDX-License-Identifier: LGPL-2.1-or-later
"""Answer the questions of f2fs-lab with the class Policy of a file (own_policy.c starts this).

Standard input and output are one socket. A record of nine numbers is a call: the number of the method, then its
arguments. Some calls are answered by one number. The first answer has the streams and the methods that there are.
"""
import os
import runpy
import struct
import sys
import types

METHODS = ["classify", "written", "moving", "moved", "freed", "delay", "heat", "cost"]
COUNTS = [3, 4, 2, 2, 1, 3, 2, 8]
ASKS = {"classify", "moving", "delay", "heat", "cost"}
SECTION = ["section", "valid", "blocks", "mtime", "heat", "now", "min_mtime", "max_mtime"]
RECORD = struct.Struct("=9Q")


def main(path):
    socket = os.dup(0)
    os.dup2(2, 1)  # what a policy prints does not disturb the answers
    policy = runpy.run_path(path)["Policy"]()
    calls = [getattr(policy, name, None) for name in METHODS]
    has = sum(1 << i for i, call in enumerate(calls) if callable(call))
    os.write(socket, struct.pack("=2Q", getattr(policy, "streams", 1), has))
    data = b""
    while True:
        more = os.read(socket, 1 << 20)
        if not more:
            return
        data += more
        end = len(data) - len(data) % RECORD.size
        for record in RECORD.iter_unpack(data[:end]):
            method = record[0]
            if METHODS[method] == "cost":
                answer = calls[method](types.SimpleNamespace(**dict(zip(SECTION, record[1:]))))
                os.write(socket, struct.pack("=d", float("inf") if answer is None else float(answer)))
                continue
            answer = calls[method](*record[1:1 + COUNTS[method]])
            if METHODS[method] in ASKS:
                os.write(socket, struct.pack("=Q", int(answer)))
        data = data[end:]


main(sys.argv[1])
