# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of Sphinx. make_manual.py writes the pages and runs it."""
import enum
import json
import logging
import os
import pathlib
import re

import f2fskit
from sphinx.util.nodes import make_refnode

headers = pathlib.Path(os.environ["F2FSKIT_ROOT"]) / "include/f2fskit"
project = "f2fskit"
version = release = f2fskit.__version__
extensions = ["breathe", "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
default_role = "py:obj"
html_theme = "alabaster"
html_theme_options = {"page_width": "1200px", "sidebar_width": "260px", "fixed_sidebar": True}
html_static_path = ["manual.css"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_copyright = False
breathe_projects = json.loads((pathlib.Path(os.environ["F2FSKIT_MANUAL"]) / "projects.json").read_text())
breathe_default_project = "f2fskit"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_typehints_format = "short"
myst_heading_anchors = 4


def is_tag_and_function(record):
    """Let a struct and a function share a name, as C does: Sphinx has one list of names for both."""
    text = "".join(path.read_text() for path in headers.glob("*.h"))
    tags = set(re.findall(r"\b(?:struct|enum) (f2fs_\w+) \{", text))
    functions = set(re.findall(r"\b(f2fs_\w+)\(", text))
    name = re.search(r"\b(f2fs_\w+)(?: ?\(|'\.$)", record.getMessage())
    return not (name and "Duplicate C declaration" in record.getMessage() and name[1] in tags & functions)


def write_rest(app, what, name, value, options, lines):
    """Turn the plain text of docstrings into reStructuredText: code is indented, stars and trailing underscores are text."""
    for at, line in enumerate(lines):
        line = re.sub(r"^Options \(keywords\):", "Keyword Args:", line)
        parts = line.split("`")
        parts[::2] = [re.sub(r"\*|_(?=\W|$)", r"\\\g<0>", part) for part in parts[::2]]
        lines[at] = "`".join(parts)
    if what == "module":
        is_code = False
        for at in range(len(lines) - 1, -1, -1):
            if lines[at].startswith("    "):
                is_code = True
                lines[at] = re.sub(r"\\([*_])", r"\1", lines[at])
            elif lines[at] and is_code:
                lines[at + 1: at + 1] = ["", "::", ""]
                is_code = False


def leave_signature(app, what, name, value, *rest):
    """Enumerations are made from a number, as all are: their signature says nothing."""
    return ("", None) if isinstance(value, enum.EnumMeta) else None


def find_name(app, env, node, content):
    """Find a Python name without its module, and an enum of C, which Sphinx does not find from a page of another domain."""
    target = node["reftarget"]
    if node.get("refdomain") == "py":
        return env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, node["reftype"], f"f2fskit.{target}", node, content)
    if node.get("refdomain") == "c":
        for name, _, kind, page, anchor, _ in env.get_domain("c").get_objects():
            if (name, kind) == (target, node["reftype"]):
                return make_refnode(app.builder, node["refdoc"], page, anchor, content, name)
    return None


def setup(app):
    logging.getLogger("sphinx.sphinx.domains.c").addFilter(is_tag_and_function)
    app.connect("autodoc-process-signature", leave_signature)
    app.connect("missing-reference", find_name)
    # before napoleon, which reads the sections of a docstring
    app.connect("autodoc-process-docstring", write_rest, priority=100)
