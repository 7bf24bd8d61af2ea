/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From an inode up to the root: a directory's name and parent are in its inode, that of a deleted one in its newest
 * remaining version. Names of directories in use are looked up in their parents, which separates sure from likely ones.
 * Paths of directories are kept.
 */
#include "forensics/past_names.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/namehash.h"
#include "file/crypto.h"
#include "file/crypto_name.h"
#include "file/dir_find.h"
#include "file/dir_read.h"
#include "file/inode_read.h"
#include "forensics/inode_at.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

#define MAX_UP 256u

void past_names_init(struct past_names *names, struct f2fs_past *past)
{
	names->past = past;
	map32_init(&names->dirs, past->vol->ctx);
	vec_init(&names->text, past->vol->ctx, 1);
	vec_init(&names->chain, past->vol->ctx, sizeof(f2fs_nid_t));
}

void past_names_fini(struct past_names *names)
{
	map32_fini(&names->dirs);
	vec_fini(&names->text);
	vec_fini(&names->chain);
}

/* Point at the block of a directory: in use, or the newest that is left. NULL: there is none. */
static const uint8_t *find_dir(struct past_names *names, f2fs_nid_t ino, bool *is_live)
{
	struct f2fs_volume *vol = names->past->vol;
	const struct past_node *nodes;
	struct f2fs_nat_info entry = { 0 };
	const uint8_t *block;
	f2fs_blk_t addr;
	size_t count;

	if (!geometry_is_nid(&vol->geo, ino))
		return NULL;
	*is_live = nat_get(vol, ino, &entry) == 0 && geometry_is_main(&vol->geo, entry.block_addr);
	nodes = past_find(names->past, ino, ino, &count);
	addr = *is_live ? entry.block_addr : count ? nodes[count - 1].addr : 0;
	if (addr == 0 || volume_peek(vol, addr, &block) != 0)
		return NULL;
	if (footer_nid(node_footer(&vol->geo, block)) != ino || footer_ino(node_footer(&vol->geo, block)) != ino ||
	    (inode_i_mode(block) & MODE_TYPE) != MODE_DIR || inode_i_namelen(block) > NAME_MAX_BYTES)
		return NULL;
	return block;
}

/* Open a directory: the one in use, or the newest that is left. */
static int open_dir(struct past_names *names, f2fs_nid_t ino, struct f2fs_inode **out)
{
	const struct past_node *nodes;
	bool is_live = false;
	size_t count;

	if (!find_dir(names, ino, &is_live))
		return F2FS_ERR_NOT_FOUND;
	if (is_live)
		return inode_open(names->past->vol, ino, out);
	nodes = past_find(names->past, ino, ino, &count);
	return past_open_inode(names->past->vol, names->past, nodes[count - 1].addr, 0, out);
}

/* Decipher a name of a directory, if its key was added. */
static bool decipher(struct past_names *names, f2fs_nid_t parent, const uint8_t *name, size_t length, char *out,
		     size_t *n)
{
	struct f2fs_volume *vol = names->past->vol;
	struct file_key *key = NULL;
	struct f2fs_inode *dir;
	bool is_clear;

	if (length == 0 || keyring_count(vol) == 0 || open_dir(names, parent, &dir) != 0)
		return false;
	is_clear = inode_is_encrypted(dir) && dir_try_key(dir) == 0 && crypto_find(dir, &key) == 0 && key &&
		   crypto_open_name(vol, key, name, length, (uint8_t *)out, n);
	f2fs_inode_close(dir);
	return is_clear;
}

/* A name of a directory as a component of a path: no slash, no NUL, not "." or "..", never empty. Returns its length.
 */
static size_t write_name(struct past_names *names, f2fs_nid_t parent, const uint8_t *name, size_t length,
			 bool is_cipher, char *out)
{
	struct f2fs_volume *vol = names->past->vol;
	size_t n = length;

	if (!is_cipher || !decipher(names, parent, name, length, out, &n)) {
		n = length;
		if (is_cipher && length > 0 &&
		    crypto_present_name(vol, namehash_plain(name, length), name, length, out, F2FS_NAME_ROOM, &n) == 0)
			return n;
		n = length;
		memcpy(out, name, length);
	}
	for (size_t i = 0; i < n; i++)
		if (out[i] == '/' || out[i] == '\0')
			out[i] = '_';
	if (n == 0 || (n == 1 && out[0] == '.') || (n == 2 && out[0] == '.' && out[1] == '.')) {
		memcpy(out, "_", 1);
		n = n ? n : 1;
		if (n == 2)
			out[1] = '_';
	}
	out[n] = '\0';
	return n;
}

/* Keep the path of a directory. */
static int keep(struct past_names *names, f2fs_nid_t ino, const char *path, int state)
{
	const size_t at = names->text.count, n = strlen(path) + 1;
	char *to = vec_push(&names->text, n);

	if (!to)
		return F2FS_ERR_NOMEM;
	memcpy(to, path, n);
	return map32_set(&names->dirs, ino, at | (uint64_t)state << 48);
}

/* Does a directory in use have that name for that inode? */
static int is_there(struct f2fs_volume *vol, f2fs_nid_t parent, const char *name, size_t length, f2fs_nid_t ino,
		    bool *out)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *dir;
	int err = inode_open(vol, parent, &dir);

	*out = false;
	if (err)
		return err == F2FS_ERR_NOMEM ? err : 0;
	err = dir_find(dir, name, length, &entry);
	*out = !err && entry.ino == ino;
	f2fs_inode_close(dir);
	return err == F2FS_ERR_NOMEM ? err : 0;
}

static bool has_cipher_name(const uint8_t *block)
{
	return (inode_i_advise(block) & FLAG_i_advise_enc_name) != 0;
}

/* One step down: the path of a directory from that of its parent. */
static int step_down(struct past_names *names, f2fs_nid_t ino, char *path, int *state)
{
	struct f2fs_volume *vol = names->past->vol;
	bool is_live = false, is_sure = false;
	const uint8_t *block = find_dir(names, ino, &is_live);
	size_t at = strlen(path), n, length;
	uint8_t name[NAME_MAX_BYTES];
	f2fs_nid_t parent;
	int err = 0;

	if (!block || at + NAME_MAX_BYTES + 8 > PAST_PATH_MAX) {
		snprintf(path, PAST_PATH_ROOM, "<inode %u>", (unsigned)ino);
		*state = F2FS_PATH_PART;
		return keep(names, ino, path, *state);
	}
	parent = inode_i_pino(block);
	path[at++] = '/';
	length = inode_i_namelen(block);
	memcpy(name, block + inode_OFS_i_name, length);
	n = write_name(names, parent, name, length, has_cipher_name(block), path + at);
	if (is_live && *state == F2FS_PATH_SURE)
		err = is_there(vol, parent, path + at, n, ino, &is_sure);
	if (*state == F2FS_PATH_SURE && !is_sure)
		*state = F2FS_PATH_LIKELY;
	return err ? err : keep(names, ino, path, *state);
}

/* The path of a directory; the root's is empty. */
static int path_of_dir(struct past_names *names, f2fs_nid_t ino, char *path, int *state)
{
	const f2fs_nid_t root = names->past->vol->geo.root_ino;
	int err = 0;

	names->chain.count = 0;
	path[0] = '\0';
	*state = F2FS_PATH_SURE;
	while (ino != root) {
		uint64_t *kept = ino == UINT32_MAX ? NULL : map32_find(&names->dirs, ino);
		f2fs_nid_t *place;
		const uint8_t *block;
		bool is_live;

		if (kept) {
			snprintf(path, PAST_PATH_ROOM, "%s",
				 (const char *)vec_at(&names->text, (size_t)(*kept & 0xFFFFFFFFFFFFu)));
			*state = (int)(*kept >> 48);
			break;
		}
		block = find_dir(names, ino, &is_live);
		if (!block || names->chain.count >= MAX_UP) {
			snprintf(path, PAST_PATH_ROOM, "<inode %u>", (unsigned)ino);
			*state = F2FS_PATH_PART;
			break;
		}
		place = vec_push(&names->chain, 1);
		if (!place)
			return F2FS_ERR_NOMEM;
		*place = ino;
		ino = inode_i_pino(block);
	}
	for (size_t i = names->chain.count; i-- > 0 && !err;)
		err = step_down(names, *(f2fs_nid_t *)vec_at(&names->chain, i), path, state);
	return err;
}

int past_names_path(struct past_names *names, f2fs_nid_t parent, const uint8_t *name, size_t length, bool is_cipher,
		    char *path, int *state)
{
	int err = path_of_dir(names, parent, path, state);
	size_t at;

	if (err)
		return err;
	at = strlen(path);
	path[at++] = '/';
	write_name(names, parent, name, length <= NAME_MAX_BYTES ? length : 0, is_cipher, path + at);
	error_clear(names->past->vol->ctx);
	return 0;
}

int past_names_of_inode(struct past_names *names, const uint8_t *block, char *path, int *state)
{
	struct f2fs_volume *vol = names->past->vol;
	const uint32_t n = inode_i_namelen(block);
	uint8_t name[NAME_MAX_BYTES];
	const bool is_cipher = has_cipher_name(block), is_lost = inode_i_advise(block) & FLAG_i_advise_lost_pino;
	const f2fs_nid_t parent = inode_i_pino(block);
	int err;

	if (footer_nid(node_footer(&vol->geo, block)) == vol->geo.root_ino) {
		memcpy(path, "/", 2);
		*state = F2FS_PATH_SURE;
		return 0;
	}
	memcpy(name, block + inode_OFS_i_name, n <= NAME_MAX_BYTES ? n : 0);
	err = past_names_path(names, parent, name, n <= NAME_MAX_BYTES ? n : 0, is_cipher, path, state);
	if (!err && *state == F2FS_PATH_SURE)
		*state = F2FS_PATH_LIKELY; /* until an entry says so */
	if (is_lost)
		*state = F2FS_PATH_PART;
	return err;
}
