/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write files once: the contents of a volume before an experiment, and copies of pictures.
 */
#include "lab/source.h"

#include <stdio.h>

struct fill_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_fill.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(fill_params, key, kind, standard, min, max, help)
#include "lab/gen_fill.def"
#undef PARAM
};

struct fill {
	uint64_t left, at, size; /* bytes in all, within the file, of the file */
	uint64_t end, appended;	 /* of the last file; in this round */
	uint32_t file, files;	 /* the file, and how many remain in this round */
	uint8_t is_running, is_unsynced;
};

static int start(struct lab_source *source)
{
	(void)source;
	return 0;
}

/* Set the work of a round. */
static void begin(const struct fill_params *p, struct fill *f)
{
	f->files = p->total ? UINT32_MAX : (uint32_t)p->files;
	f->left = p->total ? p->total : UINT64_MAX;
	f->is_running = 1;
}

/* Append to the last file. */
static int append(const struct fill_params *p, struct fill *f, struct lab_op *op)
{
	op->file = f->file - 1;
	if (f->is_unsynced) {
		f->is_unsynced = 0;
		op->kind = LAB_OP_FSYNC;
		return 0;
	}
	if (f->appended >= p->append || f->file == 0) {
		f->appended = 0;
		return LAB_END;
	}
	op->kind = LAB_OP_WRITE;
	op->offset = f->end;
	op->length = p->append_request;
	f->end += op->length;
	f->appended += op->length;
	f->is_unsynced = 1;
	return 0;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct fill_params *p = source->params;
	struct fill *f = source->state;

	if (source->round > 0 && !p->in_rounds)
		return append(p, f, op);
	if (source->round == 0 && p->in_rounds)
		return LAB_END;
	if (!f->is_running)
		begin(p, f);
	op->file = f->file;
	if (f->size == 0) {
		if (f->left == 0 || f->files == 0) {
			f->is_running = 0;
			return LAB_END;
		}
		f->size = p->spread ? lab_random_gamma(&source->random, p->size) + 1 : p->size;
		f->size = f->size < f->left ? f->size : f->left;
		op->kind = LAB_OP_CREATE;
		snprintf(source->name, sizeof(source->name), "d%u/f%u%.32s", f->file / 1000, f->file, p->suffix);
		op->name = source->name;
		return 0;
	}
	op->kind = LAB_OP_WRITE;
	op->offset = f->at;
	op->length = f->size - f->at < p->request ? f->size - f->at : p->request;
	f->at += op->length;
	f->left -= f->left == UINT64_MAX ? 0 : op->length;
	if (f->at == f->size) {
		f->end = f->size;
		f->at = f->size = 0;
		f->file++;
		f->files--;
	}
	return 0;
}

const struct lab_source_type lab_source_fill = {
	.name = "fill",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct fill_params),
	.state_size = sizeof(struct fill),
	.start = start,
	.next = next,
};
