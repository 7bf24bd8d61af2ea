/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading quota files: usage and limits by user, group or project id (FORMAT files 9.3). The bytes come through a
 * callback; the file is a radix tree of 1 KiB blocks, four levels of references and then leaves with entries.
 *
 * Nothing is trusted: references are checked, each tree block is read once at most, and a walk ends after
 * as many steps as the file has blocks.
 */
#ifndef F2FSKIT_FORMAT_QUOTA_H
#define F2FSKIT_FORMAT_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/rules.h"

#define QUOTA_BLOCK_SIZE 1024u
#define QUOTA_LEVELS 4u

enum quota_type { QUOTA_USER = 0, QUOTA_GROUP = 1, QUOTA_PROJECT = 2 };
#define QUOTA_KINDS 3u

/* Results besides 0 and those of a callback, which are passed on. */
enum quota_result {
	QUOTA_OK = 0,
	QUOTA_NOT_FOUND = 1, /* the file has no entry for the id */
	QUOTA_DAMAGED = 2,   /* see the problem that was reported, or quota_file's last_problem */
};

enum quota_problem_kind {
	QUOTA_FINE = 0,
	QUOTA_TOO_SHORT,  /* the file does not hold what its header says */
	QUOTA_MAGIC,	  /* of the wrong type, or none */
	QUOTA_VERSION,	  /* neither 0 nor 1 */
	QUOTA_FREE_HEAD,  /* the head of a free list is out of range */
	QUOTA_REFERENCE,  /* a reference is out of range */
	QUOTA_SHARED,	  /* a block is referenced twice, or in two roles */
	QUOTA_NO_ENTRY,	  /* a leaf lacks the entry that a reference promises */
	QUOTA_LEAF_COUNT, /* a leaf's count is not the number of its entries */
	QUOTA_LOST_ENTRY, /* an entry that no reference leads to */
	QUOTA_FREE_LIST,  /* a free list runs out of range, in a loop, or through a block in use */
	QUOTA_PROBLEM_COUNT,
};

struct quota_problem {
	enum quota_problem_kind kind;
	uint32_t block; /* quota block it was found in */
	uint32_t id;	/* whose entry it is about; 0 where that means nothing */
};

struct quota_entry {
	uint32_t id;
	uint64_t inodes, inodes_soft, inodes_hard;
	uint64_t space;			    /* bytes */
	uint64_t space_soft, space_hard;    /* KiB */
	uint64_t inodes_grace, space_grace; /* times when the grace ends, seconds since 1970; 0: none runs */
};

/* Magic number of a kind of quota file. */
uint32_t quota_magic(enum quota_type type);
/* Are these the first bytes of a quota file (8 are looked at), and of which kind? */
bool quota_is_header(const uint8_t *raw, enum quota_type *type);

/* An open quota file. Embedded; needs no closing. */
struct quota_file {
	int (*read)(void *user, uint64_t offset, void *buf, size_t n);
	void *user;
	enum quota_type type;
	uint32_t version;		    /* 0: entries of 32-bit limits, 1: of 64-bit ones */
	uint32_t space_grace, inodes_grace; /* seconds */
	uint32_t blocks;
	uint32_t free_block, free_entry; /* heads of the lists, 0: none */
	struct quota_problem last_problem;
};

/* Memory for the blocks on the way to a leaf. */
struct quota_work {
	uint8_t node[QUOTA_LEVELS][QUOTA_BLOCK_SIZE];
	uint8_t leaf[QUOTA_BLOCK_SIZE];
};

/*
 * Open a file of @size bytes: read and check its header. @read gets exactly @n bytes at @offset; it returns 0, or a
 * negative number that is passed on. QUOTA_DAMAGED: last_problem says why.
 */
int quota_open(struct quota_file *file, int (*read)(void *user, uint64_t offset, void *buf, size_t n), void *user,
	       uint64_t size);

/* Find the entry of @id. */
int quota_lookup(struct quota_file *file, struct quota_work *work, uint32_t id, struct quota_entry *out);

/* Callbacks of a walk; each may be NULL. A number other than 0 ends the walk and is passed on. */
struct quota_visitor {
	void *user;
	int (*entry)(void *user, const struct quota_entry *entry);
	/* Without this, the first problem ends the walk with QUOTA_DAMAGED. */
	int (*problem)(void *user, const struct quota_problem *problem);
};

/* Return the fault as a phrase for messages. */
const char *quota_problem_text(enum quota_problem_kind kind);
/* "user", "group", "project". */
const char *quota_type_name(enum quota_type type);

#endif
