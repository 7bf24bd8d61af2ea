/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as an ACL, in each of its three forms; a well-formed one comes back the same from all of them. */
#include <stdlib.h>
#include <string.h>

#include "base/acl.h"
#include "base/acl_text.h"
#include "fuzz/fuzz.h"

#define MAX_ENTRIES 1000

static void expect(int holds)
{
	if (!holds)
		abort();
}

static int compare(const void *a, const void *b)
{
	const struct acl_entry *x = a, *y = b;

	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (int)x->perm - (int)y->perm;
}

/* Text has the entries in their order; the binary forms may have them in any that the kernel takes. */
static void expect_same(const struct acl_entry *a, const struct acl_entry *b, size_t n)
{
	static struct acl_entry x[MAX_ENTRIES], y[MAX_ENTRIES];

	memcpy(x, a, n * sizeof(*a));
	memcpy(y, b, n * sizeof(*b));
	qsort(x, n, sizeof(*x), compare);
	qsort(y, n, sizeof(*y), compare);
	expect(memcmp(x, y, n * sizeof(*x)) == 0);
}

/* Text has each id once; a kernel takes a list that has one twice. */
static int has_id_twice(const struct acl_entry *entries, size_t n)
{
	static struct acl_entry sorted[MAX_ENTRIES];

	memcpy(sorted, entries, n * sizeof(*entries));
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = 1; i < n; i++)
		if (sorted[i].tag == sorted[i - 1].tag && sorted[i].id == sorted[i - 1].id)
			return 1;
	return 0;
}

/* Through text and both binary forms. */
static void round_trips(const struct acl_entry *entries, size_t n)
{
	static struct acl_entry again[MAX_ENTRIES];
	static uint8_t raw[ACL_SIZE_MAX(MAX_ENTRIES)];
	static char buffer[MAX_ENTRIES * 40];
	struct text text;
	size_t length, count;

	if (acl_check(entries, n) != ACL_OK)
		return;
	length = acl_encode_disk(entries, n, raw);
	expect(length <= ACL_SIZE_MAX(n));
	expect(acl_decode_disk(raw, length, again, MAX_ENTRIES, &count) == ACL_OK && count == n);
	expect(memcmp(entries, again, n * sizeof(*entries)) == 0);
	length = acl_encode_xattr(entries, n, raw);
	expect(acl_decode_xattr(raw, length, again, MAX_ENTRIES, &count) == ACL_OK && count == n);
	expect(memcmp(entries, again, n * sizeof(*entries)) == 0);
	text_init(&text, buffer, sizeof(buffer));
	acl_print(entries, n, &text);
	expect(!text.truncated);
	if (has_id_twice(entries, n)) {
		expect(acl_parse(buffer, text.len, again, MAX_ENTRIES, &count) == ACL_BAD_ORDER);
		return;
	}
	expect(acl_parse(buffer, text.len, again, MAX_ENTRIES, &count) == ACL_OK && count == n);
	expect_same(entries, again, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct acl_entry entries[MAX_ENTRIES];
	size_t n;

	if (size < 1 || size > 4000)
		return 0;
	memset(entries, 0, sizeof(entries));
	if (acl_decode_disk(data + 1, size - 1, entries, MAX_ENTRIES, &n) == ACL_OK)
		round_trips(entries, n);
	memset(entries, 0, sizeof(entries));
	if (acl_decode_xattr(data + 1, size - 1, entries, MAX_ENTRIES, &n) == ACL_OK)
		round_trips(entries, n);
	memset(entries, 0, sizeof(entries));
	if (acl_parse((const char *)data + 1, size - 1, entries, MAX_ENTRIES, &n) == ACL_OK)
		round_trips(entries, n);
	return 0;
}
