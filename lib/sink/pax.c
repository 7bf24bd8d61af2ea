/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build pax records and ustar headers (POSIX.1, pax interchange format). Records are only written for data that a ustar
 * header cannot hold, so that a plain tree makes a plain stream.
 */
#include "sink/pax.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define NAME_FIELD 100u
#define LARGEST_ID 07777777u
#define LARGEST_SIZE 077777777777u
#define LARGEST_DEVICE 07777777u

/* ---- records */

static size_t digits_of(size_t n)
{
	size_t count = 1;

	while (n >= 10) {
		n /= 10;
		count++;
	}
	return count;
}

/* Length of a record whose key and value, with " ", "=" and newline, take n bytes: it counts itself. */
static size_t record_length(size_t n)
{
	size_t length = n + digits_of(n);

	return n + digits_of(length);
}

/* Write a number in decimal, with zeros before it to so many digits. Printing took half the time of a header. */
static char *put_decimal(char *to, uint64_t value, size_t least)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value || n < least);
	while (n > 0)
		*to++ = digits[--n];
	return to;
}

static char *put(char *to, const void *from, size_t length)
{
	memcpy(to, from, length);
	return to + length;
}

static char *put_key(char *to, const char *key)
{
	for (; *key; key++) {
		if (*key == '=')
			to = put(to, "%3D", 3);
		else if (*key == '%')
			to = put(to, "%25", 3);
		else
			*to++ = *key;
	}
	return to;
}

int pax_add(struct vec *records, const char *key, const void *value, size_t length)
{
	size_t key_length = strlen(key), total;
	char *to;

	for (const char *p = key; *p; p++)
		key_length += *p == '=' || *p == '%' ? 2 : 0;
	total = record_length(key_length + length + 3);
	to = vec_push(records, total);
	if (!to)
		return F2FS_ERR_NOMEM;
	to = put_decimal(to, total, 1);
	*to++ = ' ';
	to = put_key(to, key);
	*to++ = '=';
	to = put(to, value, length);
	*to = '\n';
	return 0;
}

int pax_add_number(struct vec *records, const char *key, uint64_t value)
{
	char text[32];

	return pax_add(records, key, text, (size_t)(put_decimal(text, value, 1) - text));
}

int pax_add_time(struct vec *records, const char *key, const struct f2fs_time *t)
{
	const bool is_negative = t->seconds < 0;
	uint64_t seconds = is_negative ? (uint64_t)0 - (uint64_t)t->seconds : (uint64_t)t->seconds;
	uint32_t fraction = t->nanoseconds < 1000000000 ? t->nanoseconds : 999999999;
	char text[48], *to = text;

	if (is_negative && fraction) { /* a sign and a magnitude, where the inode counts upwards */
		seconds--;
		fraction = 1000000000 - fraction;
	}
	if (is_negative)
		*to++ = '-';
	to = put_decimal(to, seconds, 1);
	if (fraction) {
		*to++ = '.';
		to = put_decimal(to, fraction, 9);
		while (to[-1] == '0')
			to--;
	}
	return pax_add(records, key, text, (size_t)(to - text));
}

/* ---- ustar */

/* Write a number in octal with a NUL after it. One that does not fit is in a record. */
static void put_octal(char *field, size_t size, uint64_t value)
{
	field[size - 1] = '\0';
	for (size_t i = size - 1; i-- > 0; value >>= 3)
		field[i] = (char)('0' + (value & 7));
}

static void put_name(char *field, const char *name)
{
	size_t length = strlen(name);

	memcpy(field, name, length < NAME_FIELD ? length : NAME_FIELD);
}

static void build_ustar(char *block, const struct pax_entry *e)
{
	const bool fits = e->has_times && e->mtime.seconds >= 0 && (uint64_t)e->mtime.seconds <= LARGEST_SIZE;
	uint32_t sum = 0;

	memset(block, 0, TAR_BLOCK);
	put_name(block, e->path);
	put_octal(block + 100, 8, e->mode);
	put_octal(block + 108, 8, e->uid <= LARGEST_ID ? e->uid : 0);
	put_octal(block + 116, 8, e->gid <= LARGEST_ID ? e->gid : 0);
	put_octal(block + 124, 12, e->size <= LARGEST_SIZE ? e->size : 0);
	put_octal(block + 136, 12, fits ? (uint64_t)e->mtime.seconds : 0);
	memset(block + 148, ' ', 8);
	block[156] = e->type;
	if (e->link)
		put_name(block + 157, e->link);
	memcpy(block + 257, "ustar\00000", 8);
	put_octal(block + 329, 8, e->major <= LARGEST_DEVICE ? e->major : 0);
	put_octal(block + 337, 8, e->minor <= LARGEST_DEVICE ? e->minor : 0);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += (uint8_t)block[i];
	put_octal(block + 148, 7, sum);
}

/* ---- both */

static bool is_plain_time(const struct f2fs_time *t)
{
	return t->seconds >= 0 && (uint64_t)t->seconds <= LARGEST_SIZE && !t->nanoseconds;
}

static int add_name(struct vec *records, const char *key, const char *name, bool *is_binary)
{
	*is_binary = *is_binary || !utf8_is_valid((const uint8_t *)name, strlen(name));
	return strlen(name) > NAME_FIELD || *is_binary ? pax_add(records, key, name, strlen(name)) : 0;
}

/* Add records for data that the ustar header of an entry cannot hold. */
static int add_needed(struct vec *records, const struct pax_entry *e)
{
	bool is_binary = false;
	int err = add_name(records, "path", e->path, &is_binary);

	if (!err && e->link)
		err = add_name(records, "linkpath", e->link, &is_binary);
	if (!err && is_binary)
		err = pax_add(records, "hdrcharset", "BINARY", 6);
	if (!err && e->size > LARGEST_SIZE)
		err = pax_add_number(records, "size", e->size);
	if (!err && e->uid > LARGEST_ID)
		err = pax_add_number(records, "uid", e->uid);
	if (!err && e->gid > LARGEST_ID)
		err = pax_add_number(records, "gid", e->gid);
	if (!err && e->major > LARGEST_DEVICE)
		err = pax_add_number(records, "SCHILY.devmajor", e->major);
	if (!err && e->minor > LARGEST_DEVICE)
		err = pax_add_number(records, "SCHILY.devminor", e->minor);
	if (err || !e->has_times)
		return err;
	if (!is_plain_time(&e->mtime))
		err = pax_add_time(records, "mtime", &e->mtime);
	if (!err)
		err = pax_add_time(records, "atime", &e->atime);
	return err ? err : pax_add_time(records, "ctime", &e->ctime);
}

/* The header of the records: a file of its own. */
static void describe_records(const struct vec *records, const struct pax_entry *e, char *name, size_t room,
			     struct pax_entry *out)
{
	const char *slash = strrchr(e->path, '/');

	snprintf(name, room, "PaxHeaders/%.80s", slash && slash[1] ? slash + 1 : e->path);
	*out = (struct pax_entry){ .path = name, .type = 'x', .mode = 0644, .size = records->count };
}

int pax_build(struct vec *out, struct vec *records, const struct pax_entry *e)
{
	int err = add_needed(records, e);
	size_t padded = (records->count + TAR_BLOCK - 1) & ~(size_t)(TAR_BLOCK - 1);
	struct pax_entry extended;
	char name[NAME_FIELD + 1], *to;

	if (err)
		return err;
	out->count = 0;
	to = vec_push(out, TAR_BLOCK + (records->count ? TAR_BLOCK + padded : 0));
	if (!to)
		return F2FS_ERR_NOMEM;
	if (records->count) {
		describe_records(records, e, name, sizeof(name), &extended);
		build_ustar(to, &extended);
		memcpy(to + TAR_BLOCK, records->items, records->count);
		memset(to + TAR_BLOCK + records->count, 0, padded - records->count);
		to += TAR_BLOCK + padded;
	}
	build_ustar(to, e);
	return 0;
}
