#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write the metadata of the installed Python module: dist_info.py PYPROJECT README VERSION FOLDER

METADATA and entry_points.txt come from pyproject.toml, so pip, importlib.metadata and the plugins of pytest and fsspec find
the same as in a wheel.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
from typing import Any

METADATA_VERSION = "2.1"


def load_toml(path: str) -> dict[str, Any]:
    """Read a TOML file, with the first parser that this Python has: its own is there from 3.11 on."""
    for name in ("tomllib", "tomli", "pip._vendor.tomli"):
        try:
            parser = importlib.import_module(name)
        except ImportError:
            continue
        with open(path, "rb") as file:
            found: dict[str, Any] = parser.load(file)
            return found
    raise SystemExit("dist_info.py: this Python has no parser of TOML (install its module tomli)")


def metadata(project: dict[str, Any], version: str, readme: str) -> str:
    """Return the text of METADATA."""
    fields = [
        ("Metadata-Version", METADATA_VERSION),
        ("Name", project["name"]),
        ("Version", version),
        ("Summary", project["description"]),
        ("Keywords", ",".join(project["keywords"])),
        *(("Classifier", text) for text in project["classifiers"]),
        ("Requires-Python", project["requires-python"]),
        *(("Requires-Dist", text) for text in project["dependencies"]),
    ]
    for extra, needs in project["optional-dependencies"].items():
        fields.append(("Provides-Extra", extra))
        fields += [("Requires-Dist", f'{text}; extra == "{extra}"') for text in needs]
    fields += [("License-File", "licenses/LICENSE"), ("Description-Content-Type", "text/markdown")]
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + readme


def entry_points(project: dict[str, Any]) -> str:
    """Return the text of entry_points.txt."""
    groups = sorted(project["entry-points"].items())
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in sorted(rows.items())) for group, rows in groups)


def main() -> None:
    source, readme, version, folder = sys.argv[1:]
    project = load_toml(source)["project"]
    place = pathlib.Path(folder)
    place.joinpath("METADATA").write_text(metadata(project, version, pathlib.Path(readme).read_text(encoding="utf-8")), encoding="utf-8")
    place.joinpath("entry_points.txt").write_text(entry_points(project), encoding="utf-8")


if __name__ == "__main__":
    main()
