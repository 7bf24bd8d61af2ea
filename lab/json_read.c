/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON by descent, with a bound for its depth and its length.
 */
#include "lab/json_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 32, FILE_MOST = 256 << 20 };

struct reader {
	const char *at, *end;
	unsigned line, depth;
	char *error;
};

static int wrong(const struct reader *r, const char *what)
{
	snprintf(r->error, 160, "line %u: %s", r->line, what);
	return -1;
}

/* The next byte that is not space; 0 at the end. */
static char look(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
		r->line += *r->at++ == '\n';
	return r->at < r->end ? *r->at : '\0';
}

static size_t put_utf8(char *to, unsigned code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | code >> 12);
	to[1] = (char)(0x80 | (code >> 6 & 0x3f));
	to[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

/* Read the escape after a backslash. Returns the number of its bytes, 0 when it is no escape. */
static size_t read_escape(struct reader *r, char *to)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *found;
	unsigned code = 0;

	if (r->at == r->end || *r->at == '\0')
		return 0;
	found = strchr(letters, *r->at);
	if (found) {
		r->at++;
		*to = meanings[found - letters];
		return 1;
	}
	if (*r->at++ != 'u' || r->end - r->at < 4)
		return 0;
	for (int i = 0; i < 4; i++, r->at++) {
		if (!isxdigit((unsigned char)*r->at))
			return 0;
		code = code * 16 + (unsigned)(*r->at <= '9' ? *r->at - '0' : (*r->at | 0x20) - 'a' + 10);
	}
	return put_utf8(to, code);
}

static int read_string(struct reader *r, char **out)
{
	const char *close = r->at + 1;
	size_t n = 0;

	while (close < r->end && *close != '"')
		close += *close == '\\' ? 2 : 1;
	if (close >= r->end)
		return wrong(r, "a string has no end");
	*out = malloc((size_t)(close - r->at)); /* no escape means more bytes than it takes */
	if (!*out)
		return wrong(r, "out of memory");
	for (r->at++; r->at < close;) {
		size_t k = 1;

		if (*r->at == '\\') {
			r->at++;
			k = read_escape(r, *out + n);
		} else {
			(*out)[n] = *r->at++;
		}
		if (k == 0 || (unsigned char)(*out)[n] == 0) {
			(*out)[n] = '\0';
			return wrong(r, "a string has a wrong escape");
		}
		n += k;
	}
	(*out)[n] = '\0';
	r->at = close + 1;
	return 0;
}

/* A number or a word, as it stands. */
static int read_plain(struct reader *r, struct json *out)
{
	const char *from = r->at;
	char *end;

	while (r->at < r->end && (isalnum((unsigned char)*r->at) || strchr("+-.", *r->at)) && *r->at)
		r->at++;
	out->text = malloc((size_t)(r->at - from) + 1);
	if (!out->text)
		return wrong(r, "out of memory");
	memcpy(out->text, from, (size_t)(r->at - from));
	out->text[r->at - from] = '\0';
	out->kind = JSON_NUMBER;
	if (out->text[0] == '-' || isdigit((unsigned char)out->text[0])) {
		(void)strtod(out->text, &end);
		return *end ? wrong(r, "there is no such number") : 0;
	}
	out->kind = JSON_WORD;
	if (strcmp(out->text, "true") == 0 || strcmp(out->text, "false") == 0 || strcmp(out->text, "null") == 0)
		return 0;
	return wrong(r, "a value is missing, or is none");
}

static int read_value(struct reader *r, struct json *out);

/* The next item of an array or object: room for it, its key, its value. */
static int read_item(struct reader *r, struct json *out)
{
	struct json *item;

	if ((out->count & (out->count - 1)) == 0) { /* room is doubled at powers of two */
		item = realloc(out->items, (out->count ? 2 * out->count : 1) * sizeof(*item));
		if (!item)
			return wrong(r, "out of memory");
		out->items = item;
	}
	item = &out->items[out->count++];
	*item = (struct json){ .kind = JSON_WORD };
	if (out->kind == JSON_OBJECT) {
		if (look(r) != '"')
			return wrong(r, "the name of a member is missing");
		if (read_string(r, &item->key))
			return -1;
		if (look(r) != ':')
			return wrong(r, "a colon is missing");
		r->at++;
	}
	return read_value(r, item);
}

static int read_items(struct reader *r, struct json *out, char close)
{
	r->at++;
	if (look(r) == close) {
		r->at++;
		return 0;
	}
	if (++r->depth > DEPTH_MOST)
		return wrong(r, "it goes too deep");
	for (;;) {
		char c;

		if (read_item(r, out))
			return -1;
		c = look(r);
		if (c != ',' && c != close)
			return wrong(r, close == ']' ? "a comma or ] is missing" : "a comma or } is missing");
		r->at++;
		if (c == close)
			break;
	}
	r->depth--;
	return 0;
}

static int read_value(struct reader *r, struct json *out)
{
	switch (look(r)) {
	case '"':
		out->kind = JSON_STRING;
		return read_string(r, &out->text);
	case '[':
		out->kind = JSON_ARRAY;
		return read_items(r, out, ']');
	case '{':
		out->kind = JSON_OBJECT;
		return read_items(r, out, '}');
	default:
		return read_plain(r, out);
	}
}

/* The whole file; NULL with a message. */
static char *read_file(const char *path, size_t *size, char *error)
{
	FILE *from = fopen(path, "rb");
	char *text = NULL;
	size_t room = 0, n = 1;

	*size = 0;
	while (from && n > 0 && *size < FILE_MOST) {
		if (*size == room) {
			char *more = realloc(text, room += room / 2 + 65536);

			if (!more) {
				errno = ENOMEM;
				break;
			}
			text = more;
		}
		n = fread(text + *size, 1, room - *size, from);
		*size += n;
	}
	if (from && n == 0 && !ferror(from)) {
		fclose(from);
		return text;
	}
	snprintf(error, 160, "%s", *size >= FILE_MOST ? "it is too large" : strerror(errno));
	if (from)
		fclose(from);
	free(text);
	return NULL;
}

int json_read(const char *path, struct json *out, char error[160])
{
	struct reader r = { .line = 1, .error = error };
	size_t size;
	char *text = read_file(path, &size, error);
	int rc;

	*out = (struct json){ .kind = JSON_WORD };
	if (!text)
		return -1;
	r.at = text;
	r.end = text + size;
	rc = read_value(&r, out);
	if (!rc && look(&r) != '\0')
		rc = wrong(&r, "text after the end of the value");
	free(text);
	return rc;
}

const struct json *json_member(const struct json *object, const char *key, enum json_kind kind)
{
	for (size_t i = 0; object->kind == JSON_OBJECT && i < object->count; i++)
		if (object->items[i].kind == kind && strcmp(object->items[i].key, key) == 0)
			return &object->items[i];
	return NULL;
}

void json_free(struct json *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		json_free(&tree->items[i]); /* as deep as reading allowed */
	free(tree->items);
	free(tree->key);
	free(tree->text);
}
