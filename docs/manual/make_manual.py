#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make the reference manual as HTML: Doxygen reads the public headers, Sphinx makes pages of them, of the Python module and of
the guides.

    make_manual.py ROOT PYTHON OUT    PYTHON: the folder of the built module; OUT/html gets the pages

pages.toml says which page has what. A name that is on no page, an undocumented one, and any warning are errors.
"""
import argparse
import collections
import enum
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
DIRECTIVES = {"struct": "doxygenstruct", "union": "doxygenunion", "function": "doxygenfunction", "enum": "doxygenenum",
              "define": "doxygendefine", "typedef": "doxygentypedef"}
LINK = re.compile(r"(!?)\[([^\]\n]+)\]\(([^)#\s]*)(#[^)\s]*)?\)")
MEMBERS = {"struct": "\n   :members:", "union": "\n   :members:"}


def heading(title, line="="):
    return "%s\n%s\n\n" % (title, line * len(title))


def toctree(title, pages, hidden=False):
    return ".. toctree::\n   :caption: %s\n   :maxdepth: 1\n\n%s\n" % (title, "".join("   %s\n" % page for page in pages))


def run_doxygen(root, out):
    """Make XML of the public headers. Return Doxygen's warnings."""
    settings = (HERE / "Doxyfile").read_text() + (
        f'INPUT = "{root}/include/f2fskit"\nOUTPUT_DIRECTORY = "{out}"\nFILTER_PATTERNS = "*.h={HERE}/header_filter.py"\n'
        f'STRIP_FROM_PATH = "{root}/include"\n')
    shutil.rmtree(out / "xml", ignore_errors=True)
    done = subprocess.run(["doxygen", "-"], input=settings, stderr=subprocess.PIPE, text=True, check=True)
    return done.stderr.splitlines()


def read_names(xml):
    """Return {header: [(line, kind, name)]} of all that is documented, without include guards and helpers of tables."""
    found = collections.defaultdict(list)
    for path in xml.glob("*.xml"):
        if not path.name.startswith(("struct", "union")) and not path.name.endswith("_8h.xml"):
            continue
        for compound in ElementTree.parse(path).iter("compounddef"):
            if compound.get("kind") != "file":
                nodes = [(compound.get("kind"), compound.findtext("compoundname"), compound)]
            else:
                nodes = [(node.get("kind"), node.findtext("name"), node) for node in compound.iter("memberdef")]
            for kind, name, node in nodes:
                place = node.find("location")
                is_documented = "".join(node.find("detaileddescription").itertext()).strip()
                if kind != "define" or is_documented and name not in ("F2FS_API",):
                    found[pathlib.Path(place.get("file")).name].append((int(place.get("line")), kind, name))
    return found


def split_index(xml, out):
    """Make a project of each header: Breathe looks through all of a project for each name. Return {name: folder}."""
    projects = {}
    for compound in ElementTree.parse(xml / "index.xml").getroot().findall("compound"):
        of = ElementTree.parse(xml / (compound.get("refid") + ".xml")).find("compounddef")
        place = of.find("location")
        if place is None or not place.get("file").endswith(".h"):
            continue
        name = pathlib.Path(place.get("file")).stem
        index = projects.setdefault(name, ElementTree.Element("doxygenindex"))
        index.append(compound)
        (out / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(xml / (compound.get("refid") + ".xml"), out / name)
    for name, index in projects.items():
        ElementTree.ElementTree(index).write(out / name / "index.xml")
    return {name: str(out / name) for name in projects}


def write_header_page(path, header, title, names):
    project = f"\n   :project: {header[:-2]}"
    text = heading(title) + f"``#include <f2fskit/{header}>``\n\n.. doxygenfile:: {header}{project}\n   :sections: detaileddescription\n\n"
    for _, kind, name in sorted(names):
        text += f".. {DIRECTIVES[kind]}:: {name}{project}{MEMBERS.get(kind, '')}\n\n"
    path.write_text(text)


def write_c_pages(pages, root, xml, out):
    names = read_names(xml)
    umbrella = re.findall(r"<f2fskit/(\w+)\.h>", (root / "include/f2fskit/f2fskit.h").read_text())
    placed = [header for group in pages["c"] for header in group["headers"]]
    if sorted(placed) != sorted(umbrella):
        sys.exit("pages.toml and f2fskit.h have different headers: %s" % ", ".join(set(placed) ^ set(umbrella)))
    text = heading("C library") + ".. doxygenfile:: f2fskit.h\n   :project: f2fskit\n   :sections: detaileddescription\n\n"
    for group in pages["c"]:
        text += toctree(group["title"], group["headers"])
        for header, title in group["headers"].items():
            write_header_page(out / f"{header}.rst", f"{header}.h", title, names[f"{header}.h"])
    (out / "index.rst").write_text(text)
    return {name for rows in names.values() for _, kind, name in rows if kind == "enum"}


def module_of(module, name, known):
    """Return the part of the package that defines a public name; of a constant the first of the known ones that has it."""
    place = getattr(getattr(module, name), "__module__", None)
    if place:
        return place.removeprefix(module.__name__ + ".")
    parts = [part for part in known if hasattr(sys.modules.get(f"{module.__name__}.{part}"), name)]
    return parts[0] if parts else module.__name__


def line_of(module, name):
    """Order names of a module as its source has them, constants and made classes last."""
    try:
        return inspect.getsourcelines(getattr(module, name))[1], name
    except (OSError, TypeError):
        return sys.maxsize, name


def data_entry(part, name):
    """Return the entry of a constant: autodoc finds its text only in the module that defines it."""
    from sphinx.pycode import ModuleAnalyzer
    module = "f2fskit" if part == "f2fskit" else f"f2fskit.{part}"
    text = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name))
    if not text:
        sys.exit(f"{module}: {name} is not documented")
    return f".. py:data:: f2fskit.{name}\n\n   {' '.join(text).strip()}\n\n"


def write_python_pages(pages, tags, out):
    import f2fskit
    known = [part for group in pages["python"] for part in group.get("modules", ())]
    places = {name: module_of(f2fskit, name, known) for name in f2fskit.__all__}
    lost = sorted(name for name, place in places.items() if place not in known)
    if lost:
        sys.exit("pages.toml has no page for %s" % ", ".join(lost))
    titles = []
    for number, group in enumerate(pages["python"]):
        text = heading(group["title"])
        for part in group.get("whole", ()):
            text += "\n".join([f"{part}", "-" * len(part), f".. automodule:: f2fskit.{part}", "   :members:", "   :member-order: bysource", "", ""])
        for part in group.get("modules", ()):
            for name in sorted((name for name, place in places.items() if place == part), key=lambda name: line_of(f2fskit, name)):
                value = getattr(f2fskit, name)
                if not (isinstance(value, type) or inspect.isroutine(value)):
                    text += data_entry(part, name)
                    continue
                kind = "exception" if isinstance(value, type) and issubclass(value, BaseException) else \
                    "class" if isinstance(value, type) else "function"
                options = "   :members:\n   :inherited-members: %s\n   :member-order: bysource\n%s" % (
                    "int, tuple, BaseException, PurePosixPath, RawIOBase, object",
                    "   :undoc-members:\n" if isinstance(value, enum.EnumMeta) else "") if kind in ("class", "exception") else ""
                text += f".. auto{kind}:: f2fskit.{name}\n{options}\n"
                if isinstance(value, enum.EnumMeta):
                    tag = "f2fs" + re.sub("([A-Z])", r"_\1", name).lower()
                    text += f"   :c:enum:`{tag}` explains the values.\n\n" if tag in tags else ""
        page = "group%d" % number
        (out / f"{page}.rst").write_text(text)
        titles.append(page)
    (out / "index.rst").write_text(heading("Python module") + ".. automodule:: f2fskit\n   :no-members:\n\n" + toctree("Pages", titles))


def page_name(page):
    return pathlib.Path(page).stem.lower()


def lead_within(text, page, known, out):
    """Point links of a document to pages of the manual, copy its images; links to other files of the project become text."""
    def lead(match):
        mark, label, target, anchor = match[1], match[2], match[3], match[4] or ""
        path = os.path.normpath(page.parent / target) if target else str(page)
        if "://" in target:
            return match[0]
        if mark:
            shutil.copy(path, out)
            return f"![{label}]({pathlib.Path(path).name})"
        names = {str(other): page_name(other) for other in known}
        return f"[{label}]({names[path]}.md{anchor})" if path in names else label

    return LINK.sub(lead, text)


def write_guide_pages(pages, root, out):
    known = [root / page for group in pages["guide"] for page in group["pages"]]
    for page in known:
        (out / f"{page_name(page)}.md").write_text(lead_within(page.read_text(), page, known, out))
    return "".join(toctree(group["title"], ["guide/" + page_name(page) for page in group["pages"]]) for group in pages["guide"])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("root", "python", "out"):
        p.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    o = p.parse_args()
    sys.path.insert(0, str(o.python))
    source = o.out / "source"
    shutil.rmtree(source, ignore_errors=True)
    for folder in ("c", "python", "guide"):
        (source / folder).mkdir(parents=True)
    undocumented = run_doxygen(o.root, o.out)
    if undocumented:
        sys.exit("\n".join(undocumented))
    pages = tomllib.loads((HERE / "pages.toml").read_text())
    tags = write_c_pages(pages, o.root, o.out / "xml", source / "c")
    write_python_pages(pages, tags, source / "python")
    guides = write_guide_pages(pages, o.root, source / "guide")
    (source / "index.rst").write_text((HERE / "index.rst").read_text() + toctree("Reference", ["c/index", "python/index"]) + guides)
    (source / "projects.json").write_text(json.dumps(split_index(o.out / "xml", source / "xml")))
    environment = {**os.environ, "PYTHONPATH": str(o.python), "F2FSKIT_MANUAL": str(source), "F2FSKIT_ROOT": str(o.root)}
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", HERE, source, o.out / "html"],
                          env=environment)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
