/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mutations of compact images that know the format: mostly one field of one structure is set to a value that may mean
 * something in its place; sometimes a block gets another one's contents. Each is a piece appended to the others, so the
 * framing stays whole. libFuzzer's own mutations get their share, too.
 */
#include <f2fskit/format.h>

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/flags.h"
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"

#define MAX_PIECES 4096u

struct mutation {
	uint8_t *data;
	size_t size, max_size;
	uint64_t random;
	struct compact c;
	size_t pieces[MAX_PIECES]; /* offsets */
	uint32_t count;
};

static uint32_t draw(struct mutation *m, uint32_t below)
{
	m->random = m->random * 6364136223846793005u + 1442695040888963407u;
	return below ? (uint32_t)((m->random >> 33) % below) : 0;
}

static int find_pieces(struct mutation *m)
{
	struct compact_piece piece;
	size_t at = COMPACT_HEADER, start = at;

	m->count = 0;
	if (!compact_open(&m->c, m->data, m->size))
		return 0;
	while (m->count < MAX_PIECES && compact_next(&m->c, &at, &piece)) {
		m->pieces[m->count++] = start;
		start = at;
	}
	return m->count > 0;
}

static void get_piece(const struct mutation *m, uint32_t index, struct compact_piece *out)
{
	size_t at = m->pieces[index];

	compact_next(&m->c, &at, out);
}

/* Append a piece; bytes may be NULL for zeros. Returns where its bytes are, NULL for no room. */
static uint8_t *append(struct mutation *m, uint32_t block, uint32_t offset, const uint8_t *bytes, uint32_t length)
{
	uint8_t *head = m->data + m->size;

	if (m->max_size - m->size < COMPACT_PIECE + length)
		return NULL;
	put_le32(head, block);
	put_le16(head + 4, (uint16_t)offset);
	put_le16(head + 6, (uint16_t)length);
	if (bytes)
		memmove(head + COMPACT_PIECE, bytes, length);
	else
		memset(head + COMPACT_PIECE, 0, length);
	m->size += COMPACT_PIECE + length;
	return head + COMPACT_PIECE;
}

/* The places of structures within a block: first offset, distance, number. The kind of a block does not matter. */
static const struct place {
	const char *structure;
	uint32_t first, distance, count;
} places[] = {
	{ "superblock", 1024, 0, 1 },
	{ "sb_device", 1024 + 2201, 68, 8 },
	{ "checkpoint", 0, 0, 1 },
	{ "orphan_tail", 4080, 0, 1 },
	{ "nat_entry", 0, 9, 40 },
	{ "sit_entry", 0, 74, 24 },
	{ "summary_entry", 0, 7, 512 },
	{ "summary_footer", 4091, 0, 1 },
	{ "nat_journal_entry", 2, 13, 38 },
	{ "sit_journal_entry", 509, 78, 6 },
	{ "nat_journal_entry", 3586, 13, 38 },
	{ "sit_journal_entry", 3586, 78, 6 },
	{ "inode", 0, 0, 1 },
	{ "inode", 0, 0, 1 },
	{ "inode_extra", 360, 0, 1 },
	{ "node_footer", 4072, 0, 1 },
	{ "dentry", 30, 11, 20 },
	{ "dentry", 432, 11, 20 },
	{ "xattr_header", 3852, 0, 1 },
	{ "xattr_entry", 3876, 4, 40 },
	{ "xattr_entry", 24, 4, 40 },
	{ "cluster_header", 0, 0, 1 },
	{ "fscrypt_v2", 3881, 0, 1 },
	{ "verity_xattr", 3881, 0, 1 },
	{ "verity_descriptor", 0, 0, 1 },
	{ "quota_header", 0, 0, 1 },
	{ "quota_leaf", 0, 0, 1 },
	/* 16 KiB blocks */
	{ "orphan_tail", 16368, 0, 1 },
	{ "summary_footer", 16379, 0, 1 },
	{ "nat_journal_entry", 14338, 13, 38 },
	{ "node_footer", 16360, 0, 1 },
	{ "dentry", 120, 11, 20 },
	{ "xattr_header", 16140, 0, 1 },
	{ "xattr_entry", 16164, 4, 40 },
	{ "quota_entry", 16, 72, 10 },
};

/* A value that may mean something: an edge, a near neighbour, an address, a node id. */
static uint64_t choose_value(struct mutation *m, uint64_t old, uint32_t width)
{
	static const uint64_t special[] = { 0,		1,   2,	  3,	4,    0xFF, 0xFFFF,	0xFFFFFFFF,
					    0xFFFFFFFE, 511, 512, 4095, 4096, 4097, 0x7FFFFFFF, 0x80000000,
					    UINT64_MAX, 255, 256, 63,	64,   1018, 923,	0xF2F52010 };

	switch (draw(m, 6)) {
	case 0:
		return special[draw(m, sizeof(special) / sizeof(special[0]))];
	case 1:
		return old + draw(m, 9) - 4;
	case 2:
		return old ^ (uint64_t)1 << draw(m, width * 8);
	case 3:
		return draw(m, 32);
	case 4: {
		struct compact_piece piece;

		get_piece(m, draw(m, m->count), &piece); /* the address of some block that is there */
		return piece.block;
	}
	default:
		return (uint64_t)draw(m, 0xFFFFFFFF) << 32 | draw(m, 0xFFFFFFFF);
	}
}

static const uint8_t *bytes_at(const struct compact_piece *piece, uint32_t offset, uint32_t length)
{
	if (offset < piece->offset || offset + length > piece->offset + piece->length)
		return NULL;
	return piece->bytes + (offset - piece->offset);
}

/* Set one field of a structure that some block may hold. */
static int mutate_field(struct mutation *m)
{
	const struct place *place = &places[draw(m, sizeof(places) / sizeof(places[0]))];
	const struct f2fs_struct *type = f2fs_struct_find(place->structure);
	const struct f2fs_field *field = &type->fields[draw(m, type->field_count)];
	const uint32_t width = f2fs_field_width(field), index = draw(m, field->count);
	uint32_t offset = place->first + place->distance * draw(m, place->count) + field->offset + index * width;
	struct compact_piece piece;
	const uint8_t *old;
	uint8_t *bytes, wide[8] = { 0 };
	uint64_t value;

	get_piece(m, draw(m, m->count), &piece);
	/* the two first ones are in known places */
	if (place == &places[0] || place == &places[1])
		get_piece(m, draw(m, m->count < 2 ? m->count : 2), &piece);
	if (offset + width > 1u << m->c.block_bits)
		return 0;
	old = bytes_at(&piece, offset, width);
	if (old)
		memcpy(wide, old, width);
	value = choose_value(m, get_le64(wide), width);
	put_le64(wide, value);
	bytes = append(m, piece.block, offset, wide, width);
	return bytes != NULL;
}

/* Set an aligned word anywhere in a block: block pointers, node ids. */
static int mutate_word(struct mutation *m)
{
	struct compact_piece piece;
	uint8_t word[4];
	const uint8_t *old;
	uint32_t offset;

	get_piece(m, draw(m, m->count), &piece);
	offset = piece.offset + (piece.length ? draw(m, piece.length) : 0);
	offset &= (1u << m->c.block_bits) - 4;
	old = bytes_at(&piece, offset, 4);
	put_le32(word, (uint32_t)choose_value(m, old ? get_le32(old) : 0, 4));
	return append(m, piece.block, offset, word, 4) != NULL;
}

/* Give a block the contents of another one, or the same contents a second place. */
static int copy_block(struct mutation *m)
{
	struct compact_piece from, to;

	get_piece(m, draw(m, m->count), &from);
	get_piece(m, draw(m, m->count), &to);
	return append(m, to.block + draw(m, 3) - 1, from.offset, from.bytes, from.length) != NULL;
}

/* Let libFuzzer change the bytes of one piece, keeping its length. */
static int mutate_bytes(struct mutation *m)
{
	struct compact_piece piece;
	uint32_t index = draw(m, m->count), start;

	get_piece(m, index, &piece);
	if (piece.length == 0)
		return 0;
	start = draw(m, piece.length);
	LLVMFuzzerMutate(m->data + m->pieces[index] + COMPACT_PIECE + start, piece.length - start,
			 piece.length - start);
	return 1;
}

static int drop_piece(struct mutation *m)
{
	uint32_t index = draw(m, m->count);
	size_t start = m->pieces[index], end = index + 1 < m->count ? m->pieces[index + 1] : m->size;

	memmove(m->data + start, m->data + end, m->size - end);
	m->size -= end - start;
	return 1;
}

static int mutate_once(struct mutation *m)
{
	uint32_t kind = draw(m, 100);

	if (!find_pieces(m))
		return 0;
	if (kind < 55)
		return mutate_field(m);
	if (kind < 75)
		return mutate_word(m);
	if (kind < 83)
		return copy_block(m);
	if (kind < 93)
		return mutate_bytes(m);
	if (kind < 97)
		return drop_piece(m);
	m->data[4] = (uint8_t)draw(m, 16);
	return 1;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static struct mutation m;

	memset(&m, 0, sizeof(m));
	m.data = data;
	m.size = size;
	m.max_size = max_size;
	m.random = seed * 0x9E3779B97F4A7C15u + 1;
	draw(&m, 2);
	if (draw(&m, 20) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	for (uint32_t n = 1 + draw(&m, 3), tries = 0; n > 0 && tries < 20; tries++)
		n -= mutate_once(&m) != 0;
	return m.size;
}
