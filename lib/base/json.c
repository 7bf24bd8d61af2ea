/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A pull parser for JSON. Its state is the open containers (a bit for each depth) and the tokens allowed next.
 */
#include "base/json.h"

#include <string.h>

#include "base/utf8.h"

void json_init(struct json *j, char *text, size_t length)
{
	memset(j, 0, sizeof(*j));
	j->at = text;
	j->end = text + length;
}

static enum json_type bad(struct json *j, const char *why)
{
	if (!j->why)
		j->why = why;
	return JSON_BAD;
}

static char peek(struct json *j)
{
	while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
		j->at++;
	return j->at < j->end ? *j->at : '\0';
}

static bool in_object(const struct json *j)
{
	return j->depth > 0 && (j->objects >> (j->depth - 1) & 1);
}

/* A value is over: what may come next in what holds it. */
static void end_value(struct json *j)
{
	j->needs_comma = true;
	j->has_key = false;
	j->is_done = j->depth == 0;
}

/* Four hexadecimal digits; -1 if there are none. */
static int32_t hex4(const struct json *j, const char *p)
{
	int32_t value = 0;

	if (j->end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const char c = p[i];
		int32_t digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (c >= 'A' && c <= 'F')
			digit = c - 'A' + 10;
		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

/* Decode "\uXXXX", and the second half of a surrogate pair; at is after the 'u'. Returns the place after it, or NULL.
 */
static char *decode_unicode(const struct json *j, char *at, char **to)
{
	int32_t cp = hex4(j, at), low;
	uint8_t bytes[UTF8_MAX];
	size_t n;

	at += 4;
	if (cp >= 0xD800 && cp < 0xDC00) {
		if (j->end - at < 6 || at[0] != '\\' || at[1] != 'u')
			return NULL;
		low = hex4(j, at + 2);
		if (low < 0xDC00 || low > 0xDFFF)
			return NULL;
		cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
		at += 6;
	}
	if (cp < 0 || (cp >= 0xD800 && cp < 0xE000))
		return NULL;
	n = utf8_encode((uint32_t)cp, bytes);
	memcpy(*to, bytes, n);
	*to += n;
	return at;
}

/* Decode the string whose quote is at at; what comes out is never longer. */
static bool take_string(struct json *j)
{
	static const char codes[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	char *p = j->at + 1, *to = p;

	j->text = p;
	while (p < j->end && *p != '"') {
		const char *code;

		if ((unsigned char)*p < 0x20)
			return false;
		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		if (j->end - p < 2)
			return false;
		if (p[1] == 'u') {
			p = decode_unicode(j, p + 2, &to);
			if (!p)
				return false;
			continue;
		}
		code = p[1] ? strchr(codes, p[1]) : NULL;
		if (!code)
			return false;
		*to++ = values[code - codes];
		p += 2;
	}
	if (p == j->end)
		return false;
	j->length = (size_t)(to - j->text);
	j->at = p + 1;
	return true;
}

static size_t digits(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && p[n] >= '0' && p[n] <= '9')
		n++;
	return n;
}

static enum json_type take_number(struct json *j)
{
	char *p = j->at + (*j->at == '-');
	size_t n = digits(p, j->end);

	if (n == 0 || (n > 1 && p[0] == '0'))
		return bad(j, "not a number");
	p += n;
	if (p < j->end && *p == '.') {
		n = digits(++p, j->end);
		if (n == 0)
			return bad(j, "not a number");
		p += n;
	}
	if (p < j->end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < j->end && (*p == '+' || *p == '-');
		n = digits(p, j->end);
		if (n == 0)
			return bad(j, "not a number");
		p += n;
	}
	j->text = j->at;
	j->length = (size_t)(p - j->at);
	j->at = p;
	end_value(j);
	return JSON_NUMBER;
}

static enum json_type take_word(struct json *j)
{
	static const struct {
		const char *word;
		enum json_type type;
	} words[] = { { "true", JSON_TRUE }, { "false", JSON_FALSE }, { "null", JSON_NULL } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i].word);

		if ((size_t)(j->end - j->at) >= n && memcmp(j->at, words[i].word, n) == 0) {
			j->at += n;
			end_value(j);
			return words[i].type;
		}
	}
	return bad(j, "not a value");
}

static enum json_type open_nested(struct json *j, bool is_object)
{
	if (j->depth == JSON_MAX_DEPTH)
		return bad(j, "too many levels");
	j->at++;
	j->objects = is_object ? j->objects | 1u << j->depth : j->objects & ~(1u << j->depth);
	j->depth++;
	j->needs_comma = false;
	j->has_key = false;
	return is_object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_type take_key(struct json *j)
{
	if (!take_string(j))
		return bad(j, "not a string");
	if (peek(j) != ':')
		return bad(j, "no colon after a key");
	j->at++;
	j->has_key = true;
	return JSON_KEY;
}

enum json_type json_next(struct json *j)
{
	char c;

	if (j->why)
		return JSON_BAD;
	c = peek(j);
	if (j->is_done)
		return j->at == j->end ? JSON_END : bad(j, "text after the value");
	if (j->depth > 0 && !j->has_key && c == (in_object(j) ? '}' : ']')) {
		j->at++;
		j->depth--;
		end_value(j);
		return JSON_CLOSE;
	}
	if (j->depth > 0 && !j->has_key && j->needs_comma) {
		if (c != ',')
			return bad(j, "no comma between values");
		j->at++;
		c = peek(j);
	}
	if (in_object(j) && !j->has_key)
		return c == '"' ? take_key(j) : bad(j, "not a key");
	if (c == '{' || c == '[')
		return open_nested(j, c == '{');
	if (c == '"') {
		if (!take_string(j))
			return bad(j, "not a string");
		end_value(j);
		return JSON_STRING;
	}
	return c == '-' || (c >= '0' && c <= '9') ? take_number(j) : take_word(j);
}

bool json_skip(struct json *j, enum json_type first)
{
	const unsigned depth = j->depth;
	enum json_type type = first;

	if (type != JSON_OBJECT && type != JSON_ARRAY)
		return type != JSON_BAD;
	do
		type = json_next(j);
	while (type != JSON_BAD && type != JSON_END && !(type == JSON_CLOSE && j->depth < depth));
	return type == JSON_CLOSE;
}

bool json_integer(const struct json *j, int64_t min, int64_t max, int64_t *out)
{
	const bool is_negative = j->length > 0 && j->text[0] == '-';
	uint64_t value = 0;

	for (size_t i = is_negative; i < j->length; i++) {
		const unsigned digit = (unsigned)(j->text[i] - '0');

		if (digit > 9 || value > ((uint64_t)INT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = is_negative ? -(int64_t)value : (int64_t)value;
	return *out >= min && *out <= max;
}
