/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drive a check: run the passes over one set of facts, then report the findings.
 */
#include <string.h>

#include "base/error.h"
#include "check/check_open.h"
#include "check/passes.h"
#include "check/try_recovery.h"
#include "facts/finding.h"
#include "facts/inode_type.h"
#include "facts/sweep.h"
#include "volume/volume.h"
#include "witness/witness.h"

#define DEFAULT_MAX_FINDINGS 1000000u
#define MAX_THREADS 2u

struct pass {
	const char *name;
	int (*run)(struct checker *c);
	bool needs_volume;
};

static const struct pass passes[] = {
#define PASS(name, function, needs_volume) { name, function, needs_volume },
#include "check/passes.def"
#undef PASS
};
enum { PASS_COUNT = sizeof(passes) / sizeof(passes[0]) };

/* Discard all facts except those of the roots and the modes that were decided. */
static int restart(struct checker *c, size_t findings)
{
	facts_fini(&c->facts);
	c->findings.count = findings;
	c->dir_addrs.count = c->dir_blocks.count = c->names.count = c->name_runs.count = c->doubts.count =
		c->further_parents.count = c->misnamed.count = c->uncounted.count = c->targets.count = 0;
	mem_free(c->ctx, c->nat_bits);
	c->nat_bits = NULL;
	c->nat_bits_are_bad = c->has_bad_summary = c->must_restart = false;
	c->lost_found = c->newer_nodes = 0;
	map32_fini(&c->emptied);
	map32_init(&c->emptied, c->ctx);
	map32_fini(&c->cut);
	map32_init(&c->cut, c->ctx);
	memset(&c->evidence, 0, sizeof(c->evidence));
	if (volume_show_amends(c->vol, &c->book->amends) != 0)
		return F2FS_ERR_NOMEM;
	return facts_init(&c->facts, c->ctx, c->geo);
}

static int run_passes(struct checker *c)
{
	struct f2fs_check_result roots = { 0 };
	size_t findings = 0;
	int err = 0;

	for (unsigned i = 0; i < PASS_COUNT && !err; i++) {
		const struct f2fs_progress progress = {
			.task = "check", .phase = passes[i].name, .unit = "passes", .done = i, .total = PASS_COUNT
		};

		if (passes[i].needs_volume && c->is_impossible)
			break;
		err = progress_report(c->ctx, &progress);
		if (!err)
			err = passes[i].run(c);
		if (i == 0) {
			roots = *c->result;
			findings = c->findings.count;
		}
		if (!err && c->must_restart) {
			err = restart(c, findings);
			*c->result = roots;
			i = 0;
		} else if (!err && c->last_pass && strcmp(passes[i].name, c->last_pass) == 0) {
			break;
		}
	}
	return err;
}

static void count_file(struct f2fs_check_result *r, const struct inode_fact *inode)
{
	r->files++;
	r->hard_links += inode->links_found > 1;
}

static void count_inodes(struct checker *c)
{
	struct f2fs_check_result *r = c->result;
	uint64_t plain[F2FS_TYPE_END] = { 0 };

	facts_count_plain(&c->facts, plain);
	r->files += plain[F2FS_TYPE_REGULAR];
	r->symlinks += plain[F2FS_TYPE_SYMLINK];
	for (unsigned type = F2FS_TYPE_CHARACTER; type <= F2FS_TYPE_SOCKET; type++)
		r->specials += plain[type];
	for (uint32_t i = 0; i < facts_whole_count(&c->facts); i++) {
		const struct inode_fact *inode = facts_inode_at(&c->facts, i);

		if (inode->state & INODE_ORPHAN)
			r->orphans++;
		else if (inode->type == F2FS_TYPE_REGULAR && !(inode->state & INODE_HIDDEN))
			count_file(r, inode);
		else if (inode->type == F2FS_TYPE_DIRECTORY)
			r->directories++;
		else if (inode->type == F2FS_TYPE_SYMLINK)
			r->symlinks++;
		else if (inode->type != F2FS_TYPE_REGULAR)
			r->specials++;
	}
}

static int finish(struct checker *c)
{
	int err;

	if (c->facts.ctx) {
		count_inodes(c);
		c->result->memory = facts_memory(&c->facts);
	}
	err = findings_tell(c);
	c->result->left = c->result->found;
	if (c->is_impossible)
		c->result->state = F2FS_CHECK_IMPOSSIBLE;
	else
		c->result->state = c->result->found ? F2FS_CHECK_LEFT : F2FS_CHECK_SOUND;
	return err;
}

static void release(struct checker *c)
{
	facts_fini(&c->facts);
	mem_free(c->ctx, c->nat_bits);
	mem_free(c->ctx, c->scratch);
	vec_fini(&c->findings);
	vec_fini(&c->dir_addrs);
	vec_fini(&c->dir_blocks);
	vec_fini(&c->targets);
	vec_fini(&c->names);
	vec_fini(&c->name_runs);
	vec_fini(&c->doubts);
	vec_fini(&c->further_parents);
	vec_fini(&c->misnamed);
	vec_fini(&c->uncounted);
	map32_fini(&c->modes);
	map32_fini(&c->heads);
	map32_fini(&c->emptied);
	map32_fini(&c->cut);
	pool_free(c->pool);
	f2fs_volume_close(c->vol);
	if (c->owns_book) {
		witness_book_fini(c->book);
		mem_free(c->ctx, c->book);
	}
	mem_free(c->ctx, c);
}

void check_close(struct f2fs_context *ctx, struct checker *c, int err)
{
	const struct f2fs_error_detail detail = ctx->error;

	if (c)
		release(c);
	ctx->error = detail;
	if (!err)
		error_clear(ctx);
}

/* Take the book of decisions that is given, or a new one. */
static int get_book(struct checker *c, struct witness_book *given)
{
	c->book = given ? given : mem_zalloc(c->ctx, sizeof(*c->book));
	if (!c->book)
		return F2FS_ERR_NOMEM;
	c->owns_book = !given;
	if (!given)
		witness_book_init(c->book, c->ctx);
	return 0;
}

int check_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct check_run *run,
	       struct f2fs_check_result *result, struct checker **out)
{
	struct checker *c;
	unsigned threads;
	int err;

	error_clear(ctx);
	memset(result, 0, sizeof(*result));
	c = mem_zalloc(ctx, sizeof(*c));
	if (!c)
		return F2FS_ERR_NOMEM;
	c->ctx = ctx;
	c->dev = dev;
	c->result = result;
	c->mode = run->mode;
	c->last_pass = run->last;
	c->is_as_is = run->as_is;
	c->is_flagged = run->is_flagged;
	if (run->options)
		c->options = *run->options;
	if (c->options.max_findings == 0)
		c->options.max_findings = DEFAULT_MAX_FINDINGS;
	threads = c->options.threads ? c->options.threads : pool_processors();
	vec_init(&c->findings, ctx, sizeof(struct finding));
	vec_init(&c->dir_addrs, ctx, sizeof(struct sweep_item));
	vec_init(&c->dir_blocks, ctx, sizeof(struct dir_block));
	vec_init(&c->targets, ctx, sizeof(struct sweep_item));
	vec_init(&c->names, ctx, sizeof(struct dir_name));
	vec_init(&c->name_runs, ctx, sizeof(struct dir_run));
	vec_init(&c->doubts, ctx, sizeof(struct type_doubt));
	vec_init(&c->further_parents, ctx, sizeof(struct further_parent));
	vec_init(&c->misnamed, ctx, sizeof(struct f2fs_nat_info));
	vec_init(&c->uncounted, ctx, sizeof(struct f2fs_nat_info));
	map32_init(&c->modes, ctx);
	map32_init(&c->heads, ctx);
	map32_init(&c->emptied, ctx);
	map32_init(&c->cut, ctx);
	err = get_book(c, run->book);
	if (!err)
		err = pool_new(ctx, (threads > MAX_THREADS ? MAX_THREADS : threads) - 1, &c->pool);
	if (!err)
		err = run_passes(c);
	if (!err && !c->last_pass)
		err = recovery_try(c);
	if (!err)
		err = finish(c);
	if (err)
		check_close(ctx, c, err);
	else
		*out = c;
	return err;
}
