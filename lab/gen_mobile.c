/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An application of a phone: it makes files in many directories (caches), changes blocks of databases with fsyncs, and
 * sometimes multimedia files. The table of a study (mobile.def) has the amounts. The next kind of work is chosen at
 * random by the remaining amounts, so that all end together.
 */
#include "lab/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 };

struct mobile_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_mobile.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(mobile_params, key, kind, standard, min, max, help)
#include "lab/gen_mobile.def"
#undef PARAM
};

/* What there is to do in a round. */
enum work { MAKE, APPEND, UPDATE, MEDIA_APPEND, MEDIA_UPDATE, FSYNC, CHECKPOINT, WORKS };

static const struct application {
	const char *name;
	uint32_t files, appended, updated, media_appended, media_updated, fsyncs, directories;
} applications[] = {
#define APPLICATION(name, ...) { #name, __VA_ARGS__ },
#include "lab/mobile.def"
#undef APPLICATION
};

struct mobile {
	const struct application *app;
	uint64_t left[WORKS]; /* of this round */
	struct lab_zipf zipf;
	uint64_t prepared;    /* steps of round 0 that were taken */
	uint64_t made, gone;  /* new files: all, and those removed of them */
	uint64_t size;	      /* of the newest file, blocks */
	uint64_t media_size;  /* of the first multimedia file, blocks */
	uint32_t changed;     /* the file that was changed last */
	uint8_t has_begun;
};

static int start(struct lab_source *source)
{
	const struct mobile_params *p = source->params;
	struct mobile *m = source->state;

	for (size_t i = 0; i < sizeof(applications) / sizeof(applications[0]); i++)
		if (strcmp(applications[i].name, p->application) == 0)
			m->app = &applications[i];
	if (!m->app) {
		snprintf(source->error, sizeof(source->error),
			 "application: '%.32s' is none of those that f2fs-lab list has", p->application);
		return -1;
	}
	lab_zipf_start(&m->zipf, p->databases * p->blocks, p->theta);
	m->media_size = p->blocks;
	return 0;
}

/* Numbers of files: databases, then multimedia files, then those that come and go. */
static uint32_t media_file(const struct mobile_params *p, uint64_t i)
{
	return (uint32_t)(p->databases + i);
}

static uint32_t new_file(const struct mobile_params *p, uint64_t i)
{
	return (uint32_t)(p->databases + p->media + i % (p->kept + 1));
}

static int write_blocks(struct mobile *m, struct lab_op *op, uint32_t file, uint64_t block, uint64_t count)
{
	m->changed = file;
	op->kind = LAB_OP_WRITE;
	op->file = file;
	op->offset = block * BLOCK;
	op->length = count * BLOCK;
	return 0;
}

/* Make a file; its name is in source->name. */
static int create(struct lab_source *source, struct lab_op *op, uint32_t file)
{
	op->kind = LAB_OP_CREATE;
	op->file = file;
	op->name = source->name;
	return 0;
}

/* Round 0: databases and multimedia files, two steps each. */
static int prepare(struct lab_source *source, struct lab_op *op)
{
	const struct mobile_params *p = source->params;
	struct mobile *m = source->state;
	const uint32_t file = (uint32_t)(m->prepared / 2);

	if (m->prepared == 2 * (p->databases + p->media))
		return LAB_END;
	if (m->prepared++ % 2)
		return write_blocks(m, op, file, 0, p->blocks);
	snprintf(source->name, sizeof(source->name), file < p->databases ? "databases/%u" : "media/%u.mp4", file);
	return create(source, op, file);
}

static void begin(const struct mobile_params *p, struct mobile *m)
{
	const struct application *a = m->app;
	const double all[WORKS] = { [MAKE] = a->files,
				    [APPEND] = a->appended,
				    [UPDATE] = a->updated,
				    [MEDIA_APPEND] = a->media_appended,
				    [MEDIA_UPDATE] = a->media_updated,
				    [FSYNC] = a->fsyncs,
				    [CHECKPOINT] = (double)p->checkpoints / p->scale };

	for (unsigned i = 0; i < WORKS; i++)
		m->left[i] = (uint64_t)(all[i] * p->scale + 0.5);
	m->has_begun = 1;
}

/* Choose the next kind of work by the remaining amounts; WORKS when nothing is left. */
static enum work choose(struct lab_random *random, const struct mobile *m)
{
	uint64_t sum = 0, at;
	unsigned i = 0;

	for (unsigned k = 0; k < WORKS; k++)
		sum += m->left[k];
	if (sum == 0)
		return WORKS;
	at = lab_random_below(random, sum);
	while (at >= m->left[i])
		at -= m->left[i++];
	return (enum work)i;
}

static int make_file(struct lab_source *source, struct lab_op *op)
{
	const struct mobile_params *p = source->params;
	struct mobile *m = source->state;
	const uint64_t folder = lab_random_below(&source->random, m->app->directories);

	m->size = 0;
	snprintf(source->name, sizeof(source->name), "cache/%" PRIu64 "/%" PRIu64, folder, m->made);
	return create(source, op, new_file(p, m->made++));
}

/* Blocks are appended to the newest file, as many as keep files alike. */
static int append(struct lab_source *source, struct lab_op *op)
{
	const struct mobile_params *p = source->params;
	struct mobile *m = source->state;
	const uint64_t mean = m->app->appended / m->app->files + 1;
	const uint64_t most = m->left[APPEND] + 1, want = 1 + lab_random_below(&source->random, mean);
	const uint64_t n = want < most ? want : most, at = m->size;

	m->left[APPEND] -= n - 1; /* one of them was taken by who chose it */
	if (m->made == 0) {
		m->left[APPEND] += n;
		m->left[MAKE] -= m->left[MAKE] > 0;
		return make_file(source, op);
	}
	m->size += n;
	return write_blocks(m, op, new_file(p, m->made - 1), at, n);
}

static int update(struct lab_source *source, struct lab_op *op)
{
	const struct mobile_params *p = source->params;
	struct mobile *m = source->state;
	const uint64_t block = lab_scatter(lab_zipf_next(&m->zipf, &source->random), p->databases * p->blocks);

	return write_blocks(m, op, (uint32_t)(block / p->blocks), block % p->blocks, 1);
}

/* With six files each gets a sixth: in the study one has 106 of YouTube's 599. */
static int update_media(struct lab_source *source, struct lab_op *op)
{
	const struct mobile_params *p = source->params;
	struct mobile *m = source->state;
	const uint64_t file = lab_random_below(&source->random, p->media);

	return write_blocks(m, op, media_file(p, file), lab_random_below(&source->random, p->blocks), 1);
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct mobile_params *p = source->params;
	struct mobile *m = source->state;
	enum work work;

	if (source->round == 0)
		return prepare(source, op);
	if (!m->has_begun)
		begin(p, m);
	if (m->made - m->gone > p->kept) {
		op->kind = LAB_OP_REMOVE;
		op->file = new_file(p, m->gone++);
		m->changed = op->file == m->changed ? 0 : m->changed;
		return 0;
	}
	work = choose(&source->random, m);
	if (work == WORKS) {
		m->has_begun = 0;
		return LAB_END;
	}
	m->left[work]--;
	switch (work) {
	case MAKE:
		return make_file(source, op);
	case APPEND:
		return append(source, op);
	case UPDATE:
		return update(source, op);
	case MEDIA_APPEND:
		return write_blocks(m, op, media_file(p, 0), m->media_size++, 1);
	case MEDIA_UPDATE:
		return update_media(source, op);
	case FSYNC:
		op->kind = LAB_OP_FSYNC;
		op->file = m->changed;
		return 0;
	default: /* CHECKPOINT */
		op->kind = LAB_OP_SYNC;
		return 0;
	}
}

const struct lab_source_type lab_source_mobile = {
	.name = "mobile",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct mobile_params),
	.state_size = sizeof(struct mobile),
	.start = start,
	.next = next,
};
