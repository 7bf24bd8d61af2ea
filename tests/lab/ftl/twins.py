# SPDX-License-Identifier: LGPL-2.1-or-later
"""The flash models once more, slowly and word by word: no maps, every question is answered by looking at all pages.

A page is an object that knows its logical page and the number of its write. It is live when it is the newest of its
logical page. Blocks are lists with one place for each page.
"""


class Page:
    def __init__(self, logical, write):
        self.logical, self.write = logical, write


class Block:
    def __init__(self, size):
        self.places = [None] * size
        self.wear = 0
        self.wipe()

    def wipe(self):
        self.places = [None] * len(self.places)
        self.next = 0

    def put(self, index, page):
        assert index >= self.next and self.places[index] is None
        self.places[index] = page
        self.next = index + 1

    def is_full(self):
        return self.next == len(self.places)


class Twin:
    """What all have in common; a model has write_page(logical) and may have more."""

    def __init__(self, pages, size, spare, **keys):
        self.pages, self.size = pages, size
        self.free = [Block(size) for _ in range(-(-pages // size) + spare)]
        self.all = list(self.free)
        self.newest = {}  # logical page -> Page
        self.data = {}    # logical block -> Block
        self.writes = 0
        self.counts = dict.fromkeys(("programs", "copies", "erases", "full", "partial", "switches", "dead"), 0)
        self.begin(**keys)

    def begin(self):
        pass

    def take(self):
        return self.free.pop(0)

    def erase(self, block):
        assert not self.live_of(block)
        block.wipe()
        block.wear += 1
        self.free.append(block)
        self.counts["erases"] += 1

    def live_of(self, block):
        return [page for page in block.places if page and self.newest.get(page.logical) is page]

    def holds(self, block, logical):
        """Is the newest page of this logical page in the block?"""
        return logical in self.newest and self.newest[logical] in block.places

    def program(self, block, index, logical):
        self.writes += 1
        self.newest[logical] = Page(logical, self.writes)
        block.put(index, self.newest[logical])
        self.counts["programs"] += 1

    def copy(self, block, index, logical):
        self.newest[logical] = Page(logical, self.newest[logical].write)
        block.put(index, self.newest[logical])
        self.counts["programs"] += 1
        self.counts["copies"] += 1

    def pages_of(self, lbn):
        return range(lbn * self.size, min((lbn + 1) * self.size, self.pages))

    def in_place(self, logical):
        lbn, index = divmod(logical, self.size)
        if lbn not in self.data:
            self.data[lbn] = self.take()
        if index < self.data[lbn].next:
            return False
        self.program(self.data[lbn], index, logical)
        return True

    def become_data(self, lbn, block):
        if lbn in self.data:
            self.erase(self.data[lbn])
        self.data[lbn] = block

    def merge_full(self, lbn):
        block = self.take()
        for page in self.pages_of(lbn):
            if page in self.newest:
                self.copy(block, page % self.size, page)
        self.become_data(lbn, block)
        self.counts["full"] += 1

    def merge_log(self, log):
        """Empty a log block in the cheapest way that its contents allow."""
        pages = [page for page in log.places[:log.next]]
        lbns = {page.logical // self.size for page in pages}
        live = self.live_of(log)
        if not live:
            self.counts["dead"] += 1
            self.erase(log)
            return
        in_order = all(page.logical % self.size == index for index, page in enumerate(pages))
        if in_order and len(lbns) == 1:
            lbn = lbns.pop()
            old = self.data.get(lbn)
            mine = [page for page in self.pages_of(lbn) if old and self.holds(old, page)]
            if not any(page % self.size < log.next for page in mine):
                for page in mine:
                    self.copy(log, page % self.size, page)
                self.become_data(lbn, log)
                self.counts["partial" if mine else "switches"] += 1
                return
        while live:
            self.merge_full(live[0].logical // self.size)
            live = self.live_of(log)
        self.erase(log)

    def trim(self, logical):
        if logical not in self.newest:
            return
        lbn = logical // self.size
        was_in_data = lbn in self.data and self.holds(self.data[lbn], logical)
        del self.newest[logical]
        if was_in_data and not self.live_of(self.data[lbn]):
            self.erase(self.data.pop(lbn))

    def read(self, logical):
        """The number of the write that is found, by looking everywhere; 0: nothing."""
        found = [page.write for block in self.all for page in self.live_of(block) if page.logical == logical]
        assert len(found) <= 1
        return found[0] if found else 0


class PageMap(Twin):
    def begin(self, streams=1):
        self.streams = [dict(block=None, follows=None, used=0) for _ in range(streams)]
        self.cleaner, self.now = None, 0
        self.listed = []  # full blocks, the one that changed last at the end

    def touch(self, block):
        self.listed.remove(block)
        self.listed.append(block)

    def roomy(self, block):
        if block and block.is_full():
            self.listed.append(block)
            block = None
        return block or self.take()

    def clean(self):
        least = min(len(self.live_of(block)) for block in self.listed)
        victim = [block for block in self.listed if len(self.live_of(block)) == least][-1]
        self.listed.remove(victim)
        for page in self.live_of(victim):
            self.cleaner = self.roomy(self.cleaner)
            self.copy(self.cleaner, self.cleaner.next, page.logical)
        self.erase(victim)

    def owner(self, logical):
        return next((block for block in self.listed if self.holds(block, logical)), None)

    def write_page(self, logical):
        fits = [stream for stream in self.streams if stream["follows"] == logical]
        stream = fits[0] if fits else min(self.streams, key=lambda stream: stream["used"])
        stream["block"] = self.roomy(stream["block"])
        self.now += 1
        stream["used"], stream["follows"] = self.now, logical + 1
        old = self.owner(logical)
        self.program(stream["block"], stream["block"].next, logical)
        if old:
            self.touch(old)
        while len(self.free) < 2:
            self.clean()

    def trim(self, logical):
        old = self.owner(logical)
        self.newest.pop(logical, None)
        if old:
            self.touch(old)


class BlockMap(Twin):
    def begin(self):
        self.lbn = self.new = None

    def fill_up(self, end):
        pages = [page for page in self.pages_of(self.lbn)
                 if self.new.next <= page % self.size < end and page in self.newest]
        for page in pages:
            self.copy(self.new, page % self.size, page)
        return bool(pages)

    def finish(self):
        if self.lbn is None:
            return
        tail = self.fill_up(self.size)
        self.counts["full" if self.is_copied else "partial" if tail else "switches"] += 1
        self.become_data(self.lbn, self.new)
        self.lbn = None

    def write_page(self, logical):
        lbn, index = divmod(logical, self.size)
        if self.lbn == lbn and index < self.new.next:
            self.finish()
        if self.lbn != lbn:
            if self.in_place(logical):
                return
            self.finish()
            self.lbn, self.new, self.is_copied = lbn, self.take(), False
        if self.fill_up(index):
            self.is_copied = True
        self.program(self.new, index, logical)

    def trim(self, logical):
        if logical in self.newest and self.lbn == logical // self.size:
            self.finish()
        super().trim(logical)


class Sast(Twin):
    def begin(self, logs=8, k=4, n=2):
        self.logs, self.k, self.n = logs, k, n
        self.sets = {}  # set -> its log blocks, the oldest first; the set that was written last is the last one

    def reclaim(self, number):
        log = self.sets[number].pop(0)
        if not self.sets[number]:
            del self.sets[number]
        self.merge_log(log)

    def write_page(self, logical):
        if self.in_place(logical):
            return
        number = logical // self.size // self.k
        mine = self.sets.get(number, [])
        if not mine or mine[-1].is_full():
            if len(mine) == self.n:
                self.reclaim(number)
            elif sum(map(len, self.sets.values())) == self.logs:
                self.reclaim(next(iter(self.sets)))
            mine = self.sets.get(number, [])
            mine.append(self.take())
        self.sets.pop(number, None)
        self.sets[number] = mine
        self.program(mine[-1], mine[-1].next, logical)


class Bast(Sast):
    def begin(self, logs=8):
        super().begin(logs, 1, 1)


class Fast(Twin):
    def begin(self, logs=8):
        self.random, self.limit = [], logs - 1
        self.lbn = self.sequential = None

    def close(self):
        if self.lbn is not None:
            self.lbn = None
            self.merge_log(self.sequential)

    def write_page(self, logical):
        lbn, index = divmod(logical, self.size)
        if self.lbn == lbn and index and index == self.sequential.next:
            self.program(self.sequential, index, logical)
            return
        if self.lbn == lbn:
            self.close()
        if self.in_place(logical):
            return
        if index == 0:
            self.close()
            self.lbn, self.sequential = lbn, self.take()
            self.program(self.sequential, 0, logical)
            return
        if not self.random or self.random[-1].is_full():
            if len(self.random) == self.limit:
                self.merge_log(self.random.pop(0))
            self.random.append(self.take())
        self.program(self.random[-1], self.random[-1].next, logical)


class Pool:
    """Blocks that are appended to, at most so many. The full ones are in a list, the one that changed last at the end."""

    def __init__(self, twin, most):
        self.twin, self.most, self.mine, self.full = twin, most, [], []

    def roomy(self, block):
        if block and block.is_full():
            self.full.append(block)
            block = None
        if not block:
            assert len(self.mine) < self.most
            block = self.twin.take()
            self.mine.append(block)
        return block

    def owner(self, logical):
        return next((block for block in self.full if self.twin.holds(block, logical)), None)

    def touch(self, block):
        if block:
            self.full.remove(block)
            self.full.append(block)

    def victim(self):
        least = min(len(self.twin.live_of(block)) for block in self.full)
        return [block for block in self.full if len(self.twin.live_of(block)) == least][-1]

    def erase(self, block):
        self.twin.erase(block)
        self.mine.remove(block)

    def clean(self, put):
        """Empty one block, whose live pages put(page) takes elsewhere; return these."""
        victim = self.victim()
        self.full.remove(victim)
        pages = self.twin.live_of(victim)
        for page in pages:
            put(page)
        self.erase(victim)
        return [page.logical for page in pages]

    def is_short(self):
        return self.most - len(self.mine) < 2


class Dftl(Twin):
    def begin(self, cache=8192, entry=4):
        self.per_page = 4096 // entry
        blocks = -(-self.pages // self.size)
        own = -(-(-(-self.pages // self.per_page)) // self.size)
        most = own + 3 + own * (len(self.all) - blocks) // blocks
        self.map, self.data = Pool(self, most), Pool(self, len(self.all) - most)
        self.host = self.moved = self.translation = None
        self.cache, self.probation, self.protected = cache, [], []  # the oldest entry first
        self.stored = {}    # translation page -> {logical page: its place}
        self.counts |= dict.fromkeys(("map_lookups", "map_hits", "map_reads", "map_writes"), 0)

    def range_of(self, number):
        return range(number * self.per_page, min((number + 1) * self.per_page, self.pages))

    def place(self, logical):
        found = [(number, block.places.index(self.newest[logical])) for number, block in enumerate(self.all)
                 if self.holds(block, logical)]
        return found[0] if found else None

    def is_changed(self, logical):
        """A page may have come back to the place that its translation page says."""
        return self.place(logical) != self.stored.get(logical // self.per_page, {}).get(logical)

    def write_entry(self, number):
        if number in self.stored:
            self.counts["map_reads"] += 1
        name = ("map", number)
        old = self.map.owner(name)
        self.newest.pop(name, None)
        self.map.touch(old)
        self.translation = self.map.roomy(self.translation)
        self.newest[name] = Page(name, 0)
        self.translation.put(self.translation.next, self.newest[name])
        self.counts["programs"] += 1
        self.counts["map_writes"] += 1
        self.stored[number] = {page: self.place(page) for page in self.range_of(number)}
        while self.map.is_short():
            self.map.clean(self.move_map)

    def move_map(self, page):
        self.translation = self.map.roomy(self.translation)
        self.copy(self.translation, self.translation.next, page.logical)

    def move_data(self, page):
        self.moved = self.data.roomy(self.moved)
        self.copy(self.moved, self.moved.next, page.logical)

    def read_page(self, logical):
        self.counts["map_lookups"] += 1
        if logical in self.probation + self.protected:
            self.counts["map_hits"] += 1
            (self.probation if logical in self.probation else self.protected).remove(logical)
            self.protected.append(logical)
            if len(self.protected) > min(self.cache, self.pages) // 2:
                self.probation.append(self.protected.pop(0))
            return
        if len(self.probation + self.protected) == min(self.cache, self.pages):
            if self.is_changed(self.probation[0]):
                self.write_entry(self.probation[0] // self.per_page)
            self.probation.pop(0)
        self.counts["map_reads"] += logical // self.per_page in self.stored
        self.probation.append(logical)

    def write_page(self, logical):
        self.read_page(logical)
        self.host = self.data.roomy(self.host)
        old = self.data.owner(logical)
        self.program(self.host, self.host.next, logical)
        self.data.touch(old)
        while self.data.is_short():
            for page in self.data.clean(self.move_data):
                if page not in self.probation + self.protected and self.is_changed(page):
                    self.write_entry(page // self.per_page)

    def trim(self, logical):
        if logical in self.newest:
            self.read_page(logical)
            old = self.data.owner(logical)
            del self.newest[logical]
            self.data.touch(old)


class MultiStream(Twin):
    def begin(self, streams=1):
        self.blocks = Pool(self, len(self.all))
        self.host, self.moved = [None] * streams, [None] * streams
        self.stream, self.stream_of = 0, {}

    def append(self, filled, stream):
        filled[stream] = self.blocks.roomy(filled[stream])
        self.stream_of[id(filled[stream])] = stream
        return filled[stream]

    def move(self, page):
        block = self.append(self.moved, self.stream_of[id(self.victim)])
        self.copy(block, block.next, page.logical)

    def write_page(self, logical):
        block = self.append(self.host, self.stream if self.stream < len(self.host) else 0)
        old = self.blocks.owner(logical)
        self.program(block, block.next, logical)
        self.blocks.touch(old)
        while self.blocks.is_short():
            self.victim = self.blocks.victim()
            self.blocks.clean(self.move)

    def trim(self, logical):
        old = self.blocks.owner(logical)
        self.newest.pop(logical, None)
        self.blocks.touch(old)


MODELS = {"page": PageMap, "block": BlockMap, "bast": Bast, "fast": Fast, "sast": Sast, "dftl": Dftl, "multi": MultiStream}
