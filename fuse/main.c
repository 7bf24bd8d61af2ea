/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fsfuse: mount a volume without the kernel's F2FS. This file reads the options, opens the volume as they say, and
 * leaves it committed.
 */
#include <f2fskit/engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/earlier_state.h"
#include "cli/image.h"
#include "cli/packing.h"
#include "cli/repaired.h"
#include "cli/settle.h"
#include "cli/size.h"
#include "cli/state.h"
#include "cli/usage.h"
#include "cli/writer.h"
#include "fuse/atomic_file.h"
#include "fuse/control.h"
#include "fuse/direct_read.h"
#include "fuse/fuse_session.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mount_history.h"
#include "fuse/mount_words.h"
#include "fuse/predecessor.h"
#include "fuse/quota_guard.h"

#define CLI_OPTIONS_FILE "fuse/options.def"
#include "cli/option_table.h"

/* Times of GC are the defaults of the kernel. */
enum { COMMIT_SECONDS = 60, SECONDS_MAX = 86400 };
enum { GC_IDLE = 5, GC_MIN_SLEEP = 30, GC_MAX_SLEEP = 60, GC_NO_GC_SLEEP = 300 };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "mounted; in the foreground: unmounted, and everything is committed" },
	{ CLI_EXIT_FAILURE, "it could not be mounted, or a checkpoint could not be written" },
	{ CLI_EXIT_USAGE, "wrong usage" },
};

static const char *const usage[] = { "[OPTION]... IMAGE MOUNTPOINT", NULL };

static const struct cli_tool tool = {
	.name = "f2fsfuse",
	.summary = "Mount an F2FS volume through FUSE: an image file, a partition in one, or a block device.",
	CLI_TOOL_TABLES,
};

/* The text of one -o: values of options point into it. */
struct words {
	struct words *next;
	char text[];
};

struct arguments {
	struct cli *cli;
	struct cli_image image;
	struct cli_writer writer;
	struct cli_packing packing;
	struct mount_options mount;
	struct session_options session;
	char as_of[64]; /* of --as-of, as --state takes it */
	int is_foreground;
	struct words *words;
};

static const char *take(struct arguments *a, int id, const char *value);

/* One word of -o. */
static const char *take_word(struct arguments *a, char *word)
{
	const struct cli_option *option = mount_word_find(&tool, word);
	const char *value = mount_word_value(word), *why = NULL;

	if (mount_word_is_idle(word))
		return NULL;
	if (!option)
		return fuse_opt_add_opt_escaped(&a->session.passed, word) ? "does not fit into memory" : NULL;
	if (option->id == OPT_options)
		why = "is no mount option";
	else if ((option->arg == CLI_ARG_REQUIRED) != (value != NULL))
		why = value ? "takes no value" : "needs a value";
	else
		why = take(a, option->id, value);
	if (why)
		cli_usage_error(a->cli, "-o", word, why);
	return why;
}

static const char *take_words(struct arguments *a, const char *value)
{
	struct words *words = malloc(sizeof(*words) + strlen(value) + 1);
	const char *why = words ? NULL : "does not fit into memory";
	char *at = NULL, *word;

	if (words) {
		words->next = a->words;
		a->words = words;
		at = strcpy(words->text, value);
	}
	while (!why && (word = mount_word_next(&at)) != NULL)
		why = take_word(a, word);
	return why;
}

/* Which of several words it is, from 0; -1 for none. */
static int choice(const char *value, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(value, words[i]))
			return i;
	return -1;
}

static const char *take_gc(struct arguments *a, const char *value)
{
	static const char *const modes[] = { "on", "off", "sync", NULL };

	a->mount.gc = choice(value, modes);
	return a->mount.gc < 0 ? "is none of on, off, sync" : NULL;
}

static const char *take_umask(struct arguments *a, const char *value)
{
	char *end;
	const unsigned long mask = strtoul(value, &end, 8);

	a->mount.has_umask = 1;
	a->mount.umask = (uint32_t)mask;
	return !*value || *end || *value == '-' || mask > 0777 ? "is no octal mask up to 777" : NULL;
}

static const char *take_logs(struct arguments *a, const char *value)
{
	static const char *const counts[] = { "2", "4", "6", NULL };
	const int index = choice(value, counts);

	a->writer.options.logs = (uint8_t)(2 + 2 * index);
	return index < 0 ? "is none of 2, 4, 6" : NULL;
}

static const char *take_fsync_mode(struct arguments *a, const char *value)
{
	const int mode = f2fs_fsync_mode_find(value);

	a->writer.options.fsync_mode = (uint8_t)mode;
	return mode < 0 ? "is none of posix, strict" : NULL;
}

static const char *take_discard_unit(struct arguments *a, const char *value)
{
	const int unit = f2fs_discard_unit_find(value);

	a->writer.options.discard_unit = (uint8_t)unit;
	return unit < 0 ? "is none of block, segment, section" : NULL;
}

static const char *take_compression(struct arguments *a, int id, const char *value)
{
	switch (id) {
	case OPT_compress_algorithm:
		return cli_packing_take(&a->packing, CLI_PACKING_algorithm, value);
	case OPT_compress_log_size:
		return cli_packing_take(&a->packing, CLI_PACKING_cluster, value);
	case OPT_compress_extension:
		return cli_packing_take(&a->packing, CLI_PACKING_name, value);
	case OPT_nocompress_extension:
		return cli_packing_take(&a->packing, CLI_PACKING_plain, value);
	default: /* OPT_compress_chksum */
		a->packing.has_other = 1;
		a->packing.options.how.checksum = 1;
		return NULL;
	}
}

static const char *take(struct arguments *a, int id, const char *value)
{
	switch (id) {
	case OPT_options:
		return take_words(a, value);
	case OPT_foreground:
		a->is_foreground = 1;
		return NULL;
	case OPT_debug:
		a->is_foreground = a->session.is_debug = 1;
		return NULL;
	case OPT_single:
		a->session.is_single = 1;
		return NULL;
	case OPT_no_splice:
		a->mount.no_splice = 1;
		return NULL;
	case OPT_writeback_cache:
		a->session.gathers_writes = 1;
		return NULL;
	case OPT_ro:
	case OPT_rw:
	case OPT_norecovery:
		a->mount.is_read_only = id != OPT_rw;
		return NULL;
	case OPT_relatime:
	case OPT_strictatime:
		a->mount.atime = id == OPT_relatime ? MOUNT_ATIME_RELATIVE : MOUNT_ATIME_STRICT;
		return NULL;
	case OPT_noatime:
		a->mount.atime = MOUNT_ATIME_NONE;
		return NULL;
	case OPT_nodiratime:
		a->mount.leaves_dir_times = 1;
		return NULL;
	case OPT_lazytime:
		a->mount.is_lazy = 1;
		return NULL;
	case OPT_deleted:
		a->mount.shows_deleted = 1;
		return NULL;
	case OPT_as_of:
		snprintf(a->as_of, sizeof(a->as_of), "as-of=%s", value);
		return cli_state_take(&a->image, a->as_of);
	case OPT_uid:
		a->mount.has_uid = 1;
		return cli_parse_u32(value, 0, UINT32_MAX - 1, &a->mount.uid);
	case OPT_gid:
		a->mount.has_gid = 1;
		return cli_parse_u32(value, 0, UINT32_MAX - 1, &a->mount.gid);
	case OPT_umask:
		return take_umask(a, value);
	case OPT_commit:
		return cli_parse_u32(value, 1, SECONDS_MAX, &a->mount.commit_seconds);
	case OPT_gc_idle:
		return cli_parse_u32(value, 1, SECONDS_MAX, &a->mount.gc_seconds);
	case OPT_gc_min_sleep_time:
		return cli_parse_u32(value, 1, SECONDS_MAX, &a->mount.gc_min_sleep);
	case OPT_gc_max_sleep_time:
		return cli_parse_u32(value, 1, SECONDS_MAX, &a->mount.gc_max_sleep);
	case OPT_gc_no_gc_sleep_time:
		return cli_parse_u32(value, 1, SECONDS_MAX, &a->mount.gc_no_gc_sleep);
	case OPT_background_gc:
		return take_gc(a, value);
	case OPT_fsync_mode:
		return take_fsync_mode(a, value);
	case OPT_active_logs:
		return take_logs(a, value);
	case OPT_compress_algorithm:
	case OPT_compress_log_size:
	case OPT_compress_extension:
	case OPT_nocompress_extension:
	case OPT_compress_chksum:
		return take_compression(a, id, value);
	case OPT_discard_unit:
		return take_discard_unit(a, value);
	case OPT_discard:
	case OPT_nodiscard:
		a->writer.options.discard = id == OPT_discard;
		return NULL;
	default:
		return cli_is_image_option(id) ? cli_image_take(&a->image, id, value)
					       : cli_writer_take(&a->writer, id, value);
	}
}

/* Returns 0, CLI_OPT_EXIT, or CLI_OPT_ERROR after a message. */
static int parse(struct arguments *a, int argc, char **argv)
{
	struct cli_parser p;
	int id;

	cli_opt_init(&p, &tool, argc, argv);
	while ((id = cli_opt_next(&p)) > 0) {
		const char *why = take(a, id, p.value);

		if (why && id != OPT_options) /* -o reports its wrong word itself */
			cli_usage_error(a->cli, p.shown, p.value, why);
		if (why)
			return CLI_OPT_ERROR;
	}
	if (id != CLI_OPT_END)
		return id;
	if (p.operand_count != 2) {
		cli_error(a->cli, p.operand_count < 2 ? "an image and a mountpoint are needed" : "too many operands");
		cli_opt_hint(&tool);
		return CLI_OPT_ERROR;
	}
	if (a->mount.shows_deleted && a->image.as_of) {
		cli_error(a->cli, "deleted shows all checkpoints: it excludes as-of");
		cli_opt_hint(&tool);
		return CLI_OPT_ERROR;
	}
	a->image.path = p.operands[0];
	a->session.mountpoint = p.operands[1];
	a->mount.is_read_only |= a->image.has_state || a->mount.shows_deleted;
	a->image.flags = F2FS_OPEN_EXCLUSIVE | (a->mount.is_read_only ? F2FS_OPEN_READ : F2FS_OPEN_WRITE);
	if (!a->mount.is_read_only)
		a->image.recover = F2FS_RECOVER_APPLY;
	return 0;
}

/* Write the volume as the options say. Those of compression have no effect on a volume without it, as in the kernel. */
static int configure(struct arguments *a, struct f2fs_volume *vol)
{
	struct f2fs_write_options *o = &a->writer.options;

	if (a->packing.has_other && !(f2fs_volume_geometry(vol)->feature & F2FS_FEAT_COMPRESSION)) {
		cli_warning(a->cli, "%s: options of compression have no effect: the volume lacks the feature",
			    a->image.path);
	} else if (a->packing.has_other) {
		o->has_compression = 1;
		o->compression = a->packing.options.how;
		o->compress_names = a->packing.names[0] ? a->packing.names : NULL;
		o->plain_names = a->packing.except[0] ? a->packing.except : NULL;
	}
	if (!(f2fs_volume_geometry(vol)->feature & F2FS_FEAT_BLKZONED))
		o->in_place = F2FS_IN_PLACE_FULL; /* pinned files, and any when there is no room, as in the kernel */
	return cli_writer_apply(&a->writer, vol);
}

/* Warn that a mount without -o ro would show more. */
static void tell_pending(struct arguments *a, struct f2fs_volume *vol)
{
	uint64_t nodes = 0;

	if (a->mount.is_read_only && !a->image.has_state && f2fs_volume_pending(vol, &nodes) == 0 && nodes > 0)
		cli_warning(a->cli, "%s: files fsynced after the last checkpoint are not shown (see --state=recovered)",
			    a->image.path);
}

/* Show an earlier checkpoint in place of a volume, which goes to *now. */
static int enter_as_of(struct arguments *a, struct f2fs_volume **vol, struct f2fs_volume **now)
{
	const char *why;
	int rc = cli_as_of_enter(vol, now, a->image.as_of, 0, &why);

	if (rc && why)
		cli_error(a->cli, "as-of: '%s' %s", a->image.as_of, why);
	else if (rc)
		cli_error_of(a->cli, f2fs_volume_context(*vol), a->image.path);
	return rc;
}

/* Take that back, and warn of lost or uncertain parts. */
static void leave_as_of(struct arguments *a, const struct mount *m, struct f2fs_volume **vol, struct f2fs_volume **now)
{
	struct f2fs_as_of_stat stat;

	if (cli_as_of_leave(vol, now, &stat) && !m->is_daemon)
		cli_as_of_warn(a->cli, m->image, &stat);
}

static int find_root(struct mount *m)
{
	struct f2fs_inode *root;
	int rc = f2fs_lookup(m->vol, "/", 0, &root);

	if (rc) {
		cli_error_of(m->cli, m->ctx, m->image);
		return rc;
	}
	m->root = f2fs_inode_number(root);
	f2fs_inode_close(root);
	m->block_size = f2fs_volume_geometry(m->vol)->block_size;
	return known_init(m);
}

static int prepare(struct mount *m)
{
	int err = m->options.shows_deleted ? history_new(m) : 0;

	if (!err && !m->options.is_read_only)
		err = quota_guard_open(m);
	if (err)
		cli_error(m->cli, "out of memory");
	return err;
}

/* Serve the open volume, then commit. Returns the exit status. */
static int serve(struct arguments *a, struct mount *m)
{
	int status = CLI_EXIT_FAILURE;

	pthread_mutex_init(&m->lock, NULL);
	if (find_root(m) == 0 && prepare(m) == 0 && session_run(m, &a->session) == 0)
		status = CLI_EXIT_OK;
	atomic_fini(m);
	known_fini(m); /* frees the files that were removed while open */
	history_free(m);
	quota_guard_close(m);
	control_free(m);
	if (!m->options.is_read_only && !m->is_shut && cli_commit(m->cli, m->vol, m->image) != 0)
		status = CLI_EXIT_FAILURE;
	pthread_mutex_destroy(&m->lock);
	return m->is_broken && !m->is_shut ? CLI_EXIT_FAILURE : status;
}

static int open_and_serve(struct arguments *a, struct f2fs_context *ctx, struct cli_opened *opened)
{
	struct mount m = { .cli = a->cli, .ctx = ctx, .image = a->image.path, .options = a->mount, .gc_is_done = 1,
			   .direct_fd = -1, .checkpoints = 1 };
	struct f2fs_volume *vol = NULL, *now = NULL;
	const char *note;
	int status = CLI_EXIT_FAILURE;

	if ((a->image.is_repaired && cli_image_repair(a->cli, opened)) || cli_opened_volume(a->cli, opened, &vol))
		return status;
	for (unsigned i = 0; (note = f2fs_volume_note(vol, i)) != NULL; i++)
		cli_warning(a->cli, "%s", note);
	m.options.compression = a->packing.options.how;
	tell_pending(a, vol);
	if (!a->mount.is_read_only && configure(a, vol))
		cli_error_of(a->cli, ctx, a->image.path);
	else if (!a->image.as_of || enter_as_of(a, &vol, &now) == 0) {
		m.vol = vol;
		if (!a->image.has_state && !opened->is_partition && !opened->options.device_count &&
		    !opened->more[0])
			direct_read_open(&m, a->image.offset);
		status = serve(a, &m);
		direct_read_close(&m);
	}
	leave_as_of(a, &m, &vol, &now);
	cli_writer_close(&a->writer, vol);
	f2fs_volume_close(vol);
	return status;
}

static int run(struct arguments *a)
{
	struct f2fs_context *ctx;
	struct cli_opened opened;
	int status = CLI_EXIT_FAILURE;

	if (!a->is_foreground && session_fork(a->cli, CLI_EXIT_FAILURE))
		return CLI_EXIT_FAILURE;
	a->cli->show_progress = 0;
	if (cli_context_new(a->cli, &ctx))
		return CLI_EXIT_FAILURE;
	predecessor_wait(ctx, &a->image);
	if (cli_image_open(a->cli, ctx, &a->image, &opened) == 0) {
		status = open_and_serve(a, ctx, &opened);
		cli_image_close(&opened);
	}
	f2fs_context_close(ctx);
	return status;
}

static void forget_words(struct arguments *a)
{
	while (a->words) {
		struct words *words = a->words;

		a->words = words->next;
		free(words);
	}
	free(a->session.passed);
}

int main(int argc, char **argv)
{
	static struct cli cli;
	static struct arguments a = { .cli = &cli,
				      .packing = CLI_PACKING_DEFAULT,
				      .mount = { .commit_seconds = COMMIT_SECONDS,
						 .gc_seconds = GC_IDLE,
						 .gc_min_sleep = GC_MIN_SLEEP,
						 .gc_max_sleep = GC_MAX_SLEEP,
						 .gc_no_gc_sleep = GC_NO_GC_SLEEP },
				      .writer = { .options = { .commit_when_full = 1,
							       .fsync_mode = F2FS_FSYNC_MODE_POSIX } } };
	int rc;

	if (cli_init(&cli, &tool))
		return CLI_EXIT_FAILURE;
	rc = parse(&a, argc, argv);
	if (rc != CLI_OPT_ERROR)
		rc = cli_finish(&cli, rc == CLI_OPT_EXIT ? CLI_EXIT_OK : run(&a), CLI_EXIT_FAILURE);
	else
		rc = CLI_EXIT_USAGE;
	forget_words(&a);
	return rc;
}
