/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * YCSB's core loads A to F over a tree of pages in one file, as a pattern of reads and writes of pages. Popular records
 * are scattered over the key space, as YCSB does; of load D the latest are the popular ones.
 */
#include "lab/source.h"

#include <stdio.h>
#include <string.h>

struct ycsb_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_ycsb.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(ycsb_params, key, kind, standard, min, max, help)
#include "lab/gen_ycsb.def"
#undef PARAM
};

/* Of 100 operations: updates, inserts, reads followed by a change; the rest reads. */
static const struct load {
	char name;
	uint8_t updates, inserts, changes;
	uint8_t latest;
} loads[] = { { 'A', 50, 0, 0, 0 }, { 'B', 5, 0, 0, 0 }, { 'C', 0, 0, 0, 0 },
	      { 'D', 0, 5, 0, 1 },  { 'E', 0, 5, 0, 0 }, { 'F', 0, 0, 50, 0 } };

struct ycsb {
	const struct load *load;
	struct lab_zipf zipf;
	uint64_t per_page, records; /* now */
	uint64_t first;		    /* records before the first round */
	uint64_t filled;	    /* bytes of the file, round 0 */
	uint64_t done, unsynced;
	double drifted; /* records, below their number */
	uint64_t change; /* page that was read and is to be written, and 1; 0: none */
	uint8_t is_created;
};

static int start(struct lab_source *source)
{
	const struct ycsb_params *p = source->params;
	struct ycsb *y = source->state;

	for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		if (p->load[0] == loads[i].name && p->load[1] == '\0')
			y->load = &loads[i];
	y->per_page = p->page / p->record;
	if (!y->load || y->per_page == 0) {
		snprintf(source->error, sizeof(source->error), "%s",
			 y->load ? "a page has no room for a record" : "load is none of A, B, C, D, E, F");
		return -1;
	}
	y->first = p->bytes ? p->bytes / p->page * y->per_page : p->records;
	if (y->first == 0 || (p->step > 0 && p->inserts <= 0 && y->load->inserts == 0)) {
		snprintf(source->error, sizeof(source->error), "%s",
			 y->first ? "step needs a load that inserts" : "bytes has no room for a page");
		return -1;
	}
	y->records = y->first;
	lab_zipf_start(&y->zipf, y->first, p->theta);
	return 0;
}

static int prepare(struct lab_source *source, struct lab_op *op)
{
	const struct ycsb_params *p = source->params;
	struct ycsb *y = source->state;
	const uint64_t size = (y->first + y->per_page - 1) / y->per_page * p->page;

	if (!y->is_created) {
		y->is_created = 1;
		op->kind = LAB_OP_CREATE;
		op->name = "records";
		return 0;
	}
	if (y->filled == size)
		return LAB_END;
	op->kind = LAB_OP_WRITE;
	op->offset = y->filled;
	op->length = size - y->filled < 1 << 20 ? size - y->filled : 1 << 20;
	y->filled += op->length;
	return 0;
}

static uint64_t choose(struct lab_source *source)
{
	const struct ycsb_params *p = source->params;
	struct ycsb *y = source->state;
	const uint64_t rank = lab_zipf_next(&y->zipf, &source->random);
	/* records that were inserted move no popular ones */
	const uint64_t count = p->inserts > 0 ? y->first : y->records;

	if (y->load->latest)
		return y->records - 1 - rank % y->records;
	y->drifted += p->drift;
	while (y->drifted >= (double)count)
		y->drifted -= (double)count;
	return lab_scatter((rank + (uint64_t)y->drifted) % count, count);
}

static int page_op(struct lab_source *source, uint64_t page, int kind, struct lab_op *op)
{
	const struct ycsb_params *p = source->params;
	struct ycsb *y = source->state;

	op->kind = (uint8_t)kind;
	op->offset = page * p->page;
	op->length = p->page;
	y->unsynced += kind == LAB_OP_WRITE;
	return 0;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct ycsb_params *p = source->params;
	struct ycsb *y = source->state;
	uint64_t page, kind;

	if (source->round == 0)
		return prepare(source, op);
	if (p->sync_every && y->unsynced >= p->sync_every) {
		y->unsynced = 0;
		op->kind = LAB_OP_FSYNC;
		return 0;
	}
	if (y->change) {
		page = y->change - 1;
		y->change = 0;
		return page_op(source, page, LAB_OP_WRITE, op);
	}
	if (p->step ? (y->records - y->first) / y->per_page * p->page >= p->step * source->round
		    : y->done == p->operations) {
		y->done = 0;
		return LAB_END;
	}
	y->done++;
	if (p->inserts > 0 && lab_random_unit(&source->random) < p->inserts)
		return page_op(source, y->records++ / y->per_page, LAB_OP_WRITE, op);
	kind = lab_random_below(&source->random, 100);
	if (kind < y->load->inserts)
		return page_op(source, y->records++ / y->per_page, LAB_OP_WRITE, op);
	page = choose(source) / y->per_page;
	if (kind < y->load->updates)
		return page_op(source, page, LAB_OP_WRITE, op);
	if (kind < y->load->changes)
		y->change = page + 1;
	return page_op(source, page, LAB_OP_READ, op);
}

const struct lab_source_type lab_source_ycsb = {
	.name = "ycsb",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct ycsb_params),
	.state_size = sizeof(struct ycsb),
	.start = start,
	.next = next,
};
