/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading JSON (RFC 8259) from memory, one token after the other, without a tree and without recursion. The text is
 * changed: strings are decoded where they stand.
 */
#ifndef F2FSKIT_BASE_JSON_H
#define F2FSKIT_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type {
	JSON_END,    /* of the text, after one whole value */
	JSON_BAD,    /* json.why has the error, also for every later call */
	JSON_OBJECT, /* what follows are keys and values in turn, then JSON_CLOSE */
	JSON_ARRAY,  /* what follows are values, then JSON_CLOSE */
	JSON_CLOSE,  /* end of the object or array opened last */
	JSON_KEY,    /* text and length */
	JSON_STRING, /* text and length */
	JSON_NUMBER, /* text and length, as written */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL
};

#define JSON_MAX_DEPTH 32u

struct json {
	char *at, *end;
	char *text; /* of the token: not NUL-terminated, may hold any byte */
	size_t length;
	const char *why;
	unsigned depth;
	uint32_t objects; /* bit n: the container open at depth n is an object */
	bool needs_comma; /* a value came before in the open container */
	bool has_key;	  /* a key was given, its value is next */
	bool is_done;	  /* the outermost value is over */
};

void json_init(struct json *j, char *text, size_t length);
enum json_type json_next(struct json *j);
/* Go past the value that begins with a token just given; false when the text is wrong. */
bool json_skip(struct json *j, enum json_type first);
/* A number token as an integer within a range; false when it is none. */
bool json_integer(const struct json *j, int64_t min, int64_t max, int64_t *out);

#endif
