/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read I/O logs of fio, versions 2 and 3. A line has the file's name and an action; reads, writes and trims also have
 * offset and length; in version 3 with microseconds before it. Lines that add, open, close, wait or trim have no
 * effect.
 */
#include "lab/import_state.h"

#include <string.h>

enum { WORDS = 5 };

struct fio {
	unsigned version; /* 0: its first line was not read yet */
	uint64_t waited;
};

static const struct {
	const char *name;
	unsigned numbers; /* after it */
	int kind;	  /* -1: no operation */
} actions[] = {
	{ "read", 2, LAB_OP_READ },	{ "write", 2, LAB_OP_WRITE },	   { "sync", 0, LAB_OP_FSYNC },
	{ "datasync", 0, LAB_OP_FSYNC }, { "sync_file_range", 2, -1 },	   { "trim", 2, -1 },
	{ "wait", 1, -1 },		{ "add", 0, -1 },		   { "open", 0, -1 },
	{ "close", 0, -1 },
};

static int head(struct lab_import *im, struct fio *f, const char *text)
{
	if (strcmp(text, "fio version 2 iolog") == 0)
		f->version = 2;
	else if (strcmp(text, "fio version 3 iolog") == 0)
		f->version = 3;
	else
		return lab_import_wrong(im, "version", "is neither of 2 nor of 3");
	return 0;
}

static int put(struct lab_import *im, int kind, char **words)
{
	struct lab_op op = { .kind = (uint8_t)kind };
	struct lab_import_file *file;

	if (kind != LAB_OP_FSYNC && (lab_import_number(im, "offset", words[2], LAB_IMPORT_END, &op.offset) ||
				     lab_import_number(im, "length", words[3], LAB_IMPORT_END, &op.length)))
		return -1;
	if (!lab_import_is_wanted(im, words[0]))
		return 0;
	file = lab_import_file(im, words[0]);
	if (!file)
		return -1;
	op.file = file->number;
	return lab_import_put(im, &op, 0);
}

static int act(struct lab_import *im, char **words, unsigned count)
{
	struct fio *f = im->state;
	uint64_t us;

	for (unsigned i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(words[1], actions[i].name) != 0)
			continue;
		if (count < 2 + actions[i].numbers)
			return lab_import_wrong(im, words[1], "offset or length is missing");
		if (actions[i].kind >= 0)
			return put(im, actions[i].kind, words);
		if (strcmp(words[1], "wait") != 0)
			return 0;
		if (lab_import_number(im, "wait", words[2], UINT32_MAX, &us))
			return -1;
		f->waited += us;
		if (f->version == 2)
			lab_import_time(im, f->waited);
		return 0;
	}
	return lab_import_wrong(im, "action", "is none of fio's");
}

static int line(struct lab_import *im, char *text)
{
	struct fio *f = im->state;
	char *words[WORDS + 1], *at = text, *rest = NULL;
	unsigned count = 0;
	uint64_t us;

	if (f->version == 0)
		return head(im, f, text);
	while (count < WORDS && (words[count] = strtok_r(at, " \t", &rest)) != NULL) {
		at = NULL;
		count++;
	}
	if (f->version == 3 && count > 0) {
		if (lab_import_number(im, "time", words[0], UINT64_MAX, &us))
			return -1;
		lab_import_time(im, us);
		memmove(words, words + 1, --count * sizeof(words[0]));
	}
	if (count < 2)
		return lab_import_wrong(im, "action", "is missing");
	return act(im, words, count);
}

const struct lab_import_format lab_import_fio = { .state_size = sizeof(struct fio), .line = line };
