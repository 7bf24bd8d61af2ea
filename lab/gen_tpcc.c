/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TPC-C as a pattern of writes of pages, as a buffer pool would write them: a log; warehouses and districts, few and
 * written again and again; stock and customers, by TPC-C's skewed keys; orders, their lines and history, which grow at
 * their ends; older orders, when they are delivered; and items, which are never written. As InnoDB does, a page can go
 * to a doublewrite buffer before it goes to its place.
 */
#include "lab/source.h"

#include <stdio.h>
#include <string.h>

enum { GROWING = 3, TABLES = 0, LOG = 1, TWICE = 2, FILES = 3, PIECE = 1 << 20 };

/* Writes of a hundred: the log, and tables. Shares of the pages that are there at first, of a thousand. */
enum { LOG_SHARE = 20, SMALL_SHARE = 15, STOCK_SHARE = 30, CUSTOMER_SHARE = 15, TAIL_SHARE = 18 };
enum { SMALL_PAGES = 2, STOCK_PAGES = 400, CUSTOMER_PAGES = 200 };

struct tpcc_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_tpcc.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(tpcc_params, key, kind, standard, min, max, help)
#include "lab/gen_tpcc.def"
#undef PARAM
};

struct tpcc {
	uint64_t small, stock, customers; /* pages, in that order from the start */
	uint64_t first, pages;		  /* before the first round; now */
	uint64_t filled[FILES];		  /* bytes of each file, round 0 */
	uint64_t tail[GROWING], rows[GROWING];
	uint64_t log_at, log_unsynced, twice_at;
	uint64_t written;   /* in this round */
	uint64_t page;	    /* of the tables, chosen and not written yet */
	uint64_t logs_left; /* pages of the log before it */
	enum { CHOOSE, WRITE_LOG, WRITE_TWICE, SYNC_TWICE, WRITE_PAGE } step; /* of that page */
	uint8_t created;
};

static int start(struct lab_source *source)
{
	const struct tpcc_params *p = source->params;
	struct tpcc *t = source->state;

	t->first = t->pages = p->size / p->page;
	t->small = t->first * SMALL_PAGES / 1000 + 1;
	t->stock = t->first * STOCK_PAGES / 1000;
	t->customers = t->first * CUSTOMER_PAGES / 1000;
	if (t->customers == 0 || p->log < p->page || (p->doublewrite && p->doublewrite < p->page)) {
		snprintf(source->error, sizeof(source->error), "size, log or doublewrite has no room for pages");
		return -1;
	}
	for (unsigned i = 0; i < GROWING; i++) {
		t->tail[i] = t->pages - 1 - i; /* the last pages are those that are filled now */
		t->rows[i] = i;
	}
	return 0;
}

static int prepare(struct lab_source *source, struct lab_op *op)
{
	const struct tpcc_params *p = source->params;
	struct tpcc *t = source->state;
	const uint64_t sizes[FILES] = { t->first * p->page, p->log / p->page * p->page,
					p->doublewrite / p->page * p->page };
	static const char *const names[FILES] = { "tables", "log", "doublewrite" };

	for (uint32_t file = 0; file < (p->doublewrite ? FILES : TWICE); file++) {
		op->file = file;
		if (t->created == file) {
			t->created++;
			op->kind = LAB_OP_CREATE;
			op->name = names[file];
			return 0;
		}
		if (t->filled[file] == sizes[file])
			continue;
		op->kind = LAB_OP_WRITE;
		op->offset = t->filled[file];
		op->length = sizes[file] - op->offset < PIECE ? sizes[file] - op->offset : PIECE;
		t->filled[file] += op->length;
		return 0;
	}
	return LAB_END;
}

/* NURand(A, 0, n - 1): with A the largest power of two less 1 below an eighth, as TPC-C has it for its keys. */
static uint64_t nurand(struct lab_random *r, uint64_t n)
{
	uint64_t a = 1;

	while (a * 8 < n)
		a *= 2;
	return ((lab_random_next(r) & (a - 1)) | lab_random_below(r, n)) % n;
}

/* The page that a growing table writes now; when it is full the next one is at the end of the file. */
static uint64_t tail_page(const struct tpcc_params *p, struct tpcc *t, unsigned table)
{
	if (t->rows[table] >= p->rows) {
		t->tail[table] = t->pages++;
		t->rows[table] = 0;
	}
	t->rows[table]++;
	return t->tail[table];
}

static uint64_t choose(const struct tpcc_params *p, struct tpcc *t, struct lab_random *r, unsigned dice)
{
	const uint64_t written = t->small + t->stock + t->customers;

	if (dice < SMALL_SHARE)
		return lab_random_below(r, t->small);
	dice -= SMALL_SHARE;
	if (dice < STOCK_SHARE)
		return t->small + nurand(r, t->stock);
	dice -= STOCK_SHARE;
	if (dice < CUSTOMER_SHARE)
		return t->small + t->stock + nurand(r, t->customers);
	dice -= CUSTOMER_SHARE;
	if (dice < TAIL_SHARE)
		return tail_page(p, t, dice % GROWING);
	return written + lab_random_below(r, t->pages - written); /* an order is delivered */
}

static int write_log(const struct tpcc_params *p, struct tpcc *t, struct lab_op *op)
{
	op->file = LOG;
	op->offset = t->log_at++ % (p->log / p->page) * p->page;
	t->log_unsynced++;
	return 0;
}

/* What comes before a page of the tables, and the page itself: an operation each time. */
static int write_page(const struct tpcc_params *p, struct tpcc *t, struct lab_op *op)
{
	const uint64_t room = p->doublewrite / p->page;

	if (t->step == WRITE_LOG && t->logs_left > 0) {
		t->logs_left--;
		return write_log(p, t, op);
	}
	if (t->step == WRITE_LOG && room > 0) {
		op->file = TWICE;
		op->offset = t->twice_at++ % room * p->page;
		t->step = t->twice_at % room ? WRITE_PAGE : SYNC_TWICE;
		return 0;
	}
	if (t->step == SYNC_TWICE) {
		op->kind = LAB_OP_FSYNC;
		op->file = TWICE;
		t->step = WRITE_PAGE;
		return 0;
	}
	t->step = CHOOSE;
	op->file = TABLES;
	op->offset = t->page * p->page;
	return 0;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct tpcc_params *p = source->params;
	struct tpcc *t = source->state;
	unsigned dice;

	if (source->round == 0)
		return prepare(source, op);
	if (p->sync_every && t->log_unsynced >= p->sync_every) {
		t->log_unsynced = 0;
		op->kind = LAB_OP_FSYNC;
		op->file = LOG;
		return 0;
	}
	op->kind = LAB_OP_WRITE;
	op->length = p->page;
	if (t->step != CHOOSE)
		return write_page(p, t, op);
	if (p->step ? (t->pages - t->first) * p->page >= p->step * source->round : t->written == p->writes) {
		t->written = 0;
		return LAB_END;
	}
	t->written++;
	dice = (unsigned)lab_random_below(&source->random, 100);
	if (dice < LOG_SHARE)
		return write_log(p, t, op);
	if (p->growth > 0 && lab_random_unit(&source->random) < p->growth)
		t->page = tail_page(p, t, dice % GROWING);
	else
		t->page = choose(p, t, &source->random, dice - LOG_SHARE);
	t->logs_left = p->redo;
	t->step = WRITE_LOG;
	return write_page(p, t, op);
}

const struct lab_source_type lab_source_tpcc = {
	.name = "tpcc",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct tpcc_params),
	.state_size = sizeof(struct tpcc),
	.start = start,
	.next = next,
};
