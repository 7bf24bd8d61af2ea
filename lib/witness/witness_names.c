/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on names. The name of an entry is in its bytes and their number, in its hash, and in i_name of the inode that it
 * names. If the hash of an entry contradicts its name, the inode's name may replace it. That name must have the hash,
 * and the inode must remember this directory. Then hash and inode agree against the bytes of the entry.
 *
 * When name and hash are both wrong, the name of the inode is believed if it needs fewer wrong bits than the hash does.
 *
 * An inode remembers the last name that it was given, and none that was taken over by renaming. So the entries of other
 * links have only their hash as a witness. It finds one wrong bit, or a wrong length (witness_hashes.c).
 */
#include <string.h>

#include "base/namehash.h"
#include "facts/dir_judge.h"
#include "witness/witness.h"
#include "witness/witness_hashes.h"
#include "witness/witness_homes.h"
#include "witness/witness_names.h"
#include "witness/witness_own.h"

#define MAX_SOLVED 64u /* names of which one wrong bit is looked for; more are a matter of more than bits */

/* Does a name fit into its slots, of which further ones begin no other entry? */
static bool has_room(const struct dentry_area *area, uint32_t slot, uint32_t length)
{
	return slot + dentry_slots_of(length) <= area->slots;
}

static struct finding about_entry(const struct finding *about, enum problem problem, uint64_t found, uint64_t expected,
				  unsigned witnesses)
{
	return (struct finding){ .problem = (uint16_t)problem,
				 .nid = about->ino,
				 .ino = about->ino,
				 .has_block = 1,
				 .block = about->entry_block,
				 .has_slot = 1,
				 .slot = about->entry_slot,
				 .entry_block = about->entry_block,
				 .entry_slot = about->entry_slot,
				 .has_values = 1,
				 .found = found,
				 .expected = expected,
				 .witnesses = (uint16_t)witnesses };
}

static int amend_name(struct checker *c, const struct finding *about, const struct dentry_area *area,
		      const struct own_name *name, unsigned witnesses)
{
	const uint8_t *raw = area->entries + (size_t)about->entry_slot * dentry_SIZE;
	const uint8_t *bytes = area->names + (size_t)about->entry_slot * DENTRY_SLOT_BYTES;
	const uint32_t name_at = (uint32_t)(bytes - c->scratch), entry_at = (uint32_t)(raw - c->scratch);
	const struct finding why =
		about_entry(about, P_DENTRY_RENAMED, dentry_name_len(raw), name->length, witnesses);
	const size_t verdicts = c->book->verdicts.count;
	int err = witness_amend_bytes(c, about->entry_block, entry_at + (uint32_t)dentry_OFS_name_len, 2, name->length,
				      &why);

	for (uint32_t i = 0; i < name->length && !err && c->book->verdicts.count > verdicts; i++)
		err = witness_amend_more(c, about->entry_block, name_at + i, 1, name->bytes[i]);
	return err;
}

static bool is_one_bit(uint64_t x)
{
	return x != 0 && (x & (x - 1)) == 0;
}

/* One bit of the hash is wrong: of the name, more bits would have to be. */
static int amend_hash(struct checker *c, const struct finding *about, const struct dentry_area *area)
{
	const uint8_t *raw = area->entries + (size_t)about->entry_slot * dentry_SIZE;
	const struct finding why = about_entry(about, P_DENTRY_HASH, about->found, about->expected, WITNESS_CONTENTS);

	return witness_amend_bytes(c, about->entry_block,
				   (uint32_t)(raw - c->scratch) + (uint32_t)dentry_OFS_hash_code, 4, about->expected,
				   &why);
}

/* Has the inode that an entry names its hash in the name that it remembers here? */
static bool has_hash_of(struct checker *c, const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot,
			struct own_name *name)
{
	const uint8_t *raw = area->entries + (size_t)slot * dentry_SIZE;
	struct dentry_ref ref = { .name = name->bytes };
	uint32_t hash;

	if (!witness_own_name(c, dir, dentry_ino(raw), name) || !has_room(area, slot, name->length))
		return false;
	ref.name_len = (uint16_t)name->length;
	return dir_expected_hash(dir, &ref, &hash) && hash == dentry_hash_code(raw);
}

#define MAX_BITS 8u /* of an entry that may be wrong at once */

static uint32_t bits_between(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t x = a[i] ^ b[i];

		bits += bitmap_popcount(&x, 1);
	}
	return bits;
}

static uint32_t bits_between_words(uint32_t a, uint32_t b)
{
	uint8_t x[4], y[4];

	put_le32(x, a);
	put_le32(y, b);
	return bits_between(x, y, 4);
}

/*
 * Are name and hash of an entry wrong in a few bits each? Then the name and hash that the inode remembers here are
 * nearer to the stored ones than the hash is to the entry's own name. *hash: its right value.
 */
static bool is_nearly(struct checker *c, const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot,
		      struct own_name *name, uint32_t *hash)
{
	const uint8_t *raw = area->entries + (size_t)slot * dentry_SIZE;
	const uint8_t *stored = area->names + (size_t)slot * DENTRY_SLOT_BYTES;
	const uint32_t length = dentry_name_len(raw);
	struct dentry_ref ref = { .name = name->bytes };
	uint32_t bits, as_named;

	if (!witness_own_name(c, dir, dentry_ino(raw), name) || !has_room(area, slot, name->length))
		return false;
	ref.name_len = (uint16_t)name->length;
	if (!dir_expected_hash(dir, &ref, hash))
		return false;
	bits = bits_between(stored, name->bytes, name->length) + bits_between_words(length, name->length) +
	       bits_between_words(*hash, dentry_hash_code(raw));
	ref = (struct dentry_ref){ .name = stored, .name_len = (uint16_t)length };
	if (length == 0 || length > NAME_MAX_BYTES || !has_room(area, slot, length))
		return bits <= MAX_BITS;
	return bits <= MAX_BITS && dir_expected_hash(dir, &ref, &as_named) &&
	       bits < bits_between_words(as_named, dentry_hash_code(raw));
}

static int amend_both(struct checker *c, const struct finding *about, const struct dentry_area *area,
		      const struct own_name *name, uint32_t hash)
{
	const uint8_t *raw = area->entries + (size_t)about->entry_slot * dentry_SIZE;
	const uint32_t at = (uint32_t)(raw - c->scratch) + (uint32_t)dentry_OFS_hash_code;
	const size_t verdicts = c->book->verdicts.count;
	int err = amend_name(c, about, area, name, WITNESS_INODE);

	return err || c->book->verdicts.count == verdicts ? err
							  : witness_amend_more(c, about->entry_block, at, 4, hash);
}

/*
 * In a directory whose hashes need a key: are the bytes of an entry those of the name that its inode remembers here, so
 * that only the length is wrong?
 */
static bool has_bytes_of(struct checker *c, const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot,
			 struct own_name *name)
{
	const uint8_t *raw = area->entries + (size_t)slot * dentry_SIZE;
	struct dentry_ref ref = { .name = name->bytes };
	uint32_t hash;

	if (!witness_own_name(c, dir, dentry_ino(raw), name) || !has_room(area, slot, name->length))
		return false;
	ref.name_len = (uint16_t)name->length;
	return !dir_expected_hash(dir, &ref, &hash) &&
	       memcmp(area->names + (size_t)slot * DENTRY_SLOT_BYTES, name->bytes, name->length) == 0;
}

/* Is this the name that an entry has? */
static bool has_name(const struct dentry_area *area, uint32_t slot, const struct own_name *name)
{
	return dentry_name_len(area->entries + (size_t)slot * dentry_SIZE) == name->length &&
	       memcmp(area->names + (size_t)slot * DENTRY_SLOT_BYTES, name->bytes, name->length) == 0;
}

static int vote_on_entry(struct checker *c, const struct finding *about, unsigned *solved)
{
	const struct inode_fact *dir = facts_inode(&c->facts, about->ino);
	unsigned witnesses = WITNESS_HASH | WITNESS_INODE;
	struct dentry_area area;
	struct own_name name;
	uint32_t hash;
	bool is_read;
	int err;

	if (!dir || dir->type != F2FS_TYPE_DIRECTORY || about->entry_block == 0)
		return 0;
	err = witness_copy_block(c, about->entry_block, &is_read);
	if (err || !is_read)
		return err;
	dir_area(c, dir, c->scratch, &area);
	if (about->entry_slot >= area.slots || !lsb_test(area.bitmap, about->entry_slot))
		return 0;
	if (about->problem == P_DENTRY_HASH && is_one_bit(about->found ^ about->expected))
		return amend_hash(c, about, &area);
	if (!has_hash_of(c, dir, &area, about->entry_slot, &name)) {
		if (is_nearly(c, dir, &area, about->entry_slot, &name, &hash))
			return amend_both(c, about, &area, &name, hash);
		if (has_bytes_of(c, dir, &area, about->entry_slot, &name))
			return amend_name(c, about, &area, &name, WITNESS_INODE);
		witnesses = WITNESS_HASH;
		if (++*solved > MAX_SOLVED || !hash_solve(dir, &area, about->entry_slot, &name))
			return 0;
	}
	return has_name(&area, about->entry_slot, &name) ? 0 : amend_name(c, about, &area, &name, witnesses);
}

/* Find block 0 of a directory, or its inode, if the entries are there. */
static int copy_first_block(struct checker *c, const struct inode_fact *dir, f2fs_blk_t *addr, bool *is_read)
{
	const struct nid_fact *fact = facts_nid(&c->facts, dir->ino);
	struct inode_layout layout;
	int err;

	*addr = fact->addr;
	err = witness_copy_block(c, *addr, is_read);
	if (err || !*is_read || inode_fact_is_inline(dir))
		return err;
	inode_layout(c->geo, c->scratch, &layout);
	*addr = get_le32(c->scratch + layout.slot_offset);
	*is_read = geometry_is_main(c->geo, *addr);
	return *is_read ? witness_copy_block(c, *addr, is_read) : 0;
}

/* Is this slot "." or ".." but for the bytes of the name or their number, as everything else in it says? */
static bool is_dots(const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot)
{
	static const uint8_t dots[2][DENTRY_SLOT_BYTES] = { ".", ".." };
	const uint8_t *raw = area->entries + (size_t)slot * dentry_SIZE;

	return lsb_test(area->bitmap, slot) && dentry_hash_code(raw) == 0 &&
	       dentry_file_type(raw) == F2FS_TYPE_DIRECTORY && dentry_ino(raw) == (slot ? dir->pino : dir->ino) &&
	       (dentry_name_len(raw) == slot + 1 ||
		memcmp(area->names + (size_t)slot * DENTRY_SLOT_BYTES, dots[slot], DENTRY_SLOT_BYTES) == 0);
}

/* A wrong length of "." or ".." hides the entries behind it. With wrong bytes it is the name of another file. */
static int vote_on_dots(struct checker *c, const struct inode_fact *dir)
{
	struct own_name name = { .bytes = ".." };
	struct dentry_area area;
	f2fs_blk_t addr;
	bool is_read;
	int err;

	err = copy_first_block(c, dir, &addr, &is_read);
	if (err || !is_read)
		return err;
	dir_area(c, dir, c->scratch, &area);
	for (uint32_t slot = 0; slot < 2 && !err; slot++) {
		const struct finding about = { .ino = dir->ino, .entry_block = addr, .entry_slot = (uint16_t)slot };

		name.length = slot + 1;
		if (is_dots(dir, &area, slot) && !has_name(&area, slot, &name))
			err = amend_name(c, &about, &area, &name, WITNESS_HASH | WITNESS_CONTENTS);
	}
	return err;
}

int witness_names(struct checker *c)
{
	const size_t count = c->findings.count;
	unsigned solved = 0;
	int err = 0;

	if (c->book->votes >= MAX_VOTES)
		return 0;
	for (size_t i = 0; i < count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == P_DENTRY_HASH || f->problem == P_DENTRY_CHARS || f->problem == P_DENTRY_NAME ||
		    f->problem == P_DENTRY_BITMAP || f->problem == P_DENTRY_SLOTS)
			err = vote_on_entry(c, f, &solved);
	}
	for (uint32_t i = 0; i < facts_whole_count(&c->facts) && !err; i++) {
		const struct inode_fact *dir = facts_inode_at(&c->facts, i);

		if (dir->type == F2FS_TYPE_DIRECTORY && dir->links != 0 &&
		    !((dir->state & INODE_HAS_DOT) && (dir->state & INODE_HAS_DOTDOT)))
			err = vote_on_dots(c, dir);
	}
	if (!err && !c->must_restart)
		err = witness_homes(c);
	c->book->votes += c->must_restart;
	return err;
}
