/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote by an inode's checksum. A CRC is linear: the effect of one flipped bit depends on the place of the bit alone,
 * and no two places of a block have the same effect. So if one bit of an inode is wrong, the difference between the
 * stored checksum and the computed one identifies the bit. A checksum that is wrong by more identifies none, except for
 * one chance in 100,000.
 */
#include <string.h>

#include <f2fskit/format.h>

#include "base/crc.h"
#include "base/error.h"
#include "volume/block_read.h"
#include "witness/witness.h"
#include "witness/witness_bits.h"

#define FEW_INODES 8u

/* Effect of a bit on the checksum. */
struct bit_effect {
	uint32_t effect;
	uint32_t bit; /* number in the block; NO_BIT: more than one bit has this effect */
};
#define NO_BIT UINT32_MAX

static int compare(const void *a, const void *b)
{
	const struct bit_effect *x = a, *y = b;

	return (x->effect > y->effect) - (x->effect < y->effect);
}

/* A byte that is summed before the block: of the footer's ino or of the generation. Both are in the block, too. */
static uint32_t byte_before(const struct f2fs_geometry *geo, uint32_t i)
{
	return i < 4 ? node_bytes(geo) + (uint32_t)footer_OFS_ino + i : (uint32_t)inode_OFS_i_generation + i - 4;
}

/* List the effect of each bit of the block, from its end to its start, and then of the eight bytes before it. */
static int list_effects(const struct f2fs_geometry *geo, struct vec *effects)
{
	static const uint8_t zero;
	const uint32_t sum_at = INODE_ADDR_OFFSET + extra_OFS_i_inode_checksum;
	struct bit_effect *list = vec_push(effects, (size_t)geo->block_size * 8);
	uint32_t now[8];

	if (!list)
		return F2FS_ERR_NOMEM;
	for (unsigned b = 0; b < 8; b++) {
		const uint8_t byte = (uint8_t)(1u << b);

		now[b] = crc_f2fs(0, &byte, 1);
	}
	for (uint32_t left = geo->block_size + 8; left > 0; left--) {
		const uint32_t at = left > 8 ? left - 9 : byte_before(geo, left - 1);

		for (unsigned b = 0; b < 8; b++) {
			struct bit_effect *one = &list[(size_t)at * 8 + b];

			one->bit = at - sum_at < 4 ? NO_BIT : at * 8 + b; /* counts as zero itself */
			one->effect ^= now[b];
			now[b] = crc_f2fs(now[b], &zero, 1);
		}
	}
	vec_sort(effects, compare);
	return 0;
}

/* Find the bit; NO_BIT when none, or more than one, has this effect. */
static uint32_t find_bit(const struct vec *effects, uint32_t effect)
{
	const struct bit_effect key = { .effect = effect };
	const size_t at = vec_first(effects, compare, &key);
	const struct bit_effect *found = at < effects->count ? vec_at(effects, at) : NULL;
	const struct bit_effect *next = at + 1 < effects->count ? vec_at(effects, at + 1) : NULL;

	if (!found || found->effect != effect || (next && next->effect == effect))
		return NO_BIT;
	return found->bit;
}

/* A field of an inode's block: a number of at most eight bytes, a word of i_addr, or a byte of something longer. */
struct place {
	const char *name;
	uint32_t at, width;
};

static bool find_in(const char *type, uint32_t start, uint32_t at, struct place *out)
{
	const struct f2fs_struct *s = f2fs_struct_find(type);

	for (uint32_t i = 0; s && at >= start && i < s->field_count; i++) {
		const struct f2fs_field *f = &s->fields[i];
		const uint32_t width = f2fs_field_width(f), from = start + f->offset;

		if (at < from || at - from >= width * f->count)
			continue;
		*out = (struct place){ f->name, at - (at - from) % width, width };
		return true;
	}
	return false;
}

static void find_place(const struct f2fs_geometry *geo, const uint8_t *block, uint32_t at, struct place *out)
{
	*out = (struct place){ "i_addr", at / 4 * 4, 4 };
	if (at < INODE_ADDR_OFFSET)
		find_in("inode", 0, at, out);
	else if (at < INODE_ADDR_OFFSET + inode_extra_size(block))
		find_in("inode_extra", INODE_ADDR_OFFSET, at, out);
	else if (at >= node_bytes(geo))
		find_in("node_footer", node_bytes(geo), at, out);
	else if (at >= inode_nids_offset(geo))
		out->name = "i_nid";
}

static uint64_t value_at(const uint8_t *block, const struct place *place)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < place->width && i < 8; i++)
		value |= (uint64_t)block[place->at + i] << 8 * i;
	return value;
}

/* Turn the bit that the checksum names. */
static int vote_on_inode(struct checker *c, const struct vec *effects, const struct nid_fact *fact)
{
	struct finding why = { .problem = P_INODE_FIELD,
			       .nid = fact->nid,
			       .ino = fact->nid,
			       .has_block = 1,
			       .block = fact->addr,
			       .has_values = 1,
			       .witnesses = WITNESS_CHECKSUM };
	const uint8_t *stored;
	uint8_t *block = c->scratch;
	struct place place;
	uint32_t sum, bit;
	int err = volume_peek(c->vol, fact->addr, &stored);

	if (err == F2FS_ERR_IO) {
		error_clear(c->ctx);
		return 0;
	}
	if (err)
		return err;
	memcpy(block, stored, c->geo->block_size);
	sum = extra_i_inode_checksum(inode_extra(block));
	bit = find_bit(effects, sum ^ inode_checksum(c->geo, block, c->vol->checksum_seed));
	if (bit == NO_BIT)
		return 0;
	find_place(c->geo, block, bit / 8, &place);
	why.found = value_at(block, &place);
	block[bit / 8] ^= (uint8_t)(1u << bit % 8);
	why.expected = value_at(block, &place);
	why.text = place.name;
	if (inode_check(&c->plain, stored, fact->nid, 0) == RULE_NONE &&
	    inode_check(&c->plain, block, fact->nid, 0) != RULE_NONE)
		return 0; /* the chance */
	return witness_amend_bytes(c, fact->addr, bit / 8, 1, block[bit / 8], &why);
}

static bool has_bad_sum(const struct inode_fact *inode)
{
	return (inode->state & INODE_BAD_SUM) != 0;
}

int witness_bits(struct checker *c)
{
	struct vec effects;
	size_t bad = 0;
	int err = 0;

	for (uint32_t i = 0; i < facts_whole_count(&c->facts); i++) /* no plain inode has a wrong checksum */
		bad += has_bad_sum(facts_inode_at(&c->facts, i));
	/* where most are wrong it is not they that are */
	if (bad == 0 || (bad > FEW_INODES && bad > facts_inode_count(&c->facts) / 2))
		return 0;
	if (!c->scratch)
		c->scratch = mem_alloc(c->ctx, c->geo->block_size);
	vec_init(&effects, c->ctx, sizeof(struct bit_effect));
	err = c->scratch ? list_effects(c->geo, &effects) : F2FS_ERR_NOMEM;
	for (uint32_t i = 0; i < facts_whole_count(&c->facts) && !err; i++) {
		const struct inode_fact *inode = facts_inode_at(&c->facts, i);

		if (has_bad_sum(inode))
			err = vote_on_inode(c, &effects, facts_nid(&c->facts, inode->ino));
	}
	vec_fini(&effects);
	return err;
}
