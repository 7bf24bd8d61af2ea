/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The crash laboratory: record a workload, and judge the states that a power cut leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tally.h"
#include "crash/lab.h"
#include "crash/tree_digest.h"

#define CHECK_EVERY 10u /* one state in this many gets a full check */
#define FEW_RECORDS 40u /* of a workload whose states are all judged */

struct lab_promise {
	uint64_t records; /* that were written when it was made */
	struct tree_digest digest;
};

struct lab_file {
	f2fs_nid_t ino;
	uint64_t tree; /* digest */
	char path[300];
};

uint64_t lab_random(struct lab *lab, uint64_t limit)
{
	uint64_t z = lab->random += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return (z ^ (z >> 31)) % limit;
}

int lab_complain(struct lab *lab, const char *format, ...)
{
	size_t length = strlen(lab->found);
	va_list args;

	snprintf(lab->found + length, sizeof(lab->found) - length, ": ");
	length = strlen(lab->found);
	va_start(args, format);
	vsnprintf(lab->found + length, sizeof(lab->found) - length, format, args);
	va_end(args);
	return 1;
}

struct f2fs_volume *lab_open(struct lab *lab, struct f2fs_device *dev)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_STRICT };
	struct f2fs_volume *vol;
	uint64_t pending;

	if (f2fs_volume_open(lab->ctx, dev, &options, &vol) != 0) {
		lab_complain(lab, "%s", f2fs_context_error(lab->ctx)->message);
		return NULL;
	}
	if (f2fs_recover(vol, NULL, NULL) != 0) {
		lab_complain(lab, "%s", f2fs_context_error(lab->ctx)->message);
		f2fs_volume_close(vol);
		return NULL;
	}
	assert_int_equal(f2fs_volume_pending(vol, &pending), 0);
	assert_int_equal(pending, 0);
	return vol;
}

static int take_digest(struct lab *lab, struct f2fs_volume *vol, struct tree_digest *out)
{
	if (tree_digest(vol, out) != 0)
		return lab_complain(lab, "%s", f2fs_context_error(lab->ctx)->message);
	return out->fault ? lab_complain(lab, "%s", out->fault) : 0;
}

struct complaint {
	struct lab *lab;
	unsigned count;
};

static int complain_of_problem(void *user, const struct f2fs_problem *problem)
{
	struct complaint *c = user;

	/* a commit that was cut off leaves the pack that it was writing in pieces */
	if (problem->info->severity == F2FS_SEVERITY_NOTE || strcmp(problem->info->name, "CP_PACK") == 0)
		return F2FS_DECIDE_SKIP;
	c->count++;
	lab_complain(c->lab, "%s", problem->message);
	return F2FS_DECIDE_SKIP;
}

int lab_check(struct lab *lab, struct f2fs_device *dev)
{
	struct complaint complaint = { .lab = lab };
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .problem = complain_of_problem, .user = &complaint, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	int rc = f2fs_check(lab->ctx, dev, &options, &result);

	if (rc != 0)
		return lab_complain(lab, "%s", f2fs_context_error(lab->ctx)->message);
	return complaint.count > 0;
}

/* Is there an inode of that number? */
static bool is_there(struct f2fs_volume *vol, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;

	if (f2fs_inode_open(vol, ino, &inode) != 0)
		return false;
	f2fs_inode_close(inode);
	return true;
}

/* After a commit, existing files may be removed, but not lost. */
static void remember_committed(struct lab *lab)
{
	for (f2fs_nid_t ino = 0; ino < INODES_KEPT; ino++)
		lab->is_committed[ino] = is_there(lab->vol, ino);
}

static int check_committed(struct lab *lab, struct f2fs_volume *copy)
{
	for (f2fs_nid_t ino = 0; ino < INODES_KEPT; ino++)
		if (lab->is_committed[ino] && is_there(lab->vol, ino) && !is_there(copy, ino))
			return lab_complain(lab, "inode %u is lost", (unsigned)ino);
	return 0;
}

/* Another file that was promised under the path of this one, and then removed, is no longer promised. */
static void forget_path(struct lab *lab, const struct lab_file *file)
{
	for (unsigned i = 0; i < lab->file_count; i++) {
		if (&lab->files[i] == file || strcmp(lab->files[i].path, file->path) != 0 ||
		    is_there(lab->vol, lab->files[i].ino))
			continue;
		lab->files[i] = lab->files[--lab->file_count];
		return;
	}
}

static void remember_file(struct lab *lab, struct f2fs_inode *inode)
{
	struct lab_file *file = lab->files;
	struct tree_digest digest;

	while (file < lab->files + lab->file_count && file->ino != f2fs_inode_number(inode))
		file++;
	if (file == lab->files + lab->file_count) {
		lab->files = realloc(lab->files, (lab->file_count + 1) * sizeof(*file));
		assert_non_null(lab->files);
		file = &lab->files[lab->file_count++];
	}
	file->ino = f2fs_inode_number(inode);
	assert_int_equal(tree_digest_inode(inode, &digest), 0);
	file->tree = digest.tree;
	assert_int_equal(f2fs_inode_path(inode, file->path, sizeof(file->path)), 0);
	forget_path(lab, file);
}

/* Is a file as it was promised? */
static int check_file(struct lab *lab, struct f2fs_volume *vol, const struct lab_file *file)
{
	struct tree_digest digest = { 0 };
	struct f2fs_inode *inode;
	int rc = f2fs_lookup(vol, file->path, 0, &inode);

	if (rc != 0)
		return lab_complain(lab, "%s", f2fs_context_error(lab->ctx)->message);
	if (f2fs_inode_number(inode) != file->ino)
		rc = lab_complain(lab, "%s is another file", file->path);
	else if (tree_digest_inode(inode, &digest) != 0 || digest.tree != file->tree)
		rc = lab_complain(lab, "%s is not as it was fsynced", file->path);
	f2fs_inode_close(inode);
	return rc;
}

/* Does a recovered copy match the promises so far? */
static int check_copy(struct lab *lab, struct f2fs_volume *copy, bool committed, struct tree_digest *digest)
{
	struct tree_digest running = { 0 };

	if (take_digest(lab, copy, digest) != 0)
		return 1;
	if (committed && !lab->workload->judge &&
	    (tree_digest_files(lab->vol, &running) != 0 || running.tree != digest->tree))
		return lab_complain(lab, "not what was committed");
	if (committed)
		remember_committed(lab);
	if (check_committed(lab, copy) != 0)
		return 1;
	for (unsigned i = 0; i < lab->file_count; i++)
		if (check_file(lab, copy, &lab->files[i]) != 0)
			return 1;
	return 0;
}

/* Has there been a commit since the last promise? */
static bool has_committed(struct lab *lab)
{
	const uint64_t before = lab->version;

	memcpy(&lab->version, f2fs_volume_checkpoint(lab->vol, NULL, NULL), sizeof(lab->version));
	return lab->version != before;
}

static void promise(struct lab *lab, bool committed)
{
	struct lab_promise *promise;
	struct f2fs_device *copy;
	struct f2fs_volume *vol;

	lab->promises = realloc(lab->promises, (size_t)(lab->promise_count + 1) * sizeof(*promise));
	assert_non_null(lab->promises);
	promise = &lab->promises[lab->promise_count++];
	promise->records = f2fs_device_record_count(lab->recorder);
	assert_int_equal(f2fs_device_fork_memory(lab->dev, &copy), 0);
	snprintf(lab->found, sizeof(lab->found), "%s, promise %u", lab->workload->name, (unsigned)lab->promise_count);
	vol = lab_open(lab, copy);
	if (!vol || check_copy(lab, vol, committed, &promise->digest) != 0)
		fail_msg("%s", lab->found);
	f2fs_volume_close(vol);
	if (lab_check(lab, copy) != 0)
		fail_msg("%s", lab->found);
	f2fs_device_close(copy);
}

void lab_promise(struct lab *lab)
{
	const bool committed = has_committed(lab);

	if (committed)
		lab->file_count = 0;
	promise(lab, committed && lab->promise_count > 0);
}

void lab_promise_file(struct lab *lab, struct f2fs_inode *inode)
{
	const bool committed = has_committed(lab);

	if (committed)
		lab->file_count = 0;
	else
		remember_file(lab, inode);
	promise(lab, committed);
}

/* Return how many promises had been made when this many records had begun. */
static uint64_t promises_at(const struct lab *lab, uint64_t records)
{
	uint64_t n = lab->promise_count;

	while (n > 1 && lab->promises[n - 1].records > records)
		n--;
	return n - 1;
}

static int judge_tree(struct lab *lab, struct f2fs_volume *vol, uint64_t kept)
{
	struct tree_digest digest;

	if (take_digest(lab, vol, &digest) != 0)
		return 1;
	if (kept + 1 < lab->promise_count && digest.tree == lab->promises[kept + 1].digest.tree) {
		lab->seen_after++;
		return 0;
	}
	lab->seen_before++;
	return digest.tree == lab->promises[kept].digest.tree ? 0 : lab_complain(lab, "neither as before nor as after");
}

static int judge(void *user, const struct crash_state *state)
{
	struct lab *lab = user;
	struct f2fs_volume *vol;
	uint64_t kept = promises_at(lab, state->issued);
	int rc;

	if (lab->states_passed++ % lab->one_of)
		return 0;
	crash_describe(state, lab->found, 150);
	vol = lab_open(lab, state->dev);
	if (!vol)
		return 1;
	rc = lab->workload->judge ? lab->workload->judge(lab, vol, kept) : judge_tree(lab, vol, kept);
	f2fs_volume_close(vol);
	return rc == 0 && lab->state_count++ % CHECK_EVERY == 0 ? lab_check(lab, state->dev) : rc;
}

static void prepare(struct lab *lab)
{
	const struct f2fs_zone_options zones = { F2FS_SIZED(f2fs_zone_options),
						 .zone_bytes = 4u << 20, .conventional = 5 };
	const struct lab_workload *w = lab->workload;
	struct f2fs_mkfs_options format = w->format;
	struct f2fs_mkfs_device device = { 0 };

	format.struct_size = sizeof(format);
	assert_int_equal(f2fs_context_open(NULL, &lab->ctx), 0);
	assert_int_equal(f2fs_device_open_memory(lab->ctx, w->size ? w->size : 64u << 20, &lab->dev), 0);
	if (format.zoned)
		assert_int_equal(f2fs_device_open_zoned(lab->dev, &zones, &lab->top), 0);
	else
		lab->top = f2fs_device_ref(lab->dev);
	device.device = lab->top;
	assert_int_equal(f2fs_mkfs_write(lab->ctx, &device, 1, &format, NULL), 0);
	assert_int_equal(f2fs_device_open_recorder(lab->top, &lab->recorder), 0);
	if (!w->prepare)
		return;
	assert_int_equal(f2fs_volume_open(lab->ctx, lab->top, NULL, &lab->vol), 0);
	w->prepare(lab);
	if (!w->is_unclean)
		assert_int_equal(f2fs_volume_commit(lab->vol), 0);
	f2fs_volume_close(lab->vol);
}

/* The volume's counters must equal the writes that the device received. */
static void must_be_counted(const struct lab *lab)
{
	struct tally tally = { 0 };
	const char *differs;

	tally_add(&tally, lab->recorder);
	differs = tally_differs(&tally, lab->vol);
	if (differs)
		fail_msg("%s are counted wrong", differs);
}

void lab_run(const struct lab_workload *w, uint64_t seed, unsigned one_of)
{
	const struct crash_options options = { .subsets = w->subsets ? w->subsets : 6,
					       .scattered = w->scattered ? w->scattered : 3,
					       .seed = seed };
	struct lab lab = { .workload = w, .random = seed, .bytes = malloc(LAB_BYTES) };
	struct f2fs_write_options write = w->write;
	struct f2fs_device *before;
	uint64_t count = 0;

	write.struct_size = sizeof(write);
	assert_non_null(lab.bytes);
	prepare(&lab);
	assert_int_equal(f2fs_device_fork_memory(lab.dev, &before), 0);
	assert_int_equal(f2fs_volume_open(lab.ctx, lab.recorder, NULL, &lab.vol), 0);
	assert_int_equal(f2fs_volume_configure(lab.vol, &write), 0);
	lab_promise(&lab);
	w->run(&lab);
	must_be_counted(&lab);
	f2fs_volume_close(lab.vol);
	lab.one_of = f2fs_device_record_count(lab.recorder) > FEW_RECORDS ? one_of : 1;
	if (crash_each(before, lab.recorder, &options, judge, &lab, &count) != 0)
		fail_msg("%s: %s", w->name, lab.found);
	print_message("%s: %u promises, %u records, %u states: %u as before, %u as after\n", w->name,
		      (unsigned)lab.promise_count, (unsigned)f2fs_device_record_count(lab.recorder), (unsigned)count,
		      (unsigned)lab.seen_before, (unsigned)lab.seen_after);
	assert_true(lab.one_of > 1 || (lab.seen_after > 0 && (lab.seen_before > 0 || w->is_unclean)));
	assert_true(lab.seen_after + lab.seen_before > 0 || w->judge);
	f2fs_device_close(before);
	f2fs_device_close(lab.recorder);
	f2fs_device_close(lab.top);
	f2fs_device_close(lab.dev);
	f2fs_context_close(lab.ctx);
	free(lab.promises);
	free(lab.files);
	free(lab.bytes);
}
