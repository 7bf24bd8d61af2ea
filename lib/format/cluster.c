/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cluster slots and header. A compressed cluster is: the head COMPRESS_ADDR, then its blocks, then nothing but
 * slots without a block. Readers need no more than that, so it is all that is demanded here.
 */
#include "format/cluster.h"

#include "base/crc.h"
#include "format/structs.h"

static void set_illegal(struct cluster_shape *out, enum cluster_problem problem, uint32_t slot)
{
	out->kind = CLUSTER_ILLEGAL;
	out->problem = problem;
	out->problem_slot = slot;
}

/* Count a slot that is no head; false if its value cannot be an address. */
static bool count_slot(const struct f2fs_geometry *geo, f2fs_blk_t addr, struct cluster_shape *out)
{
	if (addr == F2FS_NEW_ADDR)
		out->reserved++;
	else if (geometry_is_main(geo, addr))
		out->stored++;
	else
		return addr == F2FS_NULL_ADDR;
	return true;
}

/* Check slot @i after the head of a compressed cluster, @stored blocks before it. */
static enum cluster_problem check_slot(const struct f2fs_geometry *geo, f2fs_blk_t addr, uint32_t i,
				       struct cluster_shape *out)
{
	uint32_t stored = out->stored;

	if (addr == F2FS_COMPRESS_ADDR)
		return CLUSTER_SECOND_HEAD;
	if (!count_slot(geo, addr, out))
		return CLUSTER_BAD_ADDRESS;
	/* the blocks fill the slots from the first one on */
	return out->stored > stored && out->stored != i ? CLUSTER_GAP : CLUSTER_FINE;
}

static void classify_compressed(const struct f2fs_geometry *geo, const uint8_t *slots, uint32_t blocks,
				struct cluster_shape *out)
{
	for (uint32_t i = 1; i < blocks; i++) {
		enum cluster_problem problem = check_slot(geo, get_le32(slots + 4 * (size_t)i), i, out);

		if (problem != CLUSTER_FINE) {
			set_illegal(out, problem, i);
			return;
		}
	}
	if (out->stored == 0)
		set_illegal(out, CLUSTER_EMPTY, 0);
	else if (out->reserved == 0 && out->stored < blocks - 1)
		out->kind = CLUSTER_RELEASED;
	else
		out->kind = CLUSTER_COMPRESSED;
}

static void classify_plain(const struct f2fs_geometry *geo, const uint8_t *slots, uint32_t blocks,
			   struct cluster_shape *out)
{
	for (uint32_t i = 0; i < blocks; i++) {
		f2fs_blk_t addr = get_le32(slots + 4 * (size_t)i);

		if (count_slot(geo, addr, out))
			continue;
		set_illegal(out, addr == F2FS_COMPRESS_ADDR ? CLUSTER_MISPLACED_HEAD : CLUSTER_BAD_ADDRESS, i);
		return;
	}
	out->kind = out->stored + out->reserved > 0 ? CLUSTER_PLAIN : CLUSTER_HOLE;
}

void cluster_classify(const struct f2fs_geometry *geo, const uint8_t *slots, uint32_t blocks, struct cluster_shape *out)
{
	memset(out, 0, sizeof(*out));
	if (get_le32(slots) == F2FS_COMPRESS_ADDR)
		classify_compressed(geo, slots, blocks, out);
	else
		classify_plain(geo, slots, blocks, out);
}

const char *cluster_problem_text(enum cluster_problem problem)
{
	static const char *const texts[] = {
		[CLUSTER_FINE] = "legal",
		[CLUSTER_MISPLACED_HEAD] = "a cluster head in the middle of a cluster",
		[CLUSTER_SECOND_HEAD] = "two cluster heads in one cluster",
		[CLUSTER_GAP] = "a block after the end of the compressed blocks",
		[CLUSTER_EMPTY] = "a cluster head without blocks",
		[CLUSTER_BAD_ADDRESS] = "an address outside the main area",
	};

	return texts[problem];
}

enum rule cluster_header_decode(const uint8_t *raw, size_t stored_bytes, struct cluster_header *out)
{
	if (stored_bytes < chead_SIZE || chead_clen(raw) > stored_bytes - chead_SIZE)
		return RULE_CLUSTER_LENGTH;
	out->length = chead_clen(raw);
	out->checksum = chead_chksum(raw);
	return RULE_NONE;
}

void cluster_header_encode(const struct cluster_header *header, uint8_t *raw)
{
	memset(raw, 0, chead_SIZE);
	chead_set_clen(raw, header->length);
	chead_set_chksum(raw, header->checksum);
}

uint32_t cluster_checksum(const uint8_t *bytes, size_t n)
{
	return crc_f2fs(CRC_F2FS_SEED, bytes, n);
}
