# SPDX-License-Identifier: LGPL-2.1-or-later
"""A reader of pages of HTML."""
import html.parser

VOID = {"meta", "link", "br", "rect", "circle", "path", "use", "line"}


class Page(html.parser.HTMLParser):
    """Reads a page, and requires that elements close in order."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.elements, self.words = [], [], []
        self.feed(text)
        assert self.stack == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.stack.pop() == tag, self.getpos()

    def handle_data(self, data):
        self.words.append((self.stack[-1] if self.stack else "", data))

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]
