/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings of an experiment: names with dots ("source.hot.size") and their values as text, each with its line. A reader
 * gets typed settings within their bounds through a table of parameters. A setting that nothing has read in the end is
 * reported as a mistake.
 */
#ifndef F2FSKIT_LAB_CONFIG_H
#define F2FSKIT_LAB_CONFIG_H

#include <stdint.h>

struct lab_setting {
	char *key;
	char **items; /* one, or those of a list */
	unsigned count;
	unsigned line; /* 0: from the command line */
	uint8_t is_list;
	uint8_t is_used;
	uint8_t is_chosen; /* it took the place of another, or was set by the command line */
};

struct lab_config {
	const char *path; /* of the file, for messages; NULL: none */
	struct lab_setting *settings;
	unsigned count, room;
	uint64_t whole;	 /* bytes that a size of 100% is; 0: sizes cannot be so given */
	char error[512]; /* why a function failed: "file:line: key: ..." */
};

/* Make a setting, whose key must be new; the strings of items are copied. 0, or -1 with config->error. */
int lab_config_add(struct lab_config *config, const char *key, char *const *items, unsigned count, unsigned line,
		   int is_list);
/* The same, but a setting of that key is replaced. */
int lab_config_replace(struct lab_config *config, const char *key, char *const *items, unsigned count, unsigned line,
		       int is_list);
/* Set, or replace, a setting by a text KEY=VALUE of the command line. 0, or -1 with config->error. */
int lab_config_set(struct lab_config *config, const char *assignment);
/* Make a copy, as nobody had read it. */
int lab_config_copy(const struct lab_config *from, struct lab_config *to);
struct lab_setting *lab_config_find(const struct lab_config *config, const char *key);
/* Report an error in a setting: file, line, key and reason. Returns -1. */
int lab_config_wrong(struct lab_config *config, const struct lab_setting *setting, const char *why);
/* Fail with the first setting that nobody has read. */
int lab_config_all_used(struct lab_config *config);
void lab_config_free(struct lab_config *config);

/* A parameter: the place of its value in a struct, and its kind. */
enum lab_kind {
	LAB_COUNT,    /* uint64_t: a number */
	LAB_SIZE,     /* uint64_t: bytes, "20GB", "4KiB"; "60%" of the room that the volume has for users */
	LAB_FRACTION, /* double */
	LAB_FLAG,     /* uint64_t: true or false */
	LAB_WORD      /* const char *: belongs to the configuration */
};
struct lab_param {
	const char *key;
	enum lab_kind kind;
	unsigned offset;
	const char *standard; /* the default, as it would be written */
	double min, max;      /* of counts, sizes and fractions */
	const char *help;
};
/* Rows are made from a .def file with lines PARAM(key, kind, default, min, max, help). */
#define LAB_PARAM_ROW(type, key, kind, standard, min, max, help)                                                       \
	{ #key, LAB_##kind, (unsigned)offsetof(struct type, key), standard, min, max, help },
#define LAB_MEMBER_COUNT uint64_t
#define LAB_MEMBER_SIZE uint64_t
#define LAB_MEMBER_FRACTION double
#define LAB_MEMBER_FLAG uint64_t
#define LAB_MEMBER_WORD const char *

/* Read the parameters below a prefix ("source.hot." or "") into a struct. 0, or -1 with config->error. */
int lab_config_read(struct lab_config *config, const char *prefix, const struct lab_param *params, unsigned count,
		    void *out);

#endif
