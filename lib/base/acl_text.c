/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access control lists as text: tag:id:permissions, separated by commas.
 */
#include <stdbool.h>
#include <string.h>

#include "base/acl.h"
#include "base/acl_text.h"

/* Of each name the tag without and with an id. */
static const struct {
	const char *name;
	uint16_t plain, with_id; /* 0: there is none */
} names[] = {
	{ "user", ACL_USER_OBJ, ACL_USER },
	{ "group", ACL_GROUP_OBJ, ACL_GROUP },
	{ "mask", ACL_MASK, 0 },
	{ "other", ACL_OTHER, 0 },
};

#define NAMES (sizeof(names) / sizeof(names[0]))

void acl_print(const struct acl_entry *entries, size_t count, struct text *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct acl_entry *e = &entries[i];
		size_t k = 0;

		while (k < NAMES && e->tag != names[k].plain && e->tag != names[k].with_id)
			k++;
		text_printf(out, "%s%s:", i > 0 ? "," : "", k < NAMES ? names[k].name : "?");
		if (k < NAMES && e->tag == names[k].with_id)
			text_printf(out, "%lu", (unsigned long)e->id);
		text_printf(out, ":%c%c%c", e->perm & 4 ? 'r' : '-', e->perm & 2 ? 'w' : '-', e->perm & 1 ? 'x' : '-');
	}
}

struct span {
	const char *start;
	size_t len;
};

/* Cut the part before @separator (or all) off @rest, with the separator. */
static struct span cut(struct span *rest, const char *separators)
{
	struct span part = { rest->start, 0 };

	while (part.len < rest->len && !strchr(separators, rest->start[part.len]))
		part.len++;
	rest->start += part.len;
	rest->len -= part.len;
	if (rest->len > 0) {
		rest->start++;
		rest->len--;
	}
	return part;
}

static bool parse_id(struct span s, uint32_t *id)
{
	uint64_t value = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.start[i] < '0' || s.start[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(s.start[i] - '0');
		if (value >= ACL_NO_ID)
			return false;
	}
	*id = (uint32_t)value;
	return s.len > 0;
}

static bool parse_perm(struct span s, uint16_t *perm)
{
	static const char letters[] = "rwx";

	*perm = 0;
	if (s.len == 1 && s.start[0] >= '0' && s.start[0] <= '7') {
		*perm = (uint16_t)(s.start[0] - '0');
		return true;
	}
	if (s.len != 3)
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (s.start[i] == letters[i])
			*perm |= (uint16_t)(4u >> i);
		else if (s.start[i] != '-')
			return false;
	}
	return true;
}

static bool parse_entry(struct span s, struct acl_entry *e)
{
	struct span name = cut(&s, ":"), id = cut(&s, ":");

	for (size_t k = 0; k < NAMES; k++) {
		if (name.len != 1 && name.len != strlen(names[k].name))
			continue;
		if (name.len == 0 || memcmp(name.start, names[k].name, name.len) != 0)
			continue;
		e->tag = id.len > 0 ? names[k].with_id : names[k].plain;
		e->id = ACL_NO_ID;
		if (e->tag == 0 || (id.len > 0 && !parse_id(id, &e->id)))
			return false;
		return parse_perm(s, &e->perm);
	}
	return false;
}

static bool is_before(const struct acl_entry *a, const struct acl_entry *b)
{
	return a->tag != b->tag ? a->tag < b->tag : a->id < b->id;
}

/* Put entries[at] where it belongs among those before it; false if it is there already. */
static bool insert(struct acl_entry *entries, size_t at)
{
	struct acl_entry e = entries[at];

	while (at > 0 && is_before(&e, &entries[at - 1])) {
		entries[at] = entries[at - 1];
		at--;
	}
	entries[at] = e;
	return at == 0 || is_before(&entries[at - 1], &e);
}

enum acl_result acl_parse(const char *text, size_t len, struct acl_entry *entries, size_t cap, size_t *count)
{
	struct span rest = { text, len };
	enum acl_result result;
	size_t n = 0;

	while (rest.len > 0) {
		struct span part = cut(&rest, ",\n");

		if (n == cap)
			return ACL_NO_ROOM;
		if (!parse_entry(part, &entries[n]))
			return ACL_BAD_TEXT;
		if (!insert(entries, n))
			return ACL_BAD_ORDER;
		n++;
	}
	result = acl_check(entries, n);
	if (result == ACL_OK)
		*count = n;
	return result;
}
