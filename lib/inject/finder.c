/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill in a place, and check what its finder needs.
 */
#include <string.h>

#include "base/error.h"
#include "format/superblock.h"
#include "inject/finder.h"
#include "inject/run.h"

int need_geometry(struct f2fs_inject *inject)
{
	return inject->has_geo ? 0
			       : error_set(inject->ctx, F2FS_ERR_STATE,
					   "neither superblock is valid: only sb and its fields can be found");
}

int need_volume(struct f2fs_inject *inject)
{
	const int code = inject->refusal.code == F2FS_ERR_IO ? F2FS_ERR_IO : F2FS_ERR_STATE;

	if (inject->vol)
		return 0;
	return error_set(inject->ctx, code, "it takes an open volume to find this, and it cannot be opened: %.300s",
			 inject->refusal.message);
}

int need_number(struct f2fs_inject *inject, const struct address *address, unsigned i, uint64_t limit, uint64_t *out)
{
	if (i >= address->bracket_count || address->brackets[i].is_text)
		return error_set(inject->ctx, F2FS_ERR_INVALID, "%s needs a number in brackets", address->place);
	*out = address->brackets[i].number;
	if (*out >= limit)
		return error_set(inject->ctx, F2FS_ERR_RANGE, "%s[%llu]: the number is not below %llu", address->place,
				 (unsigned long long)*out, (unsigned long long)limit);
	return 0;
}

void place_add_scope(struct place *place, const char *structure, uint32_t offset, uint32_t limit, const char *prefix)
{
	struct place_scope *scope = &place->scopes[place->scope_count++];

	scope->type = f2fs_struct_find(structure);
	scope->offset = offset;
	scope->limit = limit < scope->type->size ? limit : scope->type->size;
	scope->prefix = prefix;
}

void place_add_array(struct place *place, const char *name, uint32_t offset, uint32_t count, uint8_t width)
{
	const struct place_array array = { name, offset, count, width, false };

	place->arrays[place->array_count++] = array;
}

int place_take_block(struct f2fs_inject *inject, uint64_t addr, struct place *out)
{
	if (addr >= inject->geo.end_blkaddr)
		return error_set(inject->ctx, F2FS_ERR_RANGE, "block %llu is beyond the end of the volume at %llu",
				 (unsigned long long)addr, (unsigned long long)inject->geo.end_blkaddr);
	out->at[0] = addr * inject->geo.block_size;
	out->copies = 1;
	out->size = inject->geo.block_size;
	return 0;
}
