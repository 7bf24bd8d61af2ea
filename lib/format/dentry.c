/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slot areas and hash levels of directories.
 */
#include "format/dentry.h"

#include "base/checked.h"

void dentry_inline_geometry(uint32_t payload, struct dentry_inline_geometry *out)
{
	const uint32_t per_slot = dentry_SIZE + DENTRY_SLOT_BYTES;

	out->slots = payload * 8 / (per_slot * 8 + 1);
	out->bitmap_size = div_ceil32(out->slots, 8);
	out->name_offset = payload - out->slots * DENTRY_SLOT_BYTES;
	out->entry_offset = out->name_offset - out->slots * dentry_SIZE;
}

void dentry_area_of_block(const struct f2fs_geometry *geo, const uint8_t *block, struct dentry_area *out)
{
	out->bitmap = block;
	out->entries = block + geo->dentry_offset;
	out->names = block + geo->dentry_name_offset;
	out->slots = geo->dentries_per_block;
}

void dentry_area_of_payload(const uint8_t *payload, uint32_t size, struct dentry_area *out)
{
	struct dentry_inline_geometry g;

	dentry_inline_geometry(size, &g);
	out->bitmap = payload;
	out->entries = payload + g.entry_offset;
	out->names = payload + g.name_offset;
	out->slots = g.slots;
}

void dentry_area_of_inode(const uint8_t *block, const struct inode_layout *layout, struct dentry_area *out)
{
	dentry_area_of_payload(block + layout->inline_offset, layout->inline_size, out);
}

enum dentry_scan dentry_next(const struct dentry_area *area, uint32_t *slot, struct dentry_ref *out)
{
	for (uint32_t i = *slot; i < area->slots; i++) {
		const uint8_t *raw = area->entries + (size_t)i * dentry_SIZE;
		uint32_t len;

		if (!lsb_test(area->bitmap, i))
			continue;
		len = dentry_name_len(raw);
		if (len == 0)
			continue;
		out->slot = i;
		out->hash = dentry_hash_code(raw);
		out->ino = dentry_ino(raw);
		out->name_len = (uint16_t)len;
		out->type = dentry_file_type(raw);
		out->name = area->names + (size_t)i * DENTRY_SLOT_BYTES;
		if (len > NAME_MAX_BYTES || dentry_slots_of(len) > area->slots - i) {
			*slot = i + 1;
			return DENTRY_BAD;
		}
		*slot = i + dentry_slots_of(len);
		return DENTRY_FOUND;
	}
	*slot = area->slots;
	return DENTRY_END;
}

bool dentry_may_have_hash(const struct dentry_area *area, uint32_t hash)
{
	const uint8_t *raw = area->entries;
	bool found = false;

	for (uint32_t i = 0; i < area->slots; i++, raw += dentry_SIZE)
		found |= dentry_hash_code(raw) == hash;
	return found;
}

/* Return how many slots from a multiple of 8 on are in use, by whole bytes; 0: look at single ones. */
static uint32_t count_full(const struct dentry_area *area, uint32_t slot)
{
	const uint8_t *at = area->bitmap + slot / 8;

	if (slot % 8)
		return 0;
	if (area->slots - slot >= 64 && get_le64(at) == UINT64_MAX)
		return 64;
	return *at == 0xff ? 8 : 0;
}

static uint32_t find_free(const struct dentry_area *area, uint32_t from, uint32_t count)
{
	uint32_t run = 0;

	for (uint32_t i = from; i < area->slots; i++) {
		const uint32_t full = count_full(area, i); /* most of an area that fills up */

		if (full) {
			run = 0;
			i += full - 1;
			continue;
		}
		run = lsb_test(area->bitmap, i) ? 0 : run + 1;
		if (run == count)
			return i + 1 - count;
	}
	return area->slots;
}

/* Return the slot after a name that reaches into a slot marked as free; 0: no name does. */
static uint32_t end_of_names(const struct dentry_area *area, uint32_t slot)
{
	const uint32_t most = dentry_slots_of(NAME_MAX_BYTES);

	for (uint32_t at = slot > most ? slot - most : 0; at < slot;) {
		const uint32_t length = dentry_name_len(area->entries + (size_t)at * dentry_SIZE);
		const bool is_name = lsb_test(area->bitmap, at) && length > 0 && length <= NAME_MAX_BYTES;

		at += is_name && dentry_slots_of(length) <= area->slots - at ? dentry_slots_of(length) : 1;
		if (at > slot)
			return at;
	}
	return 0;
}

uint32_t dentry_find_room(const struct dentry_area *area, uint32_t from, uint32_t count)
{
	uint32_t slot = from, end;

	do {
		slot = find_free(area, slot, count);
		end = slot < area->slots ? end_of_names(area, slot) : 0;
		if (end)
			slot = end < area->slots ? end : area->slots;
	} while (end && slot < area->slots);
	return slot;
}

uint64_t dentry_buckets(unsigned level, unsigned dir_level)
{
	return level + dir_level < 31 ? (uint64_t)1 << (level + dir_level) : (uint64_t)1 << 30;
}

unsigned dentry_bucket_blocks(unsigned level)
{
	return level < 31 ? 2 : 4;
}

uint64_t dentry_bucket_start(unsigned level, unsigned dir_level, uint32_t hash)
{
	uint64_t base = 0;

	for (unsigned l = 0; l < level; l++)
		base += dentry_buckets(l, dir_level) * dentry_bucket_blocks(l);
	return base + hash % dentry_buckets(level, dir_level) * dentry_bucket_blocks(level);
}

bool dentry_has_own_dot(const struct dentry_area *area, f2fs_nid_t ino)
{
	struct dentry_ref ref;
	uint32_t slot = 0;

	return area->slots > 1 && dentry_next(area, &slot, &ref) == DENTRY_FOUND && ref.slot == 0 &&
	       ref.name_len == 1 && ref.name[0] == '.' && ref.ino == ino;
}
