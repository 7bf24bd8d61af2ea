/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take in the results of a batch on the walk's thread: counts, problems, directories that nothing more is written into.
 * Pieces of a large file come back one after the other. The last one ends the file.
 */
#include "sink/retire.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"
#include "sink/batch.h"
#include "sink/dir.h"
#include "sink/lists.h"
#include "sink/owner.h"
#include "sink/substitute.h"
#include "sink/xattr.h"

#define SHOWN_NAME 64u

/* Record why the host did not make an entry. */
static void host_failure(struct host *h, int sys_errno, const char *what, const char *more)
{
	if (sys_errno == HOST_ALIAS)
		error_set(h->sink->ctx, F2FS_ERR_EXISTS, "%s%s: the host takes its name for that of another entry",
			  what, more);
	else
		error_sys(h->sink->ctx, sys_errno, "%s%s", what, more);
}

int host_refused(struct host *h, int sys_errno, const struct sink_place *place, const char *what)
{
	int err;

	if (sink_is_fatal(sys_errno)) {
		char text[TEXT_PRINTABLE_SIZE(SHOWN_NAME) + 1];
		struct text name;

		text_init(&name, text, sizeof(text));
		if (place->name)
			text_add_printable(&name, place->name, strlen(place->name));
		return error_sys(h->sink->ctx, sys_errno, "%s %s", what, text);
	}
	host_failure(h, sys_errno, what, "");
	err = sink_problem(h->sink, F2FS_PROBLEM_NOT_MADE, place);
	return err ? err : SINK_LEFT;
}

/* Does the host have no such entries, or not for this user? */
static bool is_beyond_host(int sys_errno)
{
	return sys_errno == EPERM || sys_errno == ENOSYS || sys_errno == EOPNOTSUPP || sys_errno == ENOTSUP ||
	       sys_errno == EINVAL || sys_errno == EMLINK;
}

int host_refused_without_contents(struct host *h, int sys_errno, const struct sink_place *place, const char *what)
{
	int err;

	if (!sink_has_manifest(h->sink) || !is_beyond_host(sys_errno))
		return host_refused(h, sys_errno, place, what);
	h->sink->result->only_listed++;
	host_failure(h, sys_errno, what, ", which is only in the manifest");
	err = sink_remark(h->sink, F2FS_PROBLEM_NOT_MADE, place);
	return err ? err : SINK_LISTED;
}

static int tell_loss(struct host *h, int sys_errno, unsigned bit, const struct sink_place *place, const char *what)
{
	struct sink_place at = *place;

	if (!sys_errno)
		return 0;
	at.what = what;
	error_sys(h->sink->ctx, sys_errno, "%s cannot be set", what);
	return sink_attribute_lost(h->sink, bit, &at);
}

static int tell_lost_setid(struct host *h, const struct host_wish *w, const struct sink_place *place)
{
	struct sink_place at = *place;

	if (!w->lost_setid)
		return 0;
	at.what = "mode";
	error_set(h->sink->ctx, F2FS_ERR_ACCESS, "setuid and setgid are left out: %s",
		  w->is_root ? "the owner is not the image's" : "root does not extract");
	return sink_attribute_lost(h->sink, F2FS_KEEP_MODE, &at);
}

int host_tell_losses(struct host *h, const struct host_wish *w, const struct sink_place *place)
{
	int err = tell_loss(h, w->owner_errno, F2FS_KEEP_OWNER, place, "owner");

	if (!err)
		err = tell_loss(h, w->mode_errno, F2FS_KEEP_MODE, place, "mode");
	if (!err)
		err = tell_lost_setid(h, w, place);
	if (!err)
		err = tell_loss(h, w->times_errno, F2FS_KEEP_TIMES, place, "times");
	if (!err)
		err = tell_loss(h, w->project_errno, F2FS_KEEP_PROJECT, place, "project id");
	if (!err)
		err = tell_loss(h, w->flags_errno, F2FS_KEEP_FLAGS, place, "flags");
	for (unsigned i = 0; i < w->xattr_count && !err; i++)
		err = tell_loss(h, w->xattrs[i].sys_errno, w->xattrs[i].bit, place, w->xattrs[i].name);
	return err;
}

int host_xattrs_load(struct host *h, struct f2fs_inode *inode, const struct sink_place *place, struct vec *out)
{
	struct sink_place at = *place;
	struct f2fs_xattr xattr;
	unsigned index = 0, bit;
	int err;

	out->count = 0;
	while ((err = sink_xattr_next(h->sink, inode, &index, &xattr, &bit)) == 0) {
		struct host_xattr *to = vec_push(out, 1);

		if (!to)
			return F2FS_ERR_NOMEM;
		*to = (struct host_xattr){
			.name = xattr.name, .value = xattr.value, .size = xattr.value_size, .bit = bit
		};
	}
	if (err == F2FS_ERR_NO_ATTR)
		return 0;
	if (err == F2FS_ERR_NOMEM)
		return err;
	at.what = "attributes";
	return sink_problem(h->sink, F2FS_PROBLEM_UNREADABLE, &at);
}

/* Contents that could not be read or decompressed. */
static int tell_lost_bytes(struct host *h, const struct host_file *file, const struct sink_place *place)
{
	struct sink *sink = h->sink;
	const uint64_t block = file->lost_source >> sink->vol->geo.block_bits;
	const struct error_where where = {
		.structure = "data",
		.block_plus1 = block + 1,
		.offset_plus1 = file->lost_offset + 1,
		.nid = file->ino,
	};
	int code = file->read_code;

	if (code <= F2FS_SYS_ERROR(0))
		code = device_report(sink->vol->dev, code, "read", file->lost_source, sink->vol->geo.block_size);
	if (code == F2FS_ERR_RANGE) /* beyond the end of an image that was cut short */
		code = F2FS_ERR_IO;
	error_at(sink->ctx, code, &where,
		 "%" PRIu64 " bytes of contents are lost, the first ones at byte %" PRIu64 " (block %" PRIu64 "): %s",
		 file->lost_bytes, file->lost_offset, block, f2fs_error_text(code));
	return sink_problem(sink, F2FS_PROBLEM_UNREADABLE, place);
}

static int tell_bad_checksums(struct host *h, const struct host_file *file, const struct sink_place *place)
{
	const struct f2fs_rule *rule = rule_row(RULE_CLUSTER_CHECKSUM);
	const struct error_where where = { .structure = rule->structure, .rule = rule->name, .nid = file->ino };

	error_at(h->sink->ctx, F2FS_ERR_DAMAGED_DATA, &where,
		 "%" PRIu64 " clusters decompress but break %s (%s); the contents may be wrong", file->bad_checksums,
		 rule->name, rule->text);
	return sink_remark(h->sink, F2FS_PROBLEM_UNREADABLE, place);
}

static int tell_misnamed(struct host *h, const struct host_file *file, const struct sink_place *place)
{
	const struct f2fs_rule *rule = rule_row(RULE_INODE_COMPRESS);
	const struct error_where where = { .structure = rule->structure, .rule = rule->name, .nid = file->ino };

	error_at(h->sink->ctx, F2FS_ERR_CORRUPT, &where,
		 "%" PRIu64 " clusters are not packed with %s, as the inode says; what packed them was found",
		 file->misnamed, comp_name(file->algorithm));
	return sink_remark(h->sink, F2FS_PROBLEM_UNREADABLE, place);
}

static int tell_host(struct host *h, const struct host_file *file, const struct sink_place *place)
{
	static const char *const steps[] = {
		[STEP_NONE] = "",
		[STEP_CREATE] = "cannot make the file",
		[STEP_WRITE] = "cannot write to the file",
		[STEP_RESIZE] = "cannot set the file's size",
		[STEP_ALLOCATE] = "cannot take space for the file",
		[STEP_SYNC] = "cannot make the file durable",
		[STEP_CLOSE] = "cannot close the file",
	};
	int err;

	if (file->step == STEP_NONE)
		return 0;
	if (file->is_skipped) {
		h->sink->result->skipped++;
		return 0;
	}
	err = host_refused(h, file->sys_errno, place, steps[file->step]);
	return err == SINK_LEFT ? 0 : err;
}

/* Add the results of a piece to the state of its file. */
static void add_piece(struct host_file *carry, const struct host_file *file)
{
	if (file->is_first) {
		*carry = *file;
		return;
	}
	if (carry->step == STEP_NONE) {
		carry->step = file->step;
		carry->sys_errno = file->sys_errno;
	}
	if (!carry->lost_bytes) {
		carry->read_code = file->read_code;
		carry->lost_offset = file->lost_offset;
		carry->lost_source = file->lost_source;
	}
	carry->lost_bytes += file->lost_bytes;
	carry->bad_checksums += file->bad_checksums;
	carry->misnamed += file->misnamed;
	carry->bytes += file->bytes;
}

/* Was a file made that did not take all of its contents? */
static bool is_part(const struct host_file *file)
{
	return file->step == STEP_WRITE || file->step == STEP_RESIZE || file->step == STEP_ALLOCATE;
}

static int retire_file(struct host *h, struct host_file *file)
{
	const struct sink_place place = { .dir = file->dir, .name = file->name, .ino = file->ino, .what = "contents" };
	struct host_file *all = &h->carry;
	int err;

	add_piece(all, file);
	if (!file->is_last)
		return 0;
	if (!file->is_first) {
		file->step = all->step;
		file->sys_errno = all->sys_errno;
		host_batch_finish_file(h, file, UINT64_MAX);
		file->shared->fd = -1;
		all->step = file->step;
		all->sys_errno = file->sys_errno;
	}
	h->sink->result->bytes += all->bytes;
	if (is_part(all))
		unlinkat(file->host_dir->fd, file->host_name, 0); /* a part of it is none */
	err = tell_host(h, all, &place);
	if (err || all->step != STEP_NONE)
		return err;
	h->sink->result->files++;
	if (all->lost_bytes)
		err = tell_lost_bytes(h, all, &place);
	if (!err && all->bad_checksums)
		err = tell_bad_checksums(h, all, &place);
	if (!err && all->misnamed)
		err = tell_misnamed(h, all, &place);
	return err ? err : host_tell_losses(h, &file->wish, &place);
}

void host_shared_put(struct host *h, struct host_shared *shared)
{
	if (--shared->refs > 0)
		return;
	if (shared->fd >= 0)
		close(shared->fd);
	mem_free(h->sink->ctx, shared);
}

/* A file that was begun and is not complete when the run ends does not stay. */
static void remove_part(const struct host_file *file)
{
	const int fd = file->shared ? file->shared->fd : file->fd;

	if ((fd >= 0 || is_part(file)) && (!file->shared || file->shared->refs == 1))
		unlinkat(file->host_dir->fd, file->host_name, 0);
}

/* Release a file. After an error its directory is dropped instead of left. */
static int release_file(struct host *h, struct host_file *file, int err)
{
	if (err && sink_is_owner(h->sink))
		remove_part(file);
	if (file->shared)
		host_shared_put(h, file->shared);
	else if (file->fd >= 0)
		close(file->fd);
	file->host_dir->pins--;
	if (!err)
		return sink_dir_put(h->sink, file->dir);
	sink_dir_drop(h->sink, file->dir);
	return err;
}

int host_retire(struct host *h)
{
	struct host_batch *batch = ring_take(&h->ring);
	int err = progress_tick(h->sink->ctx, "extract", BATCH_BYTES);

	if (!err)
		err = sink_check_owner(h->sink);
	for (unsigned i = 0; i < batch->file_count; i++) {
		if (!err)
			err = retire_file(h, &batch->files[i]);
		err = release_file(h, &batch->files[i], err);
	}
	return err;
}

void host_abandon(struct host *h, struct host_batch *batch)
{
	for (unsigned i = 0; i < batch->file_count; i++)
		release_file(h, &batch->files[i], F2FS_ERR_CANCELED);
	batch->file_count = 0;
}
