/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading JSON (RFC 8259), as results are kept in it: the whole text becomes a tree.
 */
#ifndef F2FSKIT_LAB_JSON_READ_H
#define F2FSKIT_LAB_JSON_READ_H

#include <stddef.h>

enum json_kind { JSON_WORD, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_kind kind;
	char *key;	    /* of a member of an object */
	char *text;	    /* of words (true, false, null), numbers and strings; escapes are resolved */
	struct json *items; /* of arrays and objects */
	size_t count;
};

/* Read a file. 0, or -1 with a message "line 3: ..." in error. Free with json_free() after either. */
int json_read(const char *path, struct json *out, char error[160]);
/* The member of an object with that key and kind; NULL when there is none. */
const struct json *json_member(const struct json *object, const char *key, enum json_kind kind);
void json_free(struct json *tree);

#endif
