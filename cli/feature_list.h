/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parse lists of features and encodings of file names in options. Parsers return NULL, or an error text about the
 * value.
 */
#ifndef F2FSKIT_CLI_FEATURE_LIST_H
#define F2FSKIT_CLI_FEATURE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <f2fskit/label.h>

/* The feature called by the first n bytes of name, 0 if there is none. */
uint32_t cli_feature_find(const char *name, size_t n);
/* The flag of the checkpoint that is turned on and off like a feature. */
#define CLI_LARGE_NAT "large_nat_bitmap"
/* Wish for a feature, or for that flag, by the first n bytes of name; NULL, or why not. */
const char *cli_feature_wish(struct f2fs_features_options *o, const char *name, size_t n, int off);
/* Add to *features those of a list with commas or blanks; only those of settable can be asked for. */
const char *cli_parse_features(const char *list, uint32_t settable, uint32_t *features);

struct cli_encoding {
	uint8_t flags;	   /* 1 strict, 2 hashonly */
	int has_hash_flag; /* hashonly or nohashonly was said */
};
/* utf8[:FLAG,FLAG...], with flags strict, nostrict, hashonly, nohashonly. */
const char *cli_parse_encoding(const char *text, struct cli_encoding *out);

/* utf8's flags alone: strict, hashonly and so on. */
const char *cli_parse_encoding_flags(const char *text, uint32_t *flags);

#endif
