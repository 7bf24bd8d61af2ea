/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guess an inode's type when its mode is damaged or contradicts the entries that name it. The form of the inode comes
 * first: a directory has entries with its own ".", a file or symlink has contents, a device has a number without
 * contents. If the form allows several types, the mode and the entries vote. The answer is a mode that holds for the
 * whole check. The check starts again with it, because pointers and entries are read by type.
 */
#include <string.h>

#include "base/error.h"
#include "facts/inode_type.h"
#include "facts/run.h"
#include "format/dentry.h"
#include "volume/block_read.h"

#define MAX_RESTARTS 8u /* levels of directories whose modes are damaged below each other */

#define BIT(type) (1u << (type))
#define FORM_DEVICE (BIT(F2FS_TYPE_CHARACTER) | BIT(F2FS_TYPE_BLOCK))
#define FORM_EMPTY (BIT(F2FS_TYPE_REGULAR) | BIT(F2FS_TYPE_FIFO) | BIT(F2FS_TYPE_SOCKET) | FORM_DEVICE)

static const char *const names[F2FS_TYPE_END] = {
	[F2FS_TYPE_REGULAR] = "regular file", [F2FS_TYPE_DIRECTORY] = "directory",
	[F2FS_TYPE_CHARACTER] = "character device", [F2FS_TYPE_BLOCK] = "block device",
	[F2FS_TYPE_FIFO] = "pipe", [F2FS_TYPE_SOCKET] = "socket",
	[F2FS_TYPE_SYMLINK] = "symlink",
};

const char *type_name(uint16_t mode)
{
	const char *name = names[f2fs_type_of_mode(mode)];

	return name ? name : "file of no known type";
}

/* ---- the form of an inode */

static const uint8_t *peek_slot(struct checker *c, const uint8_t *block, const struct inode_layout *layout)
{
	const f2fs_blk_t addr = get_le32(block + layout->slot_offset);
	const uint8_t *data = NULL;

	if (!geometry_is_main(c->geo, addr))
		return NULL;
	if (volume_peek(c->vol, addr, &data) != 0) {
		error_clear(c->ctx);
		return NULL;
	}
	return data;
}

static bool is_directory(struct checker *c, f2fs_nid_t ino, const uint8_t *block, const struct inode_layout *layout)
{
	const bool is_inline = inode_has_inline(block, FLAG_i_inline_inline_dentry);
	const uint32_t depth = inode_i_current_depth(block);
	const uint8_t *entries = is_inline ? block : peek_slot(c, block, layout);
	struct dentry_area area;

	if (entries && is_inline)
		dentry_area_of_inode(block, layout, &area);
	else if (entries)
		dentry_area_of_block(c->geo, entries, &area);
	if (entries && dentry_has_own_dot(&area, ino))
		return true;
	return depth > 0 && depth <= DIR_MAX_DEPTH && !inode_has_inline(block, FLAG_i_inline_inline_data) &&
	       (is_inline || (inode_i_flags(block) & FLAG_i_flags_index));
}

/* Could the contents be the target of a symlink: text of that length, then a NUL? */
static bool is_target(struct checker *c, const uint8_t *block, const struct inode_layout *layout)
{
	const bool is_inline = inode_has_inline(block, FLAG_i_inline_inline_data);
	const uint8_t *text = is_inline ? block + layout->inline_offset : peek_slot(c, block, layout);
	const uint32_t room = is_inline ? layout->inline_size : c->geo->block_size;
	const uint64_t size = inode_i_size(block);

	if (!text || size == 0 || size > room)
		return false;
	if (inode_i_advise(block) & FLAG_i_advise_encrypt)
		return true;
	for (uint32_t i = 0; i < size; i++)
		if (text[i] < ' ')
			return false;
	return size == room || text[size] == 0;
}

static bool owns_nodes(const struct checker *c, const uint8_t *block)
{
	for (unsigned i = 0; i < INODE_NIDS; i++)
		if (facts_has_nid(&c->facts, inode_nid(c->geo, block, i)))
			return true;
	return false;
}

/*
 * Does it own blocks or nodes, other than that for attributes? A number of no node is damage. So is a number of blocks
 * without any pointer.
 */
static bool owns_blocks(const struct checker *c, const uint8_t *block, const struct inode_layout *layout)
{
	if (inode_i_blocks(block) <= 1u + (inode_i_xattr_nid(block) != 0))
		return owns_nodes(c, block);
	for (uint32_t i = 0; i < layout->slots; i++) {
		const f2fs_blk_t addr = get_le32(block + layout->slot_offset + (size_t)i * 4);

		if (geometry_is_main(c->geo, addr) || addr == F2FS_NEW_ADDR)
			return true;
	}
	return owns_nodes(c, block);
}

/* Does it have a size that a file can have? A larger one is damage. */
static bool has_size(const struct f2fs_geometry *geo, const uint8_t *block, const struct inode_layout *layout)
{
	const uint64_t size = inode_i_size(block);

	return size != 0 && size >> geo->block_bits <= node_max_file_blocks(geo, layout->node_slots);
}

/* The number of a device is in the first or second word, and all there is (FORMAT files 3.5). */
static bool is_device(const uint8_t *block, const struct inode_layout *layout)
{
	const uint8_t *words = block + layout->slot_offset;
	const uint32_t old = get_le32(words), new = get_le32(words + 4);

	for (uint32_t i = 2; i < layout->slots; i++)
		if (get_le32(words + (size_t)i * 4) != 0)
			return false;
	return old ? old <= UINT16_MAX && new == 0 : new != 0;
}

/* The types that an inode's block can be, as bits. */
static unsigned form_of(struct checker *c, f2fs_nid_t ino, const uint8_t *block)
{
	struct inode_layout layout;

	inode_layout(c->geo, block, &layout);
	if (is_directory(c, ino, block, &layout))
		return BIT(F2FS_TYPE_DIRECTORY);
	if (inode_has_inline(block, FLAG_i_inline_inline_data) || has_size(c->geo, block, &layout) ||
	    owns_blocks(c, block, &layout))
		return BIT(F2FS_TYPE_REGULAR) | (is_target(c, block, &layout) ? BIT(F2FS_TYPE_SYMLINK) : 0);
	return is_device(block, &layout) ? FORM_DEVICE : FORM_EMPTY;
}

/* ---- votes of entries */

int type_doubt(struct checker *c, f2fs_nid_t dir, const struct inode_fact *inode, unsigned type)
{
	struct type_doubt *doubt;

	if (dir == inode->ino) /* a "." whose name is wrong, too: it has no vote */
		return 0;
	if (map32_find(&c->modes, inode->ino) || (type == inode->type && !(inode->state & INODE_GUESSED)) ||
	    type == F2FS_TYPE_UNKNOWN || type >= F2FS_TYPE_END)
		return 0;
	doubt = vec_push(&c->doubts, 1);
	if (!doubt)
		return F2FS_ERR_NOMEM;
	doubt->ino = inode->ino;
	doubt->dir = dir;
	doubt->type = type;
	return 0;
}

static int compare_doubts(const void *a, const void *b)
{
	const struct type_doubt *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

static bool is_doubt_listed(const struct vec *doubts, f2fs_nid_t ino)
{
	return vec_find(doubts, compare_doubts, &(struct type_doubt){ .ino = ino }) != NULL;
}

static bool is_doubted(const struct checker *c, f2fs_nid_t ino)
{
	const struct inode_fact *inode = facts_inode(&c->facts, ino);

	return is_doubt_listed(&c->doubts, ino) ||
	       (inode && (inode->state & INODE_GUESSED) && !map32_find(&c->modes, ino));
}

/* Votes about an inode, from entries in directories that are not in doubt themselves. */
struct votes {
	uint32_t of_type[F2FS_TYPE_END];
	uint32_t entries; /* all that there are */
	bool is_waiting;  /* some are in directories in doubt */
};

static void count_votes(const struct checker *c, f2fs_nid_t ino, bool is_last, struct votes *votes)
{
	const struct type_doubt key = { .ino = ino };

	memset(votes, 0, sizeof(*votes));
	for (size_t i = vec_first(&c->doubts, compare_doubts, &key); i < c->doubts.count; i++) {
		const struct type_doubt *doubt = vec_at(&c->doubts, i);

		if (doubt->ino != ino)
			break;
		votes->entries++;
		if (!is_last && is_doubted(c, doubt->dir))
			votes->is_waiting = true;
		else
			votes->of_type[doubt->type]++;
	}
}

/* ---- deciding */

/*
 * Correct unlikely bits, which are damaged as well. Bits that give a caller further rights, as setuid does, are not
 * believed.
 */
static uint16_t likely_mode(uint16_t mode, unsigned type)
{
	const unsigned owner = mode >> 6 & 7, group = mode >> 3 & 7, other = mode & 7;
	const bool is_likely = (owner & 4) && (group & ~owner) == 0 && (other & ~group) == 0;
	const unsigned keep = type == F2FS_TYPE_DIRECTORY ? 03777 : 0777;

	if (type == F2FS_TYPE_SYMLINK)
		return MODE_LNK | 0777;
	return (uint16_t)(f2fs_mode_of_type(type) |
			  (is_likely ? mode & keep : type == F2FS_TYPE_DIRECTORY ? 0700u : 0600u));
}

/* Without a witness: the most common type of this form. */
static unsigned usual_type(unsigned form, uint16_t mode)
{
	if (form & BIT(F2FS_TYPE_DIRECTORY))
		return F2FS_TYPE_DIRECTORY;
	if ((form & BIT(F2FS_TYPE_SYMLINK)) && (mode & 0777) == 0777)
		return F2FS_TYPE_SYMLINK;
	return form & BIT(F2FS_TYPE_REGULAR) ? F2FS_TYPE_REGULAR : F2FS_TYPE_CHARACTER;
}

static unsigned bits_between(unsigned a, unsigned b)
{
	const uint8_t bytes[2] = { (uint8_t)(a ^ b), (uint8_t)((a ^ b) >> 8) };

	return bitmap_popcount(bytes, sizeof(bytes));
}

/* A mode and an entry disagree: does it take fewer wrong bits to blame the entry than the mode? */
static bool is_entry_wrong(unsigned by_entry, unsigned by_mode)
{
	return bits_between(by_entry, by_mode) < bits_between(f2fs_mode_of_type(by_entry), f2fs_mode_of_type(by_mode));
}

/* May a type take the place of another one with as many votes? */
static bool wins_draw(unsigned type, unsigned chosen, unsigned by_mode)
{
	if (chosen == by_mode)
		return !is_entry_wrong(type, by_mode);
	return type == by_mode && is_entry_wrong(chosen, by_mode);
}

/*
 * Choose by votes among the types that the form allows. In a draw the type that needs fewer wrong bits wins, or else
 * the entries do.
 */
static unsigned choose_type(const struct inode_fact *inode, const struct votes *votes, unsigned form, uint16_t mode,
			    bool has_sum)
{
	const unsigned by_mode = f2fs_type_of_mode(mode);
	const bool is_bad = (inode->state & INODE_BAD_SUM) != 0;
	const bool is_link = (form & BIT(F2FS_TYPE_SYMLINK)) && (mode & 0777) == 0777;
	const bool is_doubtful = by_mode == F2FS_TYPE_REGULAR ? is_link && votes->of_type[F2FS_TYPE_SYMLINK]
							      : by_mode == F2FS_TYPE_SYMLINK && (mode & 0777) != 0777;
	uint32_t best = 0, count[F2FS_TYPE_END];
	unsigned chosen = 0;

	memcpy(count, votes->of_type, sizeof(count));
	/* regardless of the checksum: every symlink was made with all permissions */
	if (by_mode && !is_bad)
		count[by_mode] += (has_sum && !is_doubtful ? 1000u : 1u) +
				  inode->links_found -
				  (votes->entries < inode->links_found ? votes->entries : inode->links_found);
	if (is_link)
		count[F2FS_TYPE_SYMLINK] += count[F2FS_TYPE_SYMLINK] != 0;
	else if ((form & BIT(F2FS_TYPE_SYMLINK)) && !is_bad)
		count[F2FS_TYPE_REGULAR] += count[F2FS_TYPE_REGULAR] != 0;
	for (unsigned type = 1; type < F2FS_TYPE_END; type++)
		if ((form & BIT(type)) && count[type] &&
		    (count[type] > best || (count[type] == best && wins_draw(type, chosen, by_mode)))) {
			best = count[type];
			chosen = type;
		}
	return chosen ? chosen : usual_type(form, mode);
}

/* Is there a reason to look at an inode? */
static bool is_suspect(const struct checker *c, const struct inode_fact *inode)
{
	if (map32_find(&c->modes, inode->ino))
		return false;
	if ((inode->state & INODE_GUESSED) || is_doubt_listed(&c->doubts, inode->ino))
		return true;
	if (inode->ino == c->geo->root_ino)
		return inode->type != F2FS_TYPE_DIRECTORY;
	if (inode->state & INODE_HIDDEN)
		return inode->type != F2FS_TYPE_REGULAR;
	/* special files have no size */
	return inode->links_found == 0 && inode->size != 0 &&
	       inode->type >= F2FS_TYPE_CHARACTER && inode->type <= F2FS_TYPE_SOCKET;
}

static int decide(struct checker *c, const struct inode_fact *inode, bool is_last)
{
	const struct nid_fact *fact = facts_nid(&c->facts, inode->ino);
	const uint8_t *block;
	struct votes votes;
	unsigned type, form;
	uint16_t mode;
	bool has_sum;

	count_votes(c, inode->ino, is_last, &votes);
	if (votes.is_waiting)
		return 0;
	if (!c->scratch)
		c->scratch = mem_alloc(c->ctx, c->geo->block_size);
	if (!c->scratch)
		return F2FS_ERR_NOMEM;
	if (volume_peek(c->vol, fact->addr, &block) != 0) {
		error_clear(c->ctx);
		return 0;
	}
	memcpy(c->scratch, block, c->geo->block_size);
	mode = inode_i_mode(c->scratch);
	has_sum = inode_has_checksum(c->geo, c->scratch);
	form = form_of(c, inode->ino, c->scratch);
	if (inode->ino == c->geo->root_ino)
		type = F2FS_TYPE_DIRECTORY;
	else if (inode->state & INODE_HIDDEN)
		type = F2FS_TYPE_REGULAR;
	else
		type = choose_type(inode, &votes, form, mode, has_sum);
	if (type == f2fs_type_of_mode(mode))
		return 0;
	c->must_restart = true;
	return map32_set(&c->modes, inode->ino, likely_mode(mode, type));
}

int types_decide(struct checker *c)
{
	/* doubts count in the order in which the inodes were found; without any, no plain inode is suspect */
	const bool has_doubts = c->doubts.count != 0;
	const uint32_t count = has_doubts ? facts_inode_count(&c->facts) : facts_whole_count(&c->facts);
	int err = 0;

	if (c->restarts >= MAX_RESTARTS)
		return 0;
	vec_sort(&c->doubts, compare_doubts);
	for (unsigned last = 0; last < 2 && !c->must_restart; last++)
		for (uint32_t i = 0; i < count && !err; i++) {
			const struct inode_fact *inode =
				has_doubts ? facts_inode_nth(&c->facts, i) : facts_inode_at(&c->facts, i);

			if (is_suspect(c, inode))
				err = decide(c, inode, last == 1);
		}
	c->restarts += c->must_restart;
	return err;
}

bool type_is_decided(const struct checker *c, f2fs_nid_t ino, uint16_t *mode)
{
	const uint64_t *found = c->modes.count ? map32_find(&c->modes, ino) : NULL;

	if (found)
		*mode = (uint16_t)*found;
	return found != NULL;
}
