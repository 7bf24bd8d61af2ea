/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts that the models share: options, the map of pages, and the ways of pages to their places. */
#ifndef F2FSKIT_LAB_FTL_MODEL_H
#define F2FSKIT_LAB_FTL_MODEL_H

#include "flash.h"
#include "ftl.h"

/* Bits of the models, for the table of keys. */
enum { FTL_PAGE = 1, FTL_BLOCK = 2, FTL_BAST = 4, FTL_FAST = 8, FTL_SAST = 16, FTL_DFTL = 32, FTL_MULTI = 64 };
#define FTL_LOGS (FTL_BAST | FTL_FAST | FTL_SAST)
#define FTL_ALL (FTL_PAGE | FTL_BLOCK | FTL_LOGS | FTL_DFTL | FTL_MULTI)

struct ftl_options {
#define FTL_KEY(name, kind, models, smallest, largest, standard, meaning) uint64_t name;
#include "ftl_keys.def"
#undef FTL_KEY
};

struct ftl_model {
	const char *name;
	unsigned bit;
	/* Superblocks that the model needs beyond those of the data. */
	uint32_t (*spare)(const struct ftl_options *options, uint32_t pages);
	/* Pages of the model's own that are in flash, too; NULL: none. Their logical numbers follow the host's. */
	uint32_t (*own_pages)(const struct ftl_options *options, uint32_t pages);
	int (*open)(struct ftl *ftl); /* set ftl->state; 0, or -1: no memory */
	void (*close)(struct ftl *ftl);
	void (*write)(struct ftl *ftl, uint32_t logical);
	void (*trim)(struct ftl *ftl, uint32_t logical); /* of a page that is somewhere */
	void (*read)(struct ftl *ftl, uint32_t logical); /* NULL: a read costs nothing besides itself */
	const char *(*check)(const struct ftl *ftl);	 /* its own tables, see ftl_check(); NULL: none */
};
extern const struct ftl_model ftl_page_map, ftl_block_map, ftl_bast, ftl_fast, ftl_sast, ftl_dftl, ftl_multi_stream;

struct ftl {
	const struct ftl_model *model;
	struct ftl_options options;
	struct flash flash;
	uint32_t pages, blocks; /* logical pages; logical blocks, the last of which may be cut short */
	uint32_t own;		/* pages of the model's own */
	uint32_t *where;	/* [pages + own]: the page of flash with the newest copy, or FLASH_NONE */
	uint32_t *data;		/* [blocks]: the data block, or FLASH_NONE; not for the page map */
	uint32_t stamp;		/* writes so far */
	struct ftl_counts counts; /* but programs, erases and wear, which flash counts */
	unsigned stream;	  /* that the host names for its next writes; 0: none */
	unsigned (*hint)(void *user, uint64_t offset); /* the stream of writes in bytes; NULL: always that one */
	void *hint_user;
	void *state;		  /* the model's */
};

/* The host's page goes to page index of a block; its older copy dies. */
static inline void ftl_place(struct ftl *ftl, uint32_t block, uint32_t index, uint32_t logical)
{
	const uint32_t old = ftl->where[logical];
	uint32_t page;

	if (old != FLASH_NONE)
		flash_kill(&ftl->flash, old);
	page = flash_program(&ftl->flash, block, index, logical);
	ftl->where[logical] = page;
	ftl->stamp++;
	if (ftl->flash.stamps)
		ftl->flash.stamps[page] = ftl->stamp;
}

/* A page that is somewhere is copied to page index of a block. */
static inline void ftl_copy(struct ftl *ftl, uint32_t block, uint32_t index, uint32_t logical)
{
	const uint32_t old = ftl->where[logical];
	uint32_t page;

	flash_kill(&ftl->flash, old);
	page = flash_program(&ftl->flash, block, index, logical);
	ftl->where[logical] = page;
	ftl->counts.copies++;
	if (ftl->flash.stamps)
		ftl->flash.stamps[page] = ftl->flash.stamps[old];
}

#endif
