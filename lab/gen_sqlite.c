/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A database in SQLite's write-ahead mode, as a pattern of writes: each transaction appends frames to the log and makes
 * it durable; when the log is long its pages go to the database, which is made durable, and the log starts again.
 */
#include "lab/source.h"

#include <stdlib.h>

struct sqlite_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_sqlite.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(sqlite_params, key, kind, standard, min, max, help)
#include "lab/gen_sqlite.def"
#undef PARAM
};

enum { DATABASE, LOG, LOG_HEADER = 32, FRAME_HEADER = 24, CHANGED_MOST = 2 };
enum phase { CREATE_DATABASE, CREATE_LOG, FILL, FRAMES, SYNC_LOG, COPY, SYNC_DATABASE };

struct sqlite {
	enum phase phase;
	uint64_t pages, filled; /* of the database */
	uint64_t frames;	/* in the log */
	uint64_t done;		/* transactions in this round */
	uint64_t copied;	/* pages looked at by the checkpoint */
	unsigned left;		/* frames that the transaction still writes */
	uint8_t *logged;	/* pages that the log has */
};

static int start(struct lab_source *source)
{
	const struct sqlite_params *p = source->params;
	struct sqlite *s = source->state;

	s->pages = (p->records * p->record + p->page - 1) / p->page + 1; /* and the first page */
	s->logged = (size_t)s->pages == s->pages ? calloc((size_t)s->pages, 1) : NULL;
	return s->logged ? 0 : -1;
}

static void stop(struct lab_source *source)
{
	free(((struct sqlite *)source->state)->logged);
}

static int create(struct lab_op *op, uint32_t file, const char *name)
{
	op->kind = LAB_OP_CREATE;
	op->file = file;
	op->name = name;
	return 0;
}

static int write_page(struct lab_op *op, uint32_t file, uint64_t offset, uint64_t length)
{
	op->kind = LAB_OP_WRITE;
	op->file = file;
	op->offset = offset;
	op->length = length;
	return 0;
}

/* Round 0: both files, and all pages of the database. */
static int prepare(struct lab_source *source, struct lab_op *op)
{
	const struct sqlite_params *p = source->params;
	struct sqlite *s = source->state;

	switch (s->phase) {
	case CREATE_DATABASE:
		s->phase = CREATE_LOG;
		return create(op, DATABASE, "db");
	case CREATE_LOG:
		s->phase = FILL;
		return create(op, LOG, "db-wal");
	default:
		break;
	}
	if (s->filled < s->pages)
		return write_page(op, DATABASE, s->filled++ * p->page, p->page);
	s->phase = FRAMES;
	return LAB_END;
}

/* A frame of the transaction: the row's page; inserts and deletes change the first page, too. */
static int put_frame(struct lab_source *source, struct lab_op *op)
{
	const struct sqlite_params *p = source->params;
	struct sqlite *s = source->state;
	const uint64_t frame = FRAME_HEADER + p->page;
	const uint64_t page = s->left == CHANGED_MOST ? 0 : 1 + lab_random_below(&source->random, s->pages - 1);

	s->logged[page] = 1;
	if (--s->left == 0)
		s->phase = SYNC_LOG;
	if (s->frames++ == 0) /* the header goes with the first frame */
		return write_page(op, LOG, 0, LOG_HEADER + frame);
	return write_page(op, LOG, LOG_HEADER + (s->frames - 1) * frame, frame);
}

static int sync_file(struct lab_op *op, uint32_t file)
{
	op->kind = LAB_OP_FSYNC;
	op->file = file;
	return 0;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct sqlite_params *p = source->params;
	struct sqlite *s = source->state;

	if (source->round == 0)
		return prepare(source, op);
	switch (s->phase) {
	case SYNC_LOG:
		s->done++;
		s->phase = s->frames >= p->checkpoint ? COPY : FRAMES;
		s->copied = 0;
		return sync_file(op, LOG);
	case COPY:
		for (; s->copied < s->pages; s->copied++) {
			if (!s->logged[s->copied])
				continue;
			s->logged[s->copied] = 0;
			return write_page(op, DATABASE, s->copied * p->page, p->page);
		}
		s->frames = 0;
		s->phase = FRAMES;
		return sync_file(op, DATABASE);
	default:
		break;
	}
	if (s->left == 0 && s->done == p->transactions) {
		s->done = 0;
		return LAB_END;
	}
	if (s->left == 0)
		s->left = s->done % 3 == 1 ? 1 : CHANGED_MOST; /* insert, update, delete */
	return put_frame(source, op);
}

const struct lab_source_type lab_source_sqlite = {
	.name = "sqlite",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct sqlite_params),
	.state_size = sizeof(struct sqlite),
	.start = start,
	.next = next,
	.stop = stop,
};
