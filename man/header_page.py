#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make the manual pages of the library, section 3, from the public headers and the list of pages of the reference manual.

    header_page.py PAGES HEADER OUTPUT VERSION      the page of a header: its functions, types and constants
    header_page.py PAGES TEMPLATE OUTPUT VERSION    a page with the list of all pages (@PAGES@) and @VERSION@
"""
import itertools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docs/manual"))
from fill import roff  # noqa: E402
from header_filter import expand_tables  # noqa: E402

# Python before 3.11 has no tomllib, and packages are built with it, so these rows are read by their form.
GROUP = re.compile(r'^\[\[c\]\]\ntitle = "(.*)"\nheaders = \{(.*)\}$', re.M)
TITLE = re.compile(r'(\w+) = "([^"]*)"')
WRAPPER = re.compile(r'#ifdef __cplusplus\n.*?\n#endif\n', re.S)
TABLE = re.compile(r"(?:/\*(?:[^*]|\*(?!/))*\*/\n)?#define F2FS_\w+_TABLE\(X\)(?:[^\n]*\\\n)*[^\n]*\n")
TOKEN = re.compile(r"/\*(?P<comment>.*?)\*/|(?P<directive>^#(?:[^\n/]|/(?!\*))*)|(?P<space>\s+)|(?P<code>(?:[^\s/#]|/(?!\*))+)", re.S | re.M)
FUNCTION = re.compile(r"F2FS_API (.*\b(f2fs_\w+)\(.*);")
AGGREGATE = re.compile(r"((?:struct|union|enum)(?: f2fs_\w+)?) \{")
DEFINE = re.compile(r"#define (\w+(?:\([^)]*\))?) (.+)")


def read_groups(pages):
    """Return [(title of a group, {header without its ending: title})]."""
    return [(title, dict(TITLE.findall(headers))) for title, headers in GROUP.findall(pages)]


def page_name(header):
    return "f2fskit_" + header


def plain(comment):
    """Return the text of a comment without the stars at the starts of its lines."""
    return "\n".join(re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment.strip().split("\n")).strip()


class Item:
    """A declaration, or a member or enumerator of one, with its comment."""

    def __init__(self, code, comment, members=()):
        self.code, self.comment, self.members = code, comment, members


class Parser:
    """Divide declarations of a header into items, each with the comment above it or beside it."""

    def __init__(self, text):
        self.text, self.at = text, 0
        self.items, self.prose = [], []
        self.above = None  # the comment that waits for its declaration
        self.code = ""

    def add(self, members=()):
        code = re.sub(r"\s+", " ", self.code).strip()
        if code:
            self.items.append(Item(code, self.above or "", members))
            self.above = None
        self.code = ""

    def take_comment(self, comment, is_beside):
        if self.code.strip():  # of the last enumerator, which has no comma
            self.above = plain(comment)
        elif is_beside:
            last = self.items[-1]
            last.comment = "\n\n".join(filter(None, [last.comment, plain(comment)]))
        else:
            self.above = plain(comment)

    def read(self, ends, is_inner=False):
        """Read until the brace that closes this level, or the end of the text."""
        is_beside = False
        depth = 0
        while match := TOKEN.match(self.text, self.at):
            self.at = match.end()
            if match["comment"] is not None:
                self.take_comment(match["comment"], is_beside)
            elif match["space"]:
                is_beside = is_beside and "\n" not in match["space"]
                if self.above and not is_inner and not self.code.strip() and match["space"].count("\n") > 1:
                    self.prose.append(self.above)
                    self.above = None
                self.code += " "
            elif match["directive"]:
                self.code = match["directive"]
                self.add()
                is_beside = True
            else:
                for letter in match["code"]:
                    if letter == "}" and is_inner:
                        self.add()
                        self.at -= len(match["code"]) - match["code"].index("}") - 1
                        return self
                    depth += (letter in "([") - (letter in ")]")
                    is_end = letter == ends and not depth
                    self.code += letter if not is_end or letter == ";" else ""
                    if letter == "{":
                        self.read_members()
                        is_beside = True
                    elif is_end:
                        self.add()
                        is_beside = True
        return self

    def read_members(self):
        inner = Parser(self.text)
        inner.at = self.at
        inner.read("," if self.code.strip().startswith("enum") else ";", is_inner=True)
        self.at = self.text.index(";", inner.at) + 1
        self.add(inner.items)


def read_header(text):
    """Return (text of the head, comments that belong to no declaration, items)."""
    text = TABLE.sub("", WRAPPER.sub("", expand_tables(text)))
    head = re.search(r"/\*\n(.*?)\*/\n#ifndef", text, re.S)
    parser = Parser(text[head.end():]).read(";")
    return plain(head[1]), parser.prose, parser.items


def paragraphs(text, between):
    """Return a comment as roff, with the request for a further paragraph. Lines that a tab indents are code."""
    inset = 4 if between == ".PP\n" else 11
    parts = []
    for kind, lines in itertools.groupby(text.split("\n"), lambda line: line[:1] if line[:1] in ("", "\t") else "prose"):
        if kind == "prose":
            parts.append((between if parts else "") + re.sub(r"`([^`\n]+)`", r"\\fB\1\\fR", roff("\n".join(lines))))
        elif kind == "\t":
            parts.append(".RS %d\n.nf\n%s\n.fi\n.RE" % (inset, "\n".join(roff(line[1:].expandtabs(4)) for line in lines)))
    return "".join(part + "\n" for part in parts)


def entry(code, comment, macro=".TP"):
    """Return a declaration in bold and its comment, indented."""
    between = "" if macro == ".TP" else ".IP\n"
    return "%s\n\\fB%s\\fR\n%s%s" % (macro, roff(code), between, paragraphs(comment, ".IP\n") if comment else "")


def aggregate_entry(item):
    head = AGGREGATE.match(item.code)[1]
    members = "".join(entry(member.code, member.comment) for member in item.members)
    return ".SS %s\n%s%s" % (roff(head), paragraphs(item.comment, ".PP\n") if item.comment else "", members)


def see_also(header, groups):
    group = next(headers for _, headers in groups if header in headers)
    names = ["libf2fskit"] + [page_name(other) for other in group if other != header]
    return ",\n".join(".BR %s (3)" % name for name in names).replace(" (3),", " (3),") + "\n"


def header_page(text, header, groups, version):
    title = next(headers[header] for _, headers in groups if header in headers)
    head, prose, items = read_header(text)
    functions, types, constants = "", "", ""
    names = []
    for item in items:
        if found := FUNCTION.match(item.code):
            names.append(found[2])
            functions += entry(found[1] + ";", item.comment, ".HP")
        elif item.code.startswith("typedef"):
            types += entry(item.code, item.comment)
        elif found := DEFINE.match(item.code):
            constants += entry("%s %s" % found.groups(), item.comment) if found[1] != "F2FS_API" else ""
        elif item.members and re.match("enum {", item.code):
            constants += "".join(entry(member.code, member.comment or item.comment) for member in item.members)
        elif item.members:
            types += aggregate_entry(item)
    name = page_name(header)
    page = '.\\" Made from include/f2fskit/%s.h by man/header_page.py.\n' % header
    page += '.TH %s 3 "" "f2fskit %s" "Library Functions Manual"\n.nh\n.ad l\n' % (name.upper(), version)
    page += ".SH NAME\n%s \\- %s\n" % (", ".join([name] + names), roff(title[0].lower() + title[1:]))
    page += ".SH SYNOPSIS\n.B #include <f2fskit/%s.h>\n.PP\n.B cc prog.c $(pkg\\-config \\-\\-cflags \\-\\-libs f2fskit)\n" % header
    page += ".SH DESCRIPTION\n" + paragraphs("\n\n".join([head] + prose), ".PP\n")
    for heading, body in (("FUNCTIONS", functions), ("TYPES", types), ("CONSTANTS AND MACROS", constants)):
        page += ".SH %s\n%s" % (heading, body) if body else ""
    return page + ".SH SEE ALSO\n" + see_also(header, groups)


def list_pages(groups):
    """Return the pages of all headers, by their groups."""
    text = ""
    for title, headers in groups:
        text += ".SS %s\n" % roff(title)
        text += "".join(".TP\n.BR %s (3)\n%s\n" % (page_name(header), roff(what)) for header, what in headers.items())
    return text.rstrip("\n")


def main():
    pages, source, output, version = sys.argv[1:]
    groups = read_groups(pathlib.Path(pages).read_text(encoding="utf-8"))
    source = pathlib.Path(source)
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".h":
        page = header_page(text, source.stem, groups, version)
    else:
        page = text.replace("@PAGES@", list_pages(groups)).replace("@VERSION@", version)
    pathlib.Path(output).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
