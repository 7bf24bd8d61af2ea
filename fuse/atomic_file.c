/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the blocks of atomic writes, in the order of the file, until they are written together.
 */

#include <f2fskit/gc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuse/atomic_file.h"
#include "fuse/atomic_list.h"
#include "fuse/caller_memory.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/quota_guard.h"

enum { BYTES_MAX = 128 << 20 /* of all files together */, FEW_BLOCKS = 256 };

static void end(struct mount *m, struct atomic_file *a)
{
	struct atomic_file **at = &m->atomic_files;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	for (size_t i = 0; i < a->count; i++)
		free(a->blocks[i].data);
	m->atomic_bytes -= a->count * m->block_size;
	close(a->process);
	a->known->atomic = NULL;
	a->known->pins--;
	free(a->blocks);
	free(a);
}

/* Drop the waiting blocks, which the kernel has in its cache, too. */
static void drop(struct mount *m, struct atomic_file *a)
{
	struct known *k = a->known;

	if (a->count > 0) {
		k->is_stale = 1;
		m->has_stale = 1;
	}
	end(m, a);
}

void atomic_abort(struct mount *m, struct known *k)
{
	if (k->atomic)
		drop(m, k->atomic);
}

static int has_ended(const struct atomic_file *a)
{
	struct pollfd fd = { .fd = a->process, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

int atomic_is_on(struct mount *m, struct known *k)
{
	if (k->atomic && has_ended(k->atomic))
		drop(m, k->atomic);
	return k->atomic != NULL;
}

void atomic_look(struct mount *m)
{
	struct atomic_file *a = m->atomic_files, *next;

	for (; a; a = next) {
		struct known *k = a->known;

		next = a->next;
		if (!has_ended(a))
			continue;
		drop(m, a);
		if (!k->is_stale)
			known_forget(m, k, 0);
	}
}

void atomic_refresh(struct mount *m)
{
	enum { AT_ONCE = 64 };
	fuse_ino_t numbers[AT_ONCE];
	size_t count;

	do {
		count = 0;
		pthread_mutex_lock(&m->lock);
		for (size_t i = 0; m->has_stale && i < m->known.bucket_count; i++)
			for (struct known *k = m->known.buckets[i], *next; k && count < AT_ONCE; k = next) {
				next = k->next;
				if (!k->is_stale)
					continue;
				k->is_stale = 0;
				numbers[count++] = known_number(m, k->space, k->ino);
				known_forget(m, k, 0);
			}
		if (count < AT_ONCE)
			m->has_stale = 0;
		mount_leave(m);
		for (size_t i = 0; i < count; i++)
			fuse_lowlevel_notify_inval_inode(m->session, numbers[i], 0, 0);
	} while (count == AT_ONCE);
}

void atomic_fini(struct mount *m)
{
	while (m->atomic_files)
		end(m, m->atomic_files);
}

/* ---- the process ---- */

/* A caller may be any thread of its process. */
static pid_t process_of(pid_t thread)
{
	char path[64], line[256];
	long process = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)thread);
	file = fopen(path, "re");
	while (file && process == 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, "Tgid:", 5))
			process = strtol(line + 5, NULL, 10);
	if (file)
		fclose(file);
	return (pid_t)process;
}

static int open_process(pid_t thread)
{
#ifdef SYS_pidfd_open
	const pid_t process = thread > 0 ? process_of(thread) : 0;

	return process > 0 ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
#else
	(void)thread;
	return -1;
#endif
}

int atomic_start(struct mount *m, struct known *k, pid_t process)
{
	struct atomic_file *a;
	struct f2fs_stat st;
	int err = f2fs_inode_stat(k->inode, &st);

	if (err || atomic_is_on(m, k))
		return err;
	if (m->gathers_writes) /* writes would come after the commit */
		return F2FS_ERR_UNSUPPORTED;
	if (st.is_compressed || st.is_verity || st.inline_flags & INODE_PINNED)
		return F2FS_ERR_INVALID;
	a = calloc(1, sizeof(*a));
	if (!a)
		return F2FS_ERR_NOMEM;
	a->process = open_process(process);
	if (a->process < 0) {
		free(a);
		return F2FS_ERR_UNSUPPORTED;
	}
	a->known = k;
	a->size = st.size;
	a->next = m->atomic_files;
	m->atomic_files = a;
	k->atomic = a;
	k->pins++;
	return 0;
}

/* ---- blocks ---- */

/* The place of a block, or the one where it would be. */
static size_t find(const struct atomic_file *a, uint64_t number)
{
	size_t low = 0, high = a->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (a->blocks[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int has(const struct atomic_file *a, size_t place, uint64_t number)
{
	return place < a->count && a->blocks[place].number == number;
}

/* Have a block wait, with its present contents, or zeros if it has none. */
static int add(struct mount *m, struct atomic_file *a, size_t place, uint64_t number)
{
	struct block *b;
	char *data;
	size_t done = 0;
	int err;

	if (m->atomic_bytes + m->block_size > BYTES_MAX)
		return F2FS_ERR_NOSPC;
	if (a->count == a->room) {
		const size_t room = a->room ? 2 * a->room : 16;
		struct block *more = realloc(a->blocks, room * sizeof(*more));

		if (!more)
			return F2FS_ERR_NOMEM;
		a->blocks = more;
		a->room = room;
	}
	data = calloc(1, m->block_size);
	if (!data)
		return F2FS_ERR_NOMEM;
	err = f2fs_inode_read(a->known->inode, number * m->block_size, data, m->block_size, &done);
	if (err) {
		free(data);
		return err;
	}
	b = a->blocks + place;
	memmove(b + 1, b, (a->count - place) * sizeof(*b));
	*b = (struct block){ number, data };
	a->count++;
	m->atomic_bytes += m->block_size;
	return 0;
}

int atomic_write(struct mount *m, struct known *k, uint64_t offset, const char *from, size_t size)
{
	struct atomic_file *a = k->atomic;
	const uint32_t bs = m->block_size;

	for (size_t done = 0; done < size;) {
		const uint64_t at = offset + done;
		const size_t inside = (size_t)(at % bs), left = size - done;
		const size_t n = left < bs - inside ? left : bs - inside;
		const size_t place = find(a, at / bs);

		if (!has(a, place, at / bs)) {
			int err = add(m, a, place, at / bs);

			if (err)
				return err;
		}
		memcpy(a->blocks[place].data + inside, from + done, n);
		done += n;
		a->size = at + n > a->size ? at + n : a->size;
	}
	return 0;
}

int atomic_read(struct mount *m, struct known *k, uint64_t offset, char *to, size_t size, size_t *done)
{
	const struct atomic_file *a = k->atomic;
	const uint32_t bs = m->block_size;
	size_t stored = 0;
	int err = f2fs_inode_read(k->inode, offset, to, size, &stored);

	*done = 0;
	if (err)
		return err;
	size = offset >= a->size ? 0 : a->size - offset < size ? (size_t)(a->size - offset) : size;
	if (stored < size)
		memset(to + stored, 0, size - stored);
	for (size_t i = find(a, offset / bs); i < a->count && a->blocks[i].number * bs < offset + size; i++) {
		const uint64_t start = a->blocks[i].number * bs, from = start > offset ? start : offset;
		const uint64_t until = start + bs < offset + size ? start + bs : offset + size;

		memcpy(to + (from - offset), a->blocks[i].data + (from - start), (size_t)(until - from));
	}
	*done = size;
	return 0;
}

/* ---- the commit ---- */

static int check_quota(struct mount *m, uid_t caller, const struct atomic_file *a)
{
	uint64_t holes = 0;
	int err = 0;

	for (size_t i = 0; !err && m->quota && i < a->count; i++) {
		uint64_t more;

		err = quota_guard_holes(m, a->known->inode, a->blocks[i].number * m->block_size, m->block_size, &more);
		holes += err ? 0 : more;
	}
	return err ? err : quota_guard_blocks(m, caller, a->known->inode, holes);
}

/* How many more blocks may come into use, and how many of them free segments hold that are not kept for cleaning. */
static void count_room(struct mount *m, uint64_t *users, uint64_t *at_once)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(m->vol);
	const uint64_t main_blocks = (uint64_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS;
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	uint64_t kept, free_blocks;

	f2fs_volume_statfs(m->vol, &st);
	kept = main_blocks > st.user_blocks ? main_blocks - st.user_blocks : 0;
	free_blocks = (uint64_t)st.free_segments * F2FS_SEGMENT_BLOCKS;
	*users = st.user_blocks > st.valid_blocks ? st.user_blocks - st.valid_blocks : 0;
	*at_once = free_blocks > kept ? free_blocks - kept : 0;
}

/*
 * The blocks are written to new places, without a commit in between, and a write that stops half-way would stop all
 * writing. So make sure that they fit, as the kernel does when it reserves blocks for such a file. Few of them fit as
 * any write does.
 */
static int find_room(struct mount *m, const struct atomic_file *a)
{
	const uint64_t need = a->count + a->count / 500 + 8;
	struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .policy = F2FS_GC_GREEDY };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
	uint64_t users, at_once;
	int err;

	count_room(m, &users, &at_once);
	if (need > users)
		return F2FS_ERR_NOSPC;
	if (need <= FEW_BLOCKS || need <= at_once)
		return 0;
	err = mount_checkpoint(m);
	options.sections = (uint32_t)(need / F2FS_SEGMENT_BLOCKS) + 1;
	if (!err)
		err = f2fs_gc(m->vol, &options, &result);
	count_room(m, &users, &at_once);
	return err ? err : need > at_once ? F2FS_ERR_NOSPC : 0;
}

static int write_all(struct mount *m, const struct atomic_file *a)
{
	struct f2fs_write_part *parts = calloc(a->count, sizeof(*parts));
	const uint32_t bs = m->block_size;
	int err = parts ? 0 : F2FS_ERR_NOMEM;

	for (size_t i = 0; !err && i < a->count; i++) {
		const uint64_t at = a->blocks[i].number * bs;

		parts[i].offset = at;
		parts[i].data = a->blocks[i].data;
		parts[i].length = a->size - at < bs ? (size_t)(a->size - at) : bs;
	}
	if (!err)
		err = f2fs_inode_write_atomic(a->known->inode, parts, a->count);
	free(parts);
	return err;
}

int atomic_commit(struct mount *m, struct known *k, uid_t caller)
{
	struct atomic_file *a = k->atomic;
	int err;

	if (!a)
		return f2fs_fsync(k->inode, 0);
	err = a->count > 0 ? find_room(m, a) : 0;
	if (!err)
		err = check_quota(m, caller, a);
	if (!err)
		err = a->count > 0 ? write_all(m, a) : f2fs_fsync(k->inode, 0);
	if (err)
		drop(m, a);
	else
		end(m, a);
	return err;
}
