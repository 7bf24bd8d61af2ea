/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parse addresses of fields: place, up to two brackets, field, with a structure before it or an index after it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "inject/address.h"
#include "inject/run.h"

struct reader {
	struct f2fs_context *ctx;
	const char *text, *at;
};

static int wrong(struct reader *r, const char *why)
{
	return error_set(r->ctx, F2FS_ERR_INVALID, "'%.200s' is not an address: %s at character %u", r->text, why,
			 (unsigned)(r->at - r->text) + 1);
}

static int read_word(struct reader *r, char *word)
{
	size_t n = 0;

	while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
		n++;
	if (n == 0 || n >= ADDRESS_WORD)
		return wrong(r, n ? "a name too long" : "a name is missing");
	memcpy(word, r->at, n);
	word[n] = '\0';
	r->at += n;
	return 0;
}

static int read_number(struct reader *r, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*r->at))
		return wrong(r, "a number is missing");
	*out = strtoull(r->at, &end, 0);
	r->at = end;
	return 0;
}

/* The text of ["..."]; a backslash takes the next character as it is, \xNN is a byte. */
static int read_text(struct reader *r, struct address_bracket *b)
{
	b->is_text = true;
	for (r->at++; *r->at != '"'; b->length++) {
		if (!*r->at || b->length + 1 >= ADDRESS_TEXT)
			return wrong(r, *r->at ? "a text too long" : "a quote is missing");
		if (r->at[0] == '\\' && r->at[1] == 'x' && isxdigit((unsigned char)r->at[2]) &&
		    isxdigit((unsigned char)r->at[3])) {
			const char digits[3] = { r->at[2], r->at[3], '\0' };

			b->text[b->length] = (char)strtoul(digits, NULL, 16);
			r->at += 4;
			continue;
		}
		if (*r->at == '\\' && r->at[1])
			r->at++;
		b->text[b->length] = *r->at++;
	}
	r->at++;
	return 0;
}

static int read_bracket(struct reader *r, struct address_bracket *b)
{
	uint64_t copy = 0;
	int err;

	r->at++;
	err = *r->at == '"' ? read_text(r, b) : read_number(r, &b->number);
	if (!err && *r->at == ',') {
		r->at++;
		err = read_number(r, &copy);
		if (!err && copy > 2)
			err = wrong(r, "copies are 0, 1 and 2");
		b->copy = (unsigned)copy;
	}
	if (!err && *r->at++ != ']') {
		r->at--;
		err = wrong(r, "] is missing");
	}
	return err;
}

static int read_part(struct reader *r, struct address_part *part)
{
	int err;

	if (*r->at != '.')
		return wrong(r, "a dot and a field are missing");
	r->at++;
	err = read_word(r, part->name);
	if (!err && *r->at == '[') {
		r->at++;
		part->has_index = true;
		err = read_number(r, &part->index);
		if (!err && *r->at != ']')
			err = wrong(r, "] is missing");
		else if (!err)
			r->at++;
	}
	return err;
}

int address_parse(struct f2fs_context *ctx, const char *text, struct address *out)
{
	struct reader r = { ctx, text, text };
	int err;

	memset(out, 0, sizeof(*out));
	err = read_word(&r, out->place);
	while (!err && *r.at == '[' && out->bracket_count < ADDRESS_BRACKETS)
		err = read_bracket(&r, &out->brackets[out->bracket_count++]);
	do {
		if (!err)
			err = read_part(&r, &out->parts[out->part_count++]);
	} while (!err && *r.at && out->part_count < ADDRESS_PARTS);
	return !err && *r.at ? wrong(&r, "something is left over") : err;
}
