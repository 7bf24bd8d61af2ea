/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields by address: an address as parsed, the place it leads to, and the handle that both stand on.
 */
#ifndef F2FSKIT_INJECT_RUN_H
#define F2FSKIT_INJECT_RUN_H

#include <f2fskit/inject.h>

#include "volume/volume.h"

struct f2fs_inject {
	struct f2fs_context *ctx;
	struct f2fs_device *given; /* as handed in */
	struct f2fs_device *dev;   /* byte 0 is byte 0 of the volume; all devices when the volume is open */
	struct f2fs_open_options options;
	struct f2fs_device **devices;	  /* of options */
	struct f2fs_volume *vol;	  /* NULL when it cannot be opened */
	struct f2fs_error_detail refusal; /* why */
	bool is_foreign;		  /* when it was opened, neither superblock was one of F2FS */
	bool has_geo;			  /* at least a superblock is valid */
	struct f2fs_geometry geo;
	uint32_t checksum_seed;
};

enum { ADDRESS_WORD = 32, ADDRESS_TEXT = 256, ADDRESS_BRACKETS = 2, ADDRESS_PARTS = 2 };

struct address_bracket {
	bool is_text;
	uint64_t number;
	unsigned copy;		 /* after a comma */
	char text[ADDRESS_TEXT]; /* of length bytes */
	size_t length;
};

struct address_part {
	char name[ADDRESS_WORD];
	bool has_index;
	uint64_t index;
};

struct address {
	char place[ADDRESS_WORD];
	unsigned bracket_count, part_count;
	struct address_bracket brackets[ADDRESS_BRACKETS];
	struct address_part parts[ADDRESS_PARTS];
};

/* The structure that holds the field. */
enum place_sum { SUM_NONE = 0, SUM_SUPERBLOCK, SUM_CHECKPOINT, SUM_INODE };

/* A structure within the bytes of a place: fields of it are found by their names. */
struct place_scope {
	const struct f2fs_struct *type;
	uint32_t offset;
	uint32_t limit;	    /* bytes of it that exist */
	const char *prefix; /* "footer", NULL: none */
};

/* An array that no table has. */
struct place_array {
	const char *name;
	uint32_t offset, count;
	uint8_t width; /* bytes */
	bool is_bytes;
};

enum { PLACE_SCOPES = 4, PLACE_ARRAYS = 4 };

struct place {
	uint64_t at[2]; /* bytes on the volume of the two copies that change together */
	unsigned copies;
	uint32_t size; /* bytes */
	enum place_sum sum;
	uint32_t base; /* where the u8 ... arrays begin, and the structure itself */
	struct place_scope scopes[PLACE_SCOPES];
	unsigned scope_count;
	struct place_array arrays[PLACE_ARRAYS];
	unsigned array_count;
	uint32_t bit_offset, bit; /* field "used" of a directory entry: byte and bit, with has_bit */
	bool has_bit;
};

/* The field within a place. */
struct spot {
	struct f2fs_field field; /* offset from the start of the place */
	char structure[32];
	uint32_t index;
	bool is_bytes;	     /* all of a field of bytes, not one element */
	uint8_t shift, bits; /* bits 0: the whole number */
};

#endif
