/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Case folding of names as casefolded directories do it (FORMAT files 5.8):
 * NFD, full case folding, NFD, without default-ignorable characters, by the
 * tables of Unicode 12.1, which the format has fixed for encoding 1.
 */
#ifndef F2FSKIT_BASE_UNICODE_H
#define F2FSKIT_BASE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name that folds to more bytes than this counts as unfoldable. */
#define UNICODE_FOLD_MAX 254
/* No name of 255 bytes folds to more: a code point becomes three times as long at most. */
#define UNICODE_WHOLE_MAX 765

enum unicode_result {
	UNICODE_OK = 0,
	UNICODE_INVALID,     /* not valid UTF-8 */
	UNICODE_EMPTY,	     /* nothing is left after folding */
	UNICODE_TOO_LONG,    /* more than UNICODE_FOLD_MAX bytes after folding */
	UNICODE_UNAVAILABLE, /* built without the "casefold" feature */
};

/* Was the library built with folding? If not, all but utf8_is_valid() is unavailable. */
bool unicode_is_available(void);

/*
 * Fold @len bytes at @in into @out and set @out_len. Two names are the same
 * in a casefolded directory if their folded forms are equal bytes, or, when one of
 * them is unfoldable, if they are equal as they stand. @out_len is set on
 * UNICODE_OK only; the content of @out is meaningless otherwise.
 */
enum unicode_result unicode_casefold(const uint8_t *in, size_t len, uint8_t out[UNICODE_FOLD_MAX], size_t *out_len);
/* The same with room for whatever a name of up to 255 bytes folds to. */
enum unicode_result unicode_casefold_whole(const uint8_t *in, size_t len, uint8_t out[UNICODE_WHOLE_MAX],
					   size_t *out_len);

#endif
