/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Public operations on a volume while the n-th read goes wrong in each way of liar.h, for n = 1, 2, ... up to the
 * reads that the operation takes with the fault or without it.
 *
 * - A read that fails once, or breaks off half-way, makes no difference: not to the result, not to the device.
 * - A permanent read error is reported, by an error, a warning, or a count of missing blocks; else nothing was.
 * - Zeros and old blocks cannot always be noticed. No crash, no endless work, and what comes of it is found by the next
 *   check. A checkpoint pack whose end is not there looks like one that a power cut left unfinished: then the volume is
 *   as the commit before left it. Reads that no witness can judge are in the table of exemptions.
 * - A resize that a read has stopped leaves a state of a stopped resize, and continues to its end.
 * - The volume shows, on a device without faults, the files from before, or those of a run without the fault, and
 *   the check finds nothing.
 * - All memory is given back.
 *
 *	read_faults [all]    all: every n; otherwise every n at first, then larger and larger steps
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/test_host.h"
#include "crash/resize_cases.h"
#include "crash/tree_digest.h"
#include "fault/liar.h"

#define DEVICE_SIZE ((uint64_t)80 << 20)
#define VOLUME_SIZE ((uint64_t)64 << 20)
#define BLOCK 4096u

struct bench {
	struct f2fs_device *dev;
	struct f2fs_volume *vol; /* NULL for operations that open it themselves */
	uint64_t digest;	 /* of the operation's result */
	uint64_t missing;	 /* number of parts reported as unreadable */
};

enum base { BASE_CLEAN, BASE_CRASHED, BASE_DAMAGED, BASE_EARLIER, BASES };

struct operation {
	const char *name;
	int (*run)(struct bench *b);
	enum base base;
	int writes;
	int opens; /* the volume itself, so there is none yet */
	int is_raw; /* no volume, so nobody reads again what failed */
	int has_steps; /* stopped between them, it is finished by another run */
};

static struct test_host host;
static struct f2fs_context *ctx;
static struct f2fs_device *bases[BASES], *older;
static const uint8_t key[32] = "a key of thirty-two bytes, known";
static int every_n;

/* The present operation, for messages. */
static struct {
	const char *name;
	unsigned long n;
	int wrong;
	uint64_t place;
} now = { .name = "the volumes to start with", .wrong = -1 };

static const char *const wrong_names[] = {
	"fails once",	    "is short",	   "fails for good", "and all later ones fail",
	"gives zeros once", "gives zeros", "is stale once",  "is stale",
};

static void fail(const char *what)
{
	fprintf(stderr, "%s, read %lu %s, block %llu: %s (%s)\n", now.name, now.n,
		now.wrong < 0 ? "is right" : wrong_names[now.wrong], (unsigned long long)(now.place / BLOCK), what,
		f2fs_context_error(ctx)->message);
	abort();
}

static void must(int rc)
{
	if (rc != 0)
		fail(f2fs_error_name(rc));
}

/* ---- operations that read */

static void mix(uint64_t *digest, const void *data, size_t length)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < length; i++)
		*digest = (*digest ^ bytes[i]) * 0x100000001B3u;
}

static int sink(void *user, const void *data, size_t length)
{
	mix(&((struct bench *)user)->digest, data, length);
	return 0;
}

static int with_past(struct bench *b, int (*run)(struct bench *b, struct f2fs_past *past))
{
	struct f2fs_past_stat stat = { F2FS_SIZED(f2fs_past_stat) };
	struct f2fs_past *past;
	int rc = f2fs_past_open(b->vol, NULL, &past);

	if (rc != 0)
		return rc;
	rc = run(b, past);
	f2fs_past_stat(past, &stat);
	b->missing += stat.unreadable;
	f2fs_past_close(past);
	return rc;
}

static int see_deleted(void *user, const struct f2fs_deleted *file)
{
	struct bench *b = user;

	mix(&b->digest, file->path, strlen(file->path));
	mix(&b->digest, &file->confidence, sizeof(file->confidence));
	return 0;
}

static int list_deleted(struct bench *b, struct f2fs_past *past)
{
	return f2fs_past_list_deleted(past, see_deleted, b);
}

static int see_difference(void *user, const struct f2fs_version_difference *found)
{
	struct bench *b = user;

	mix(&b->digest, &found->kind, sizeof(found->kind));
	mix(&b->digest, &found->file_block, sizeof(found->file_block));
	b->missing += found->contents == F2FS_CONTENTS_UNKNOWN;
	return 0;
}

/* Two inodes in use as well as any: the root, and the one of the other tests. */
static int run_differences(struct bench *b)
{
	struct f2fs_inode *one, *other;
	int rc = f2fs_inode_open(b->vol, 3, &one);

	if (rc)
		return rc;
	rc = f2fs_inode_open(b->vol, 5, &other);
	if (!rc) {
		rc = f2fs_inode_compare(one, other, see_difference, b);
		f2fs_inode_close(other);
	}
	f2fs_inode_close(one);
	return rc;
}

static int see_former_name(void *user, const struct f2fs_former_name *name)
{
	struct bench *b = user;

	mix(&b->digest, name->path, strlen(name->path));
	mix(&b->digest, name->now, strlen(name->now));
	return 0;
}

static int list_former_names(struct bench *b, struct f2fs_past *past)
{
	return f2fs_past_list_names(past, see_former_name, b);
}

static int see_version(void *user, const struct f2fs_version *version)
{
	mix(&((struct bench *)user)->digest, &version->addr, sizeof(version->addr));
	return 0;
}

static int see_node_version(void *user, const struct f2fs_node_version *version)
{
	mix(&((struct bench *)user)->digest, &version->addr, sizeof(version->addr));
	return 0;
}

static int list_versions(struct bench *b, struct f2fs_past *past)
{
	int rc = f2fs_past_list_versions(past, 5, see_version, b);

	return rc ? rc : f2fs_past_list_nodes(past, 5, see_node_version, b);
}

static int see_moment(void *user, const struct f2fs_moment *moment)
{
	mix(&((struct bench *)user)->digest, &moment->addr, sizeof(moment->addr));
	return 0;
}

static int list_times(struct bench *b, struct f2fs_past *past)
{
	return f2fs_past_list_times(past, see_moment, b);
}

static int see_leftover(void *user, const struct f2fs_leftover *range)
{
	mix(&((struct bench *)user)->digest, &range->offset, sizeof(range->offset));
	return 0;
}

static int list_leftovers(struct bench *b, struct f2fs_past *past)
{
	return f2fs_past_list_leftovers(past, 0, see_leftover, b);
}

static int run_leftovers(struct bench *b)
{
	return with_past(b, list_leftovers);
}

static int see_carved(void *user, const struct f2fs_carved *file)
{
	mix(&((struct bench *)user)->digest, &file->size, sizeof(file->size));
	return 0;
}

static int see_carved_slack(void *user, const struct f2fs_carved_slack *file)
{
	mix(&((struct bench *)user)->digest, &file->size, sizeof(file->size));
	return 0;
}

static int carve(struct bench *b, struct f2fs_past *past)
{
	struct f2fs_carver *carver;
	int rc = f2fs_carver_open(past, NULL, &carver);

	if (rc != 0)
		return rc;
	rc = f2fs_carver_run(carver, see_carved, b);
	if (rc == 0)
		rc = f2fs_carver_run_slack(carver, see_carved_slack, b);
	f2fs_carver_close(carver);
	return rc;
}

static int run_carve(struct bench *b)
{
	return with_past(b, carve);
}

static int run_deleted(struct bench *b)
{
	return with_past(b, list_deleted);
}

static int run_former_names(struct bench *b)
{
	return with_past(b, list_former_names);
}

static int run_versions(struct bench *b)
{
	return with_past(b, list_versions);
}

static int run_timeline(struct bench *b)
{
	return with_past(b, list_times);
}

struct undelete {
	struct bench *b;
	struct f2fs_past *past;
	int rc;
};

/* The contents of a deleted file, as far as they can be read. */
static int undelete_one(void *user, const struct f2fs_deleted *file)
{
	static uint8_t bytes[8 * BLOCK];
	struct undelete *u = user;
	struct f2fs_inode *inode;
	size_t done = 0;

	if (file->confidence == F2FS_CONFIDENCE_NAME)
		return 0;
	u->rc = f2fs_inode_open_at(u->b->vol, u->past, file->version.addr, 0, &inode);
	if (u->rc != 0)
		return u->rc;
	if ((file->version.stat.mode & 0170000) == 0100000)
		u->rc = f2fs_inode_read(inode, 0, bytes, sizeof(bytes), &done);
	f2fs_inode_close(inode);
	if (u->rc == F2FS_ERR_OVERWRITTEN)
		u->rc = 0;
	mix(&u->b->digest, bytes, done);
	return u->rc;
}

static int undelete_all(struct bench *b, struct f2fs_past *past)
{
	struct undelete u = { .b = b, .past = past };

	return f2fs_past_list_deleted(past, undelete_one, &u);
}

static int run_undelete(struct bench *b)
{
	return with_past(b, undelete_all);
}

/* The state before the last checkpoint. */
static int read_earlier(struct bench *b, struct f2fs_past *past)
{
	struct f2fs_as_of_stat met = { F2FS_SIZED(f2fs_as_of_stat) };
	struct f2fs_past_stat stat = { F2FS_SIZED(f2fs_past_stat) };
	struct tree_digest tree = { 0 };
	struct f2fs_volume *view;
	int rc;

	f2fs_past_stat(past, &stat);
	rc = f2fs_volume_open_as_of(past, stat.newest - 1, &view);
	if (rc != 0)
		return rc;
	rc = tree_digest_files(view, &tree);
	f2fs_volume_as_of_stat(view, &met);
	b->missing += met.inodes_lost + met.nodes_lost + met.blocks_overwritten + met.blocks_blank;
	b->digest = tree.tree;
	f2fs_volume_close(view);
	return rc;
}

static int run_earlier(struct bench *b)
{
	return with_past(b, read_earlier);
}

static int save_copy(struct bench *b, const struct f2fs_metadata_options *options)
{
	struct f2fs_metadata_stat stat = { F2FS_SIZED(f2fs_metadata_stat) };
	struct f2fs_device *copy;
	int rc = f2fs_metadata_open(b->vol, options, &copy);

	if (rc != 0)
		return rc;
	rc = f2fs_device_save_sparse(copy, 0, sink, b);
	if (rc == 0)
		rc = f2fs_metadata_stat(copy, &stat);
	if (rc == 0)
		b->missing += stat.unreadable;
	f2fs_device_close(copy);
	return rc;
}

static int run_metadata(struct bench *b)
{
	const struct f2fs_metadata_options options = { F2FS_SIZED(f2fs_metadata_options),
						       .flags = F2FS_METADATA_SCRAMBLE, .key = key };

	return save_copy(b, &options);
}

static int run_used(struct bench *b)
{
	const struct f2fs_metadata_options options = { F2FS_SIZED(f2fs_metadata_options),
						       .content = F2FS_METADATA_USED };

	return save_copy(b, &options);
}

static int run_save(struct bench *b)
{
	return f2fs_device_save_sparse(b->dev, 0, sink, b);
}

static int run_fragments(struct bench *b)
{
	struct f2fs_fragments sums;
	int rc = f2fs_fragments_count(b->vol, NULL, &sums);

	b->missing += sums.unreadable;
	mix(&b->digest, &sums, sizeof(sums));
	return rc;
}

static int run_map(struct bench *b)
{
	return f2fs_segment_map_draw(b->vol, F2FS_MAP_TEXT, sink, b);
}

static int run_tar(struct bench *b)
{
	const struct f2fs_stream stream = { .write = sink, .user = b };
	const struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options),
						      .tar = &stream, .threads = 1, .encrypted = F2FS_ENCRYPTED_RAW,
						      .manifest = &stream, .fs_config = &stream,
						      .file_contexts = &stream };

	return f2fs_extract(b->vol, &options, NULL);
}

static int see_digests(void *user, void *tag, int error, const struct f2fs_digests *digests)
{
	struct bench *b = user;

	(void)tag;
	if (error)
		return error;
	mix(&b->digest, digests->sha256, sizeof(digests->sha256));
	return 0;
}

static int queue_file(void *user, const struct f2fs_walk_entry *entry)
{
	struct f2fs_stat st;
	int rc = entry->error ? entry->error : f2fs_inode_stat(entry->inode, &st);

	if (!rc && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_REG && !st.is_encrypted)
		rc = f2fs_digest_queue_add(user, entry->inode, NULL);
	return rc;
}

static int run_digests(struct bench *b)
{
	struct f2fs_digest_queue *queue = NULL;
	struct f2fs_inode *root;
	int rc = f2fs_lookup(b->vol, "/", 0, &root);

	if (rc)
		return rc;
	rc = f2fs_digest_queue_open(b->vol, F2FS_DIGEST_SHA256, 1, see_digests, b, &queue);
	if (!rc)
		rc = f2fs_walk(root, queue_file, queue);
	if (!rc)
		rc = f2fs_digest_queue_flush(queue);
	f2fs_digest_queue_close(queue);
	f2fs_inode_close(root);
	return rc;
}

static int run_check(struct bench *b)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .depth = F2FS_CHECK_CONTENT, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	int rc = f2fs_check(ctx, b->dev, &options, &result);

	b->missing = rc == 0 ? result.found : 0;
	return rc;
}

static int run_minimum(struct bench *b)
{
	uint64_t sizes[2] = { 0, 0 };
	int rc = f2fs_resize_minimum(ctx, b->dev, NULL, &sizes[0], &sizes[1]);

	mix(&b->digest, sizes, sizeof(sizes));
	return rc;
}

static int run_rescue(struct bench *b)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_RESCUE };
	struct tree_digest tree = { 0 };
	int rc = f2fs_volume_open(ctx, b->dev, &options, &b->vol);

	if (rc == 0)
		rc = tree_digest_files(b->vol, &tree);
	/* the notes have the parts that the search could not read */
	for (unsigned i = 0; b->vol && f2fs_volume_note(b->vol, i); i++)
		b->missing += strstr(f2fs_volume_note(b->vol, i), "read") != NULL;
	b->digest = tree.tree;
	return rc;
}

static int run_view(struct bench *b)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_VIEW };
	struct tree_digest tree = { 0 };
	int rc = f2fs_volume_open(ctx, b->dev, &options, &b->vol);

	if (rc == 0)
		rc = tree_digest_files(b->vol, &tree);
	b->digest = tree.tree;
	return rc;
}

/* ---- operations that write */

static int run_recover(struct bench *b)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_APPLY };

	return f2fs_volume_open(ctx, b->dev, &options, &b->vol);
}

static int run_clean(struct bench *b)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .used_limit = 100 };

	return f2fs_gc(b->vol, &options, NULL);
}

static int run_defrag(struct bench *b)
{
	const struct f2fs_defrag_options options = { F2FS_SIZED(f2fs_defrag_options), .order = F2FS_DEFRAG_TREE };

	return f2fs_defrag(b->vol, &options, NULL);
}

/* The segments that the logs of nodes began with, to free ones. */
static int run_range(struct bench *b)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(b->vol);

	return f2fs_defrag_range(b->vol, geo->main_blkaddr, 6 * F2FS_SEGMENT_BLOCKS,
				 geo->main_blkaddr + 8 * F2FS_SEGMENT_BLOCKS, 0, NULL);
}

static int resize_to(struct bench *b, uint64_t size)
{
	const struct f2fs_resize_options options = { F2FS_SIZED(f2fs_resize_options), .size = size };

	return f2fs_resize(ctx, b->dev, NULL, &options, NULL);
}

static int run_shrink(struct bench *b)
{
	return resize_to(b, VOLUME_SIZE - (12 << 20));
}

static int run_grow(struct bench *b)
{
	return resize_to(b, DEVICE_SIZE);
}

static int run_repair(struct bench *b)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .repair = 1, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	int rc = f2fs_check(ctx, b->dev, &options, &result);

	b->missing = rc == 0 ? result.found : 0; /* a table that cannot be read is a finding, and is made again */
	return rc;
}

static int run_fsync(struct bench *b)
{
	struct f2fs_inode *inode;
	int rc = f2fs_lookup(b->vol, "/dir/file-003", 0, &inode);

	if (rc != 0)
		return rc;
	rc = f2fs_inode_write(inode, 100, "fsynced", 7);
	if (rc == 0)
		rc = f2fs_fsync(inode, 0);
	f2fs_inode_close(inode);
	return rc;
}

static int run_encrypt(struct bench *b)
{
	static const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_policy policy = { .version = 2, .contents_mode = 1, .filenames_mode = 4 };
	struct f2fs_inode *dir = NULL, *inode = NULL;
	int rc = f2fs_volume_add_key(b->vol, key, sizeof(key), NULL, 0, &policy.key);

	if (rc == 0)
		rc = f2fs_lookup(b->vol, "/empty", 0, &dir);
	if (rc == 0)
		rc = f2fs_inode_encrypt(dir, &policy);
	if (rc == 0)
		rc = f2fs_create(dir, "secret", 6, &spec, &inode);
	if (rc == 0)
		rc = f2fs_inode_write(inode, 0, key, sizeof(key));
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
	return rc ? rc : f2fs_volume_commit(b->vol);
}

static int give_manifest(void *user, void *buffer, size_t length, size_t *got)
{
	const char **left = user;

	*got = strlen(*left) < length ? strlen(*left) : length;
	memcpy(buffer, *left, *got);
	*left += *got;
	return 0;
}

static int run_populate(struct bench *b)
{
	const char *left = "{\"path\":\"dir/file-001\",\"mode\":\"0640\"}\n"
			   "{\"path\":\"dir/new\",\"type\":\"symlink\",\"target\":\"file-002\"}\n"
			   "{\"path\":\"dir/again\",\"type\":\"link\",\"target\":\"dir/file-001\"}\n";
	const struct f2fs_input input = { .read = give_manifest, .user = &left };
	const struct f2fs_populate_options options = { F2FS_SIZED(f2fs_populate_options),
						       .manifest = &input, .existing = F2FS_EXISTING_REPLACE };
	int rc = f2fs_populate(b->vol, &options, NULL);

	return rc ? rc : f2fs_volume_commit(b->vol);
}

static int run_remove(struct bench *b)
{
	struct f2fs_inode *dir;
	int rc = f2fs_lookup(b->vol, "/dir", 0, &dir);

	if (rc != 0)
		return rc;
	for (unsigned i = 10; i < 60 && rc == 0; i++) {
		char name[20];

		snprintf(name, sizeof(name), "file-%03u", i);
		rc = f2fs_remove(dir, name, strlen(name));
	}
	f2fs_inode_close(dir);
	return rc ? rc : f2fs_volume_commit(b->vol);
}

static int run_trim(struct bench *b)
{
	return f2fs_volume_trim(b->vol, 0, NULL);
}

static int run_label(struct bench *b)
{
	return f2fs_volume_set_label(b->vol, "another");
}

static int run_inject(struct bench *b)
{
	struct f2fs_inject *inject;
	int rc = f2fs_inject_open(ctx, b->dev, NULL, &inject);

	if (rc == 0)
		rc = f2fs_inject_set(inject, "inode[5].i_generation", "77", 0, NULL);
	f2fs_inject_close(inject);
	return rc;
}

static const struct operation operations[] = {
	{ "deleted files", run_deleted, BASE_CLEAN, 0, 0, 0, 0 },
	{ "differences", run_differences, BASE_CLEAN, 0, 0, 0, 0 },
	{ "former names", run_former_names, BASE_CLEAN, 0, 0, 0, 0 },
	{ "versions", run_versions, BASE_CLEAN, 0, 0, 0, 0 },
	{ "timeline", run_timeline, BASE_CLEAN, 0, 0, 0, 0 },
	{ "leftovers", run_leftovers, BASE_CLEAN, 0, 0, 0, 0 },
	{ "carve", run_carve, BASE_CLEAN, 0, 0, 0, 0 },
	{ "undelete", run_undelete, BASE_CLEAN, 0, 0, 0, 0 },
	{ "view of a checkpoint", run_earlier, BASE_CLEAN, 0, 0, 0, 0 },
	{ "metadata image", run_metadata, BASE_CLEAN, 0, 0, 0, 0 },
	{ "image of what is used", run_used, BASE_CLEAN, 0, 0, 0, 0 },
	{ "sparse image", run_save, BASE_CLEAN, 0, 1, 1, 0 },
	{ "fragments", run_fragments, BASE_CLEAN, 0, 0, 0, 0 },
	{ "segment map", run_map, BASE_CLEAN, 0, 0, 0, 0 },
	{ "tar", run_tar, BASE_CLEAN, 0, 0, 0, 0 },
	{ "digests", run_digests, BASE_CLEAN, 0, 0, 0, 0 },
	{ "check", run_check, BASE_CLEAN, 0, 1, 0, 0 },
	{ "smallest size", run_minimum, BASE_CLEAN, 0, 1, 0, 0 },
	{ "rescue", run_rescue, BASE_CLEAN, 0, 1, 0, 0 },
	{ "recovered view", run_view, BASE_CRASHED, 0, 1, 0, 0 },
	{ "recover", run_recover, BASE_CRASHED, 1, 1, 0, 0 },
	{ "clean", run_clean, BASE_CLEAN, 1, 0, 0, 0 },
	{ "put in order", run_defrag, BASE_CLEAN, 1, 0, 0, 0 },
	{ "range", run_range, BASE_CLEAN, 1, 0, 0, 0 },
	{ "shrink", run_shrink, BASE_CLEAN, 1, 1, 0, 1 },
	{ "grow", run_grow, BASE_CLEAN, 1, 1, 0, 1 },
	{ "repair", run_repair, BASE_DAMAGED, 1, 1, 0, 0 },
	{ "fsync", run_fsync, BASE_CLEAN, 1, 0, 0, 0 },
	{ "encrypt", run_encrypt, BASE_CLEAN, 1, 0, 0, 0 },
	{ "populate", run_populate, BASE_CLEAN, 1, 0, 0, 0 },
	{ "remove", run_remove, BASE_CLEAN, 1, 0, 0, 0 },
	{ "trim", run_trim, BASE_CLEAN, 1, 0, 0, 0 },
	{ "label", run_label, BASE_CLEAN, 1, 0, 0, 0 },
	{ "inject", run_inject, BASE_CLEAN, 1, 0, 0, 0 },
};

/* ---- the volumes that they start with */

static void make_entry(struct f2fs_volume *vol, const char *parent, const char *name, unsigned mode, size_t length)
{
	static uint8_t bytes[200 * BLOCK];
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = mode };
	struct f2fs_inode *dir, *inode;

	memset(bytes, name[strlen(name) - 1], sizeof(bytes));
	must(f2fs_lookup(vol, parent, 0, &dir));
	must(f2fs_create(dir, name, strlen(name), &spec, &inode));
	if (length)
		must(f2fs_inode_write(inode, 0, bytes, length));
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
}

static void make_files(struct f2fs_volume *vol, unsigned from, unsigned to)
{
	char name[20];

	for (unsigned i = from; i < to; i++) {
		snprintf(name, sizeof(name), "file-%03u", i);
		make_entry(vol, "/dir", name, 0100644, i % 7 * 3000);
	}
}

static void remove_files(struct f2fs_volume *vol, unsigned from, unsigned to)
{
	struct f2fs_inode *dir;
	char name[20];

	must(f2fs_lookup(vol, "/dir", 0, &dir));
	for (unsigned i = from; i < to; i++) {
		snprintf(name, sizeof(name), "file-%03u", i);
		must(f2fs_remove(dir, name, strlen(name)));
	}
	f2fs_inode_close(dir);
}

static void make_clean(void)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
						   .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA |
							      F2FS_FEAT_ENCRYPT | F2FS_FEAT_LOST_FOUND,
						   .has_time = 1 };
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_volume *vol;

	must(f2fs_device_open_memory(ctx, DEVICE_SIZE, &bases[BASE_CLEAN]));
	must(f2fs_device_open_slice(bases[BASE_CLEAN], 0, VOLUME_SIZE, &device.device));
	must(f2fs_mkfs_write(ctx, &device, 1, &options, NULL));
	f2fs_device_close(device.device);
	must(f2fs_volume_open(ctx, bases[BASE_CLEAN], NULL, &vol));
	make_entry(vol, "/", "dir", 040755, 0);
	make_entry(vol, "/", "empty", 040755, 0);
	make_entry(vol, "/", "large", 0100644, 200 * BLOCK);
	make_files(vol, 0, 200);
	must(f2fs_volume_commit(vol));
	must(f2fs_device_fork_memory(bases[BASE_CLEAN], &older));
	remove_files(vol, 100, 150);
	must(f2fs_volume_commit(vol));
	make_files(vol, 200, 260);
	must(f2fs_volume_commit(vol));
	f2fs_volume_close(vol);
}

/* The newest pack lacks its end, as if power had failed before that was written. */
static void make_earlier(void)
{
	struct f2fs_volume *vol;
	const uint8_t *cp;
	unsigned pack;
	size_t length;
	uint64_t end;

	must(f2fs_device_fork_memory(bases[BASE_CLEAN], &bases[BASE_EARLIER]));
	must(f2fs_volume_open(ctx, bases[BASE_EARLIER], NULL, &vol));
	cp = f2fs_volume_checkpoint(vol, &length, &pack);
	end = f2fs_volume_geometry(vol)->cp_blkaddr + (pack - 1) * F2FS_SEGMENT_BLOCKS + cp[0x88] - 1u;
	must(f2fs_device_zero(bases[BASE_EARLIER], end * BLOCK, BLOCK));
	f2fs_volume_close(vol);
}

/* Fsynced files that wait for recovery, and a block of the NAT that is lost. */
static void make_others(void)
{
	struct f2fs_volume *vol;
	struct bench b;

	must(f2fs_device_fork_memory(bases[BASE_CLEAN], &bases[BASE_CRASHED]));
	must(f2fs_device_fork_memory(bases[BASE_CLEAN], &bases[BASE_DAMAGED]));
	must(f2fs_volume_open(ctx, bases[BASE_CRASHED], NULL, &vol));
	b.vol = vol;
	must(run_fsync(&b));
	must(f2fs_device_zero(bases[BASE_DAMAGED], (uint64_t)f2fs_volume_geometry(vol)->nat_blkaddr * BLOCK,
			      F2FS_SEGMENT_BLOCKS * 2 * BLOCK));
	f2fs_volume_rollback(vol);
	f2fs_volume_close(vol);
	make_earlier();
}

/* Return a digest of the device as a recovery shows it; 0 when it fails. */
static uint64_t tree_on(struct f2fs_device *dev)
{
	const struct f2fs_open_options view = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_VIEW };
	struct tree_digest digest = { 0 };
	struct f2fs_volume *vol;

	if (f2fs_volume_open(ctx, dev, &view, &vol) != 0)
		return 0;
	if (tree_digest_files(vol, &digest) != 0)
		digest.tree = 0;
	f2fs_volume_close(vol);
	return digest.tree;
}

/* Names and attributes alone: all that contents without a digest leave to be compared. */
static uint64_t names_on(struct f2fs_device *dev)
{
	struct f2fs_volume *vol;
	uint64_t digest = 1;

	if (f2fs_volume_open(ctx, dev, NULL, &vol) != 0)
		return 0;
	for (unsigned i = 0; i < 264; i++) {
		static const char *const others[] = { "/", "/dir", "/empty", "/large" };
		struct f2fs_inode *inode;
		struct f2fs_stat stat = { 0 };
		char path[24] = "";

		snprintf(path, sizeof(path), "/dir/file-%03u", i < 4 ? 0 : i - 4);
		if (f2fs_lookup(vol, i < 4 ? others[i] : path, 0, &inode) != 0)
			continue;
		if (f2fs_inode_stat(inode, &stat) != 0)
			mix(&digest, path, sizeof(path));
		mix(&digest, &stat.ino, sizeof(stat.ino));
		mix(&digest, &stat.mode, sizeof(stat.mode));
		mix(&digest, &stat.size, sizeof(stat.size));
		mix(&digest, &stat.mtime, sizeof(stat.mtime));
		f2fs_inode_close(inode);
	}
	f2fs_volume_close(vol);
	return digest;
}

static uint64_t problems_on(struct f2fs_device *dev)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	return f2fs_check(ctx, dev, &options, &result) == 0 ? result.found : 1;
}

/* ---- the bench */

/* The result of a run. */
struct outcome {
	int rc;
	uint64_t digest, missing, tree, names, problems;
	uint64_t reads;
};

/* Stopped between steps: a check finds only that, and the rest is done by another run. */
static uint64_t unfinished(const struct operation *op, struct f2fs_device *dev, uint64_t tree)
{
	struct bench again = { .dev = dev };
	struct resize_found look;

	if (resize_case_check(ctx, dev, &look) != 0 || look.unexpected)
		return 1;
	return op->run(&again) != 0 || tree_on(dev) != tree || problems_on(dev) > 0;
}

static struct outcome run(const struct operation *op, enum base base, struct liar *liar)
{
	const size_t live = host.live;
	const unsigned long messages = host.messages;
	struct outcome out = { 0 };
	struct bench b = { 0 };
	struct f2fs_device *truth;

	must(f2fs_device_fork_memory(bases[base], &truth));
	liar->inner = truth;
	liar->older = older;
	must(liar_open(ctx, liar, &b.dev));
	out.rc = op->opens ? 0 : f2fs_volume_open(ctx, b.dev, NULL, &b.vol);
	if (out.rc == 0)
		out.rc = op->run(&b);
	out.digest = b.digest;
	out.missing = b.missing + (host.messages - messages); /* unreadable roots are reported by a warning */
	out.reads = liar->reads;
	now.place = liar->at;
	f2fs_volume_close(b.vol);
	f2fs_device_close(b.dev);
	if (op->writes) {
		out.tree = tree_on(truth);
		out.names = names_on(truth);
		out.problems = out.rc && op->has_steps ? unfinished(op, truth, out.tree) : problems_on(truth);
	}
	f2fs_device_close(truth);
	if (host.live != live)
		fail("memory was not given back");
	return out;
}

/* STATE: something that is read twice was not the same the second time. */
static int is_error_of_reading(int rc)
{
	return rc == F2FS_ERR_STATE || rc == F2FS_ERR_IO || rc == F2FS_ERR_INCOMPLETE || rc == F2FS_ERR_CORRUPT ||
	       rc == F2FS_ERR_NOT_F2FS;
}

/* Allowed results of an operation where no witness shows that a read went wrong. */
static const struct exemption {
	const char *operation;
	unsigned wrong; /* bits of enum wrong */
	const char *reason;
} exemptions[] = {
	{ "put in order", 1u << WRONG_ZEROS_PLACE | 1u << WRONG_STALE_ONCE | 1u << WRONG_STALE_PLACE,
	  "contents have no digest; what is read again and is as wrong is copied as it is" },
	{ "clean", 1u << WRONG_ZEROS_PLACE | 1u << WRONG_STALE_ONCE | 1u << WRONG_STALE_PLACE,
	  "contents have no digest; what is read again and is as wrong is copied as it is" },
};

static unsigned long exempted[sizeof(exemptions) / sizeof(exemptions[0])];

static int is_exempt(const struct operation *op, const struct outcome *out, const struct outcome *unharmed)
{
	for (size_t i = 0; i < sizeof(exemptions) / sizeof(exemptions[0]); i++) {
		const struct exemption *e = &exemptions[i];

		if (strcmp(e->operation, op->name) != 0 || !(e->wrong >> now.wrong & 1))
			continue;
		/* other contents, but all names and attributes */
		if (out->problems == 0 && out->tree != 0 && out->names == unharmed->names) {
			exempted[i]++;
			return 1;
		}
	}
	return 0;
}

/* Is the volume as it may be after a run? trees: before, one commit earlier, and that with the operation done. */
static void judge_volume(const struct operation *op, const struct outcome *out, const struct outcome *unharmed,
			 const uint64_t *trees)
{
	if (!op->writes || op->base == BASE_DAMAGED)
		return;
	if (out->problems > 0 && !liar_is_silent((enum wrong)now.wrong))
		fail("the volume is damaged");
	if (liar_is_silent((enum wrong)now.wrong) && (out->tree == trees[1] || out->tree == trees[2]))
		return;
	if (out->tree != trees[0] && out->tree != unharmed->tree &&
	    (out->problems == 0 || !liar_is_silent((enum wrong)now.wrong)) && !is_exempt(op, out, unharmed))
		fail("the volume is neither as before nor as after");
}

static void judge(const struct operation *op, const struct outcome *out, const struct outcome *unharmed,
		  const uint64_t *trees)
{
	const int is_same = out->rc == 0 && out->digest == unharmed->digest && out->tree == unharmed->tree;

	if (out->reads < now.n || (!op->is_raw && (now.wrong == WRONG_ONCE || now.wrong == WRONG_SHORT))) {
		if (!is_same || out->missing > unharmed->missing)
			fail(out->rc ? f2fs_error_name(out->rc) : "it made a difference");
	} else if (!liar_is_silent((enum wrong)now.wrong)) {
		if (out->rc == 0 && !is_same && out->missing <= unharmed->missing)
			fail("it was not reported");
		if (out->rc != 0 && !is_error_of_reading(out->rc) && out->missing == 0)
			fail(f2fs_error_name(out->rc));
	}
	judge_volume(op, out, unharmed, trees);
}

static void test_operation(const struct operation *op)
{
	struct liar liar = { 0 };
	uint64_t trees[3] = { tree_on(bases[op->base]), tree_on(bases[BASE_EARLIER]), 0 };
	unsigned long runs = 0;
	struct outcome unharmed, out;

	now.name = op->name;
	now.n = 0;
	now.wrong = -1;
	trees[2] = op->writes ? run(op, BASE_EARLIER, &liar).tree : 0;
	unharmed = run(op, op->base, &liar);
	if (unharmed.rc != 0 || (unharmed.missing != 0 && op->base != BASE_DAMAGED) || unharmed.problems > 0)
		fail("it does not work without a fault");
	for (now.wrong = 0; now.wrong < WRONG_KINDS; now.wrong++) {
		out.reads = unharmed.reads;
		for (now.n = 1; now.n <= out.reads || now.n <= unharmed.reads;
		     now.n += every_n || now.n < 6 ? 1 : now.n / 2) {
			liar.wrong = (enum wrong)now.wrong;
			liar.n = now.n;
			out = run(op, op->base, &liar);
			judge(op, &out, &unharmed, trees);
			runs++;
		}
	}
	printf("%s: %lu reads, %lu faults\n", op->name, (unsigned long)unharmed.reads, runs);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	every_n = argc > 1 && strcmp(argv[1], "all") == 0;
	test_host_init(&host);
	must(f2fs_context_open(&host.host, &ctx));
	make_clean();
	make_others();
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (argc < 3 || strcmp(argv[2], operations[i].name) == 0)
			test_operation(&operations[i]);
	for (size_t i = 0; i < sizeof(exemptions) / sizeof(exemptions[0]); i++)
		printf("exempt %lu times: %s: %s\n", exempted[i], exemptions[i].operation, exemptions[i].reason);
	for (unsigned i = 0; i < BASES; i++)
		f2fs_device_close(bases[i]);
	f2fs_device_close(older);
	f2fs_context_close(ctx);
	return host.live ? 1 : 0;
}
