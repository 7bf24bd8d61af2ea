/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filebench's fileserver, varmail, videoserver and oltp: threads that go through the steps of their personality, each
 * turn with a file of its own choice. The next thread is chosen at random, so the steps of all are mixed.
 */
#include "lab/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum step {
	STEP_END,
	STEP_CREATE,
	STEP_WHOLE,
	STEP_PICK,
	STEP_APPEND,
	STEP_READ,
	STEP_REMOVE,
	STEP_FSYNC,
	STEP_RANDOM
};
enum { STEPS = 16, TRIES = 16 };
#define NO_FILE UINT32_MAX

/* X(key, kind, default, min, max, help); personalities differ in some defaults. */
#define PARAMS(X, files_, size_, fixed_, append_, threads_, share_)                                                    \
	X(files, COUNT, files_, 2, 4e6, "how many there may be")                                                       \
	X(directories, COUNT, "100", 1, 1e6, "that they are spread over")                                              \
	X(size, SIZE, size_, 1, 1e12, "of a file, mean of a gamma distribution; with fixed_size of each")              \
	X(fixed_size, FLAG, fixed_, 0, 0, "all files have one size")                                                   \
	X(append, SIZE, append_, 1, 67108864, "most that is appended at once; length of a write at a random place")    \
	X(threads, COUNT, threads_, 1, 10000, "whose steps are mixed at random")                                       \
	X(request, SIZE, "1MiB", 1, 67108864, "most that is written at once")                                          \
	X(preallocated, FRACTION, share_, 0.01, 1, "share of the files that are there before the first round")         \
	X(bytes, SIZE, "1GiB", 0, 1e15, "written in a round")
#define MEMBER(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#define ROW(key, kind, standard, min, max, help) LAB_PARAM_ROW(filebench_params, key, kind, standard, min, max, help)

struct filebench_params {
	PARAMS(MEMBER, , , , , , )
};

struct personality {
	const char *name;
	uint8_t steps[STEPS];
};
static const struct personality personalities[] = {
#define PERSONALITY(id, files, size, fixed, append, threads, share, ...) { #id, { __VA_ARGS__, STEP_END } },
#include "lab/filebench.def"
#undef PERSONALITY
};

struct thread {
	uint32_t file;
	unsigned step;
	uint64_t done; /* bytes of a whole file */
	uint64_t goal; /* its size; 0: not chosen yet */
};

struct entry {
	uint64_t size;
	uint32_t at;   /* in alive or spare */
	uint32_t busy; /* threads that chose it */
};

struct filebench {
	const struct personality *personality;
	struct thread *threads;
	struct entry *entries;
	uint32_t *alive, *spare; /* numbers of files that are there, and that are not */
	uint32_t alive_count, spare_count;
	uint64_t written; /* in this round */
	uint32_t made;	  /* in round 0 */
};

static const struct personality *personality_of(const char *name)
{
	const struct personality *p = personalities;

	while (strcmp(p->name, name) != 0)
		p++;
	return p;
}

static int start(struct lab_source *source)
{
	const struct filebench_params *p = source->params;
	struct filebench *f = source->state;

	f->personality = personality_of(source->type->name);
	f->threads = calloc((size_t)p->threads, sizeof(*f->threads));
	f->entries = calloc((size_t)p->files, sizeof(*f->entries));
	f->alive = calloc((size_t)p->files, sizeof(*f->alive));
	f->spare = calloc((size_t)p->files, sizeof(*f->spare));
	if (!f->threads || !f->entries || !f->alive || !f->spare)
		return -1;
	for (uint32_t i = 0; i < p->files; i++) {
		f->spare[i] = (uint32_t)p->files - 1 - i;
		f->entries[f->spare[i]].at = i;
	}
	f->spare_count = (uint32_t)p->files;
	for (uint64_t i = 0; i < p->threads; i++)
		f->threads[i].file = NO_FILE;
	return 0;
}

static void stop(struct lab_source *source)
{
	struct filebench *f = source->state;

	free(f->threads);
	free(f->entries);
	free(f->alive);
	free(f->spare);
}

static uint64_t choose_size(struct lab_source *source)
{
	const struct filebench_params *p = source->params;

	return p->fixed_size ? p->size : lab_random_gamma(&source->random, p->size) + 1;
}

/* Make a file that is not there: the one at `at` of spare. */
static void bring(struct lab_source *source, uint32_t at, struct lab_op *op)
{
	const struct filebench_params *p = source->params;
	struct filebench *f = source->state;
	const uint32_t file = f->spare[at], last = f->spare[--f->spare_count];

	f->spare[at] = last;
	f->entries[last].at = at;
	f->entries[file] = (struct entry){ .at = f->alive_count };
	f->alive[f->alive_count++] = file;
	op->kind = LAB_OP_CREATE;
	op->file = file;
	snprintf(source->name, sizeof(source->name), "d%u/f%u", (unsigned)(file % p->directories), (unsigned)file);
	op->name = source->name;
}

static void take_away(struct filebench *f, uint32_t file)
{
	const uint32_t at = f->entries[file].at, last = f->alive[--f->alive_count];

	f->alive[at] = last;
	f->entries[last].at = at;
	f->entries[file].at = f->spare_count;
	f->spare[f->spare_count++] = file;
}

static void leave(struct filebench *f, struct thread *t)
{
	if (t->file != NO_FILE)
		f->entries[t->file].busy--;
	t->file = NO_FILE;
}

static void hold(struct filebench *f, struct thread *t, uint32_t file)
{
	leave(f, t);
	t->file = file;
	f->entries[file].busy++;
	t->done = t->goal = 0;
}

/* Write the next part up to goal, at most one request; *ends: nothing is left then. */
static void write_on(struct lab_source *source, uint32_t file, uint64_t *done, uint64_t goal, struct lab_op *op)
{
	const struct filebench_params *p = source->params;
	struct filebench *f = source->state;

	op->kind = LAB_OP_WRITE;
	op->file = file;
	op->offset = *done;
	op->length = goal - *done < p->request ? goal - *done : p->request;
	*done += op->length;
	if (*done > f->entries[file].size)
		f->entries[file].size = *done;
	f->written += op->length;
}

/* Round 0: the files that are there before. */
static int prepare(struct lab_source *source, struct lab_op *op)
{
	const struct filebench_params *p = source->params;
	struct filebench *f = source->state;
	struct thread *t = &f->threads[0];

	if (t->goal > t->done) {
		write_on(source, t->file, &t->done, t->goal, op);
		return 0;
	}
	leave(f, t);
	f->written = 0;
	if (f->made >= (uint32_t)((double)p->files * p->preallocated)) {
		t->done = t->goal = 0;
		return LAB_END;
	}
	f->made++;
	bring(source, f->spare_count - 1, op);
	hold(f, t, op->file);
	t->goal = choose_size(source);
	return 0;
}

/* Remove a file that nobody has chosen; 0 when none is found soon. */
static int remove_one(struct lab_source *source, struct lab_op *op)
{
	struct filebench *f = source->state;

	for (unsigned i = 0; i < TRIES && f->alive_count > 1; i++) {
		const uint32_t file = f->alive[lab_random_below(&source->random, f->alive_count)];

		if (f->entries[file].busy)
			continue;
		take_away(f, file);
		op->kind = LAB_OP_REMOVE;
		op->file = file;
		return 1;
	}
	return 0;
}

static int do_create(struct lab_source *source, struct thread *t, struct lab_op *op)
{
	struct filebench *f = source->state;

	if (f->spare_count == 0)
		return 0;
	bring(source, (uint32_t)lab_random_below(&source->random, f->spare_count), op);
	hold(f, t, op->file);
	return 1;
}

/* Run a step on the thread's file. Returns 1 when it is an operation, 0 when it makes none. */
static int do_file(struct lab_source *source, struct thread *t, unsigned step, struct lab_op *op)
{
	const struct filebench_params *p = source->params;
	struct filebench *f = source->state;
	struct entry *entry = &f->entries[t->file];
	uint64_t at;

	op->file = t->file;
	switch (step) {
	case STEP_WHOLE:
		if (!t->goal)
			t->goal = choose_size(source);
		write_on(source, t->file, &t->done, t->goal, op);
		return 1;
	case STEP_APPEND:
		at = entry->size;
		write_on(source, t->file, &at, at + 1 + lab_random_below(&source->random, p->append), op);
		return 1;
	case STEP_RANDOM:
		if (entry->size < p->append)
			return 0;
		at = lab_random_below(&source->random, entry->size / p->append) * p->append;
		write_on(source, t->file, &at, at + p->append, op);
		return 1;
	case STEP_READ:
		op->kind = LAB_OP_READ;
		op->length = entry->size;
		return 1;
	default: /* STEP_FSYNC */
		op->kind = LAB_OP_FSYNC;
		return 1;
	}
}

/* One step of a thread. 1: it is an operation; 0: it makes none. */
static int go_on(struct lab_source *source, struct thread *t, struct lab_op *op)
{
	struct filebench *f = source->state;
	const unsigned step = f->personality->steps[t->step];
	int made = 0;

	switch (step) {
	case STEP_END:
		leave(f, t);
		t->step = 0;
		return 0;
	case STEP_CREATE:
		made = do_create(source, t, op);
		if (!made)
			leave(f, t);
		break;
	case STEP_PICK:
		if (f->alive_count > 0)
			hold(f, t, f->alive[lab_random_below(&source->random, f->alive_count)]);
		break;
	case STEP_REMOVE:
		leave(f, t);
		made = remove_one(source, op);
		break;
	default:
		made = t->file != NO_FILE && do_file(source, t, step, op);
		if (step == STEP_WHOLE && t->done < t->goal)
			return made; /* the file is not whole yet */
	}
	t->step++;
	return made;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct filebench_params *p = source->params;
	struct filebench *f = source->state;

	if (source->round == 0)
		return prepare(source, op);
	if (f->written >= p->bytes) {
		f->written = 0;
		return LAB_END;
	}
	for (;;) {
		const uint64_t thread = lab_random_below(&source->random, p->threads);

		*op = (struct lab_op){ .thread = (uint16_t)thread };
		if (go_on(source, &f->threads[thread], op))
			return 0;
	}
}

#define PERSONALITY(id, files, size, fixed, append, threads, share, ...)                                               \
	static const struct lab_param id##_params[] = { PARAMS(ROW, files, size, fixed, append, threads, share) };     \
	const struct lab_source_type lab_source_##id = {                                                               \
		.name = #id,                                                                                           \
		.params = id##_params,                                                                                 \
		.param_count = sizeof(id##_params) / sizeof(id##_params[0]),                                           \
		.params_size = sizeof(struct filebench_params),                                                        \
		.state_size = sizeof(struct filebench),                                                                \
		.start = start,                                                                                        \
		.next = next,                                                                                          \
		.stop = stop,                                                                                          \
	};
#include "lab/filebench.def"
#undef PERSONALITY
