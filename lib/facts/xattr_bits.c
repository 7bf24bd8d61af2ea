/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Correct one wrong bit in a list of extended attributes. The head of an entry determines where the next one begins, so
 * one wrong bit in a length hides all attributes after it. A list is right as a whole: known prefixes, printable names,
 * ACLs and contexts of legal form, only zeros after its end, and the attributes that the inode's marks require. A bit
 * is wrong if its change makes the list right.
 *
 * A longer value hides attributes after it, and a value directly follows its name, so several bits may qualify. Then
 * the list with more attributes is right, or else the one with a context, or the one with shorter names.
 */
#include "facts/xattr_bits.h"

#include <string.h>

#include "base/acl.h"
#include "base/bytes.h"
#include "format/flags.h"
#include "format/fscrypt.h"
#include "format/xattr.h"

#define CONTEXT_HEAD 8u	   /* bytes of a context that have few legal values: version, modes, flags */
#define VERITY_VALUE 16u   /* bytes of the attribute that locates the descriptor */
#define LONGER 8u	   /* bytes that make a name a longer one */
#define MOST_HEADS 64u	   /* that are tried: each costs 32 looks at the list */
#define MOST_ENTRIES 4096u /* more do not fit */
#define NO_CONTEXT (1u << 24) /* rank of a list without a context: no other bytes look like one */

struct list {
	struct f2fs_context *ctx;
	const struct f2fs_geometry *geo;
	bool needs_context, needs_verity;
	bool is_lenient; /* kinds that are not known are right */
	bool is_usual;	 /* contexts have data units of the block's size */
};

struct range {
	uint32_t at, count;
};

static bool is_acl(struct f2fs_context *ctx, const struct xattr_ref *ref)
{
	const size_t room = ACL_COUNT_MAX(ref->value_size);
	struct acl_entry *entries = mem_calloc(ctx, room ? room : 1, sizeof(*entries));
	size_t count;
	bool is_right;

	if (!entries)
		return false;
	is_right = acl_decode_disk(ref->value, ref->value_size, entries, room, &count) == ACL_OK;
	mem_free(ctx, entries);
	return is_right;
}

static bool is_context(const struct list *l, const struct xattr_ref *ref)
{
	struct fscrypt_context context;

	return fscrypt_decode(ref->value, ref->value_size, &context) == RULE_NONE &&
	       !fscrypt_check(&context, l->geo->block_bits) && !(l->is_usual && context.log_data_unit);
}

static bool is_printable(const uint8_t *name, unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		if (name[i] < ' ' || name[i] == 0x7f)
			return false;
	return true;
}

/* Is one attribute right, as its prefix requires? */
static bool is_right_entry(const struct list *l, const struct xattr_ref *ref)
{
	switch (ref->index) {
	case XATTR_ENCRYPTION:
		return ref->name_len == 1 && ref->name[0] == 'c' && is_context(l, ref);
	case XATTR_VERITY:
		return ref->name_len == 1 && ref->name[0] == 'v' && ref->value_size == VERITY_VALUE;
	case XATTR_ACL_ACCESS:
	case XATTR_ACL_DEFAULT:
		return ref->name_len == 0 && is_acl(l->ctx, ref);
	default:
		if (l->is_lenient)
			return xattr_name_is_legal(ref);
		return xattr_has_name(ref->index) && ref->name_len > 0 && is_printable(ref->name, ref->name_len);
	}
}

/* Is all of the list right, and its end? A list of a lower *rank is likelier. */
static bool is_right(const struct list *l, const uint8_t *string, uint32_t size, uint64_t *rank)
{
	bool has_context = false, has_verity = false;
	uint32_t offset = 0;
	struct xattr_ref ref;
	enum xattr_scan found;

	*rank = (uint64_t)MOST_ENTRIES << 32;
	if (size < xhead_SIZE || xhead_h_magic(string) != XATTR_MAGIC)
		return false;
	while ((found = xattr_next(string, size, &offset, &ref)) == XATTR_FOUND) {
		const uint8_t *end = ref.value + ref.value_size;

		if (!is_right_entry(l, &ref))
			return false;
		if (!l->is_lenient && !is_zero(end, (size_t)(string + offset - end)))
			return false; /* an entry is padded with zeros */
		*rank += ref.name_len / LONGER;
		*rank -= *rank >> 32 ? (uint64_t)1 << 32 : 0;
		has_context |= ref.index == XATTR_ENCRYPTION;
		has_verity |= ref.index == XATTR_VERITY;
	}
	if (offset == 0)
		offset = xhead_SIZE;
	*rank += has_context ? 0 : NO_CONTEXT;
	return found == XATTR_END && (has_context || !l->needs_context) && (has_verity || !l->needs_verity) &&
	       is_zero(string + offset, size - offset);
}

/* The best of the bits that make a list right. */
struct choice {
	uint32_t bit;	/* byte * 8 + bit in it */
	uint64_t rank;
	unsigned count; /* bits that are as good; 0: there is none */
};

/* Turn each bit of some bytes. */
static void try_bytes(const struct list *l, uint8_t *string, uint32_t size, struct range range, struct choice *best)
{
	for (uint32_t i = range.at; i < range.at + range.count && i < size; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			uint64_t rank;

			string[i] ^= (uint8_t)(1u << bit);
			if (!is_right(l, string, size, &rank) || (best->count && rank > best->rank)) {
				string[i] ^= (uint8_t)(1u << bit);
				continue;
			}
			string[i] ^= (uint8_t)(1u << bit);
			best->count = best->count && rank == best->rank ? best->count + 1 : 1;
			best->rank = rank;
			best->bit = i * 8 + bit;
		}
}

/* Try the heads of all entries up to the end, or to where the list breaks off, and heads of contexts. */
static struct choice try_all(const struct list *l, uint8_t *string, uint32_t size)
{
	struct choice best = { 0 };
	uint32_t offset = 0;
	struct xattr_ref ref;

	try_bytes(l, string, size, (struct range){ xhead_OFS_h_magic, 4 }, &best);
	for (unsigned n = 0; n < MOST_HEADS; n++) {
		const uint32_t at = offset ? offset : (uint32_t)xhead_SIZE;
		const enum xattr_scan scan = xattr_next(string, size, &offset, &ref);

		try_bytes(l, string, size, (struct range){ at, xentry_SIZE }, &best);
		if (scan != XATTR_FOUND)
			break;
		if (ref.value_size >= CONTEXT_HEAD && (l->needs_context || ref.index == XATTR_ENCRYPTION))
			try_bytes(l, string, size,
				  (struct range){ (uint32_t)(ref.value - string), CONTEXT_HEAD }, &best);
	}
	return best;
}

static void list_init(struct list *l, struct f2fs_context *ctx, const struct f2fs_geometry *geo, unsigned advise)
{
	memset(l, 0, sizeof(*l));
	l->ctx = ctx;
	l->geo = geo;
	l->needs_context = (advise & FLAG_i_advise_encrypt) != 0;
	l->needs_verity = (advise & FLAG_i_advise_verity) != 0;
}

bool xattrs_are_sound(struct f2fs_context *ctx, const struct f2fs_geometry *geo, const uint8_t *string, uint32_t size,
		      unsigned advise)
{
	uint64_t rank;
	struct list l;

	list_init(&l, ctx, geo, advise);
	if (!l.needs_context && !l.needs_verity && is_zero(string, size))
		return true;
	l.is_lenient = true;
	return is_right(&l, string, size, &rank);
}

bool xattr_correct(struct f2fs_context *ctx, const struct f2fs_geometry *geo, uint8_t *string, uint32_t size,
		   unsigned advise, uint32_t *byte)
{
	struct choice best;
	struct list l;

	if (size < xhead_SIZE || xattrs_are_sound(ctx, geo, string, size, advise))
		return false;
	list_init(&l, ctx, geo, advise);
	l.is_usual = true;
	best = try_all(&l, string, size);
	if (best.count != 1) {
		l.is_usual = false;
		best = try_all(&l, string, size);
	}
	if (best.count != 1)
		return false;
	string[best.bit / 8] ^= (uint8_t)(1u << best.bit % 8);
	*byte = best.bit / 8;
	return true;
}
