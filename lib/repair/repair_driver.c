/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drive a repair in a loop: check, decide, choose the next step, do it, until nothing is left to do. Every round is one
 * commit, so after a power cut the next run continues from there. The rounds are not one commit, because that would
 * keep the writes of later rounds in memory, and a checker at boot has little. When the tables that lead to nodes are
 * damaged, nodes are searched by their footers first (volume/rescue.c).
 *
 * A check of a damaged volume is the same loop over layers in memory (rehearsal.c). It reports the findings of a
 * repair, including those that show only after another repair.
 */
#include <f2fskit/recover.h>

#include "base/error.h"
#include "check/check_open.h"
#include "log/commit.h"
#include "log/txn.h"
#include "repair/decisions.h"
#include "repair/readings.h"
#include "repair/repair.h"
#include "repair/repair_driver.h"
#include "repair/repair_need.h"
#include "repair/repair_recover.h"
#include "volume/rescue.h"
#include "volume/roots.h"
#include "witness/witness.h"

#include <string.h>

#define MAX_ROUNDS 8u
#define MAX_SEARCHES 2u /* nodes that they do not find do not exist */

/* The next step after a check. All but the end lead to the next check. */
enum next {
	NEXT_END,     /* nothing is left to be done, or nothing can be */
	NEXT_SEARCH,  /* the next check searches for nodes */
	NEXT_AGAIN,   /* the next check takes the tables as they are */
	NEXT_ROOTS,   /* a round that sets the superblocks right */
	NEXT_RECOVER, /* fsynced data becomes part of the volume */
	NEXT_LOOK,    /* the device is longer than the rest of the volume: check all of it */
	NEXT_ROUND    /* a round of repair */
};

struct driver {
	struct f2fs_context *ctx;
	struct f2fs_check_options options; /* of the checks: the driver reports findings itself */
	struct check_run run;
	struct decisions decisions;
	struct witness_book book; /* decided since the last commit */
	struct f2fs_check_result first; /* of the check whose findings were reported */
	struct f2fs_recover_result recovered;
	unsigned rounds;
	void (*log)(void *, enum f2fs_log_level, const char *); /* of the caller */
	uint64_t seen;	   /* digest of the findings of the check before the last round */
	bool is_nameless;  /* no superblock leads to the volume */
	bool was_told;	   /* findings are reported once, as the first check found them */
	bool is_begun;	   /* something was committed: the older checkpoint is of no use any more */
	bool must_recover; /* fsynced data still awaits recovery */
	bool has_searched; /* for its nodes: it is recovered on the result, or without */
	bool is_unread;	   /* it could not be read whether something waits */
	bool is_rehearsal; /* a check: the device is a layer in memory */
	bool is_refused;   /* the callback ended it, or memory is short */
};

static bool is_search(const struct driver *d)
{
	return d->run.mode == F2FS_MODE_RESCUE;
}

static bool may_search(const struct driver *d)
{
	return !is_search(d) && d->rounds < MAX_SEARCHES;
}

static bool tells(const struct driver *d)
{
	return !d->was_told && (!is_search(d) || d->is_nameless);
}

/* Hash all findings into one number, to see whether a round changed anything. */
static uint64_t digest_findings(const struct checker *c)
{
	uint64_t digest = c->findings.count + 1;

	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);
		const uint64_t values[] = { f->problem, f->nid, f->ino, f->segno, f->slot, f->found, f->expected };

		for (unsigned k = 0; k < sizeof(values) / sizeof(values[0]); k++)
			digest = (digest ^ values[k]) * 0x100000001B3u;
	}
	return digest;
}

/* Has a search met blocks that the device could not read? Blocks past its end are lost, once that was reported. */
static bool is_blind(const struct f2fs_volume *vol)
{
	return vol->rescue && vol->rescue->unread > vol->rescue->beyond;
}

/* Would the next search be blind? This is known before findings are reported as repaired. */
static int look_ahead(struct driver *d, struct checker *c)
{
	struct f2fs_open_options open = { 0 };
	struct f2fs_volume *vol;
	int err;

	if (d->was_told || !may_search(d) || !repair_needs_search(c) || c->is_frozen)
		return 0;
	if (d->options.open)
		open = *d->options.open;
	open.mode = F2FS_MODE_RESCUE;
	open.pack = 0;
	err = volume_open(d->ctx, c->dev, &open, &vol);
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	if (err) { /* the search itself reports why */
		error_clear(d->ctx);
		return 0;
	}
	if (is_blind(vol) && !vol->accepts_unread) {
		c->is_unread = true;
		log_message(d->ctx, F2FS_LOG_WARNING,
			    "unreadable blocks may hold nodes: not repairing, to avoid losing them (use "
			    "--accept-unread to continue)");
	}
	f2fs_volume_close(vol);
	return 0;
}

/* May the volume not be written at all? */
static int check_writable(struct driver *d, struct checker *c)
{
	int err = c->vol ? volume_check_roots(c->vol) : 0;

	if (!err && d->is_unread && !c->is_impossible && decisions_could_want(&d->decisions, c, false))
		err = error_set(c->ctx, F2FS_ERR_IO,
				"unreadable blocks may hold fsynced data: not repairing, to avoid losing it (use "
				"--accept-unread to continue)");
	/* the superblocks of such a volume can be written, everything else is packed for good */
	if (!err && c->vol && geometry_has(c->geo, F2FS_FEAT_RO) && decisions_could_want(&d->decisions, c, true))
		err = error_set(c->ctx, F2FS_ERR_UNSUPPORTED, "repairing read-only volumes is not supported");
	return err;
}

/* Ask about the findings. Fails when the volume may not be written at all. Then none is reported as repaired. */
static int decide(struct driver *d, struct checker *c)
{
	struct f2fs_error_detail why = { 0 };
	int err = look_ahead(d, c), refused = 0;

	/* An unreadable block may be intact: a repair would drop everything below it and reuse its place. */
	if (c->vol && is_blind(c->vol))
		c->is_unread = true;
	c->is_frozen |= c->is_unread && !(c->vol && c->vol->accepts_unread);
	/* if nodes are searched, readings are tried after the search */
	if (!err && !d->is_begun && !(may_search(d) && repair_needs_search(c)))
		err = readings_try(c, &d->decisions);
	if (!err && !c->is_frozen) {
		refused = check_writable(d, c);
		why = c->ctx->error;
		c->is_frozen = refused != 0;
	}
	if (!err) {
		err = decisions_take(&d->decisions, c, tells(d));
		d->is_refused = err != 0;
	}
	if (err || !refused || d->decisions.is_stopped)
		return err;
	c->ctx->error = why;
	return refused;
}

/* Was the volume cut, and has its device become long enough since? */
static bool is_long_again(const struct checker *c)
{
	return c->cut_end != 0 && c->vol->barred.end == 0;
}

/*
 * Before a recovery: a blank block of the NAT hides inodes, and their fsynced data would be dropped. A search finds
 * them. If its result is not the last checkpoint, the recovery takes the tables as they are.
 */
static enum next choose_recovery(const struct driver *d, const struct checker *c, bool wants)
{
	if (is_search(d))
		return witness_has_newest_tables(c) ? NEXT_RECOVER : NEXT_AGAIN;
	if (!d->has_searched && may_search(d) && wants && repair_needs_search(c))
		return NEXT_SEARCH;
	return NEXT_RECOVER;
}

static enum next choose(const struct driver *d, const struct checker *c, uint64_t seen)
{
	const bool wants = decisions_want(c);

	if (d->decisions.is_stopped || c->is_frozen || d->rounds == MAX_ROUNDS)
		return NEXT_END;
	if (!c->is_impossible && !is_search(d) && wants && repair_roots_first(c))
		return NEXT_ROOTS;
	if (!c->is_impossible && d->must_recover && (!is_search(d) || d->has_searched))
		return choose_recovery(d, c, wants);
	if (may_search(d) && wants && repair_needs_search(c))
		return NEXT_SEARCH;
	if (c->is_impossible)
		return NEXT_END;
	/*
	 * The results of a search are not on the device yet. A round that changed no finding would change none again.
	 */
	if (is_search(d) || (wants && seen != d->seen))
		return NEXT_ROUND;
	return is_long_again(c) ? NEXT_LOOK : NEXT_END;
}

/* *next becomes the step to take when nothing could be recovered. */
static int recover(struct driver *d, struct checker *c, uint64_t seen, enum next *next)
{
	bool is_done = false;
	int err;

	d->must_recover = false;
	err = repair_recover(c, &d->recovered, &is_done);
	d->is_begun |= is_done;
	if (!err && !is_done)
		*next = choose(d, c, seen);
	return err;
}

static int run_round(struct driver *d, struct checker *c, uint64_t seen, enum next next)
{
	if (next == NEXT_ROUND) {
		d->is_begun = d->run.is_flagged = true;
		d->seen = is_search(d) ? 0 : seen;
		if (is_long_again(c)) /* there may be something new now */
			d->options.cut_at = 0;
	}
	d->rounds++;
	return repair_round(c);
}

/* Act on the findings of a check. */
static int act(struct driver *d, struct checker *c, enum next *next)
{
	const uint64_t seen = digest_findings(c);
	int err = decide(d, c);

	if (err)
		return err;
	*next = choose(d, c, seen);
	if (*next == NEXT_RECOVER)
		err = recover(d, c, seen, next);
	if (!err && (*next == NEXT_ROOTS || *next == NEXT_ROUND))
		err = run_round(d, c, seen, *next);
	d->has_searched |= d->must_recover && *next == NEXT_SEARCH;
	if (*next == NEXT_LOOK)
		d->options.cut_at = 0;
	return err;
}

/* End the rounds: the volume asks for a check no more, unless something could not be read. */
static int settle(struct driver *d, struct checker *c, const struct f2fs_check_result *result)
{
	const struct commit_form form = { .cleared = FLAG_ckpt_flags_fsck };
	int err;

	if (!d->run.is_flagged || !c->vol || c->is_frozen || c->is_impossible)
		return 0;
	err = txn_begin_recovery(c->vol, NULL);
	if (!err)
		err = txn_commit_as(c->vol, &form);
	if (result->found == 0 || (err != F2FS_ERR_CORRUPT && err != F2FS_ERR_STATE))
		return err;
	txn_drop(c->vol); /* no commit is possible any more */
	error_clear(c->ctx);
	return 0;
}

/* Keep the findings of the first check: these are reported and counted. */
static void keep_first(struct driver *d, const struct f2fs_check_result *result)
{
	if (!tells(d))
		return;
	d->first = *result;
	d->was_told = true;
}

/* Is the error one of the repair only? It is no failure of a check that has reported its findings. */
static bool is_forgiven(const struct driver *d, int err)
{
	return d->is_rehearsal && d->was_told && !d->is_refused && err != F2FS_ERR_NOMEM && err != F2FS_ERR_CANCELED;
}

/* After a successful check: act on it, then keep its findings. */
static int go_on(struct driver *d, struct checker *c, struct f2fs_check_result *result, enum next *next)
{
	int err = act(d, c, next);

	if (!err && *next == NEXT_END && !d->is_rehearsal)
		err = settle(d, c, result);
	if (!err || !d->is_refused)
		keep_first(d, result);
	return err;
}

/* A rehearsal logs nothing: its messages would not be true of the device. The search for a volume is no part of it. */
static int open_check(struct driver *d, struct f2fs_device *dev, struct f2fs_check_result *result, struct checker **out)
{
	void (*const log)(void *, enum f2fs_log_level, const char *) = d->ctx->host.log;
	int err;

	if (is_search(d) && d->is_nameless && !d->was_told)
		d->ctx->host.log = d->log;
	err = check_open(d->ctx, dev, &d->run, result, out);
	d->ctx->host.log = log;
	return err;
}

static int run_checks(struct driver *d, struct f2fs_device *dev, struct f2fs_check_result *result)
{
	enum next next;

	do {
		struct checker *c = NULL;
		int err = open_check(d, dev, result, &c);

		next = NEXT_END;
		if (err == F2FS_ERR_NOT_F2FS && !is_search(d)) { /* is there a volume? */
			d->is_nameless = true;
			next = NEXT_SEARCH;
			err = 0;
		} else if (!err) {
			err = go_on(d, c, result, &next);
		}
		check_close(d->ctx, c, err);
		if (err)
			return err;
		if (next != NEXT_SEARCH) { /* the amended values are written, and in another place */
			witness_book_fini(&d->book);
			witness_book_init(&d->book, d->ctx);
		}
		d->run.mode = next == NEXT_SEARCH ? F2FS_MODE_RESCUE : F2FS_MODE_TOLERANT;
	} while (next != NEXT_END);
	return 0;
}

static int drive(struct driver *d, struct f2fs_device *dev, struct f2fs_check_result *result)
{
	int err;

	d->run.book = &d->book;
	witness_book_init(&d->book, d->ctx);
	err = run_checks(d, dev, result);
	witness_book_fini(&d->book);
	return err;
}

/* Sum up: found comes from the first check, left from the last one. */
static void sum_up(const struct driver *d, struct f2fs_check_result *result)
{
	const uint64_t found = d->first.found + d->decisions.told_later;

	result->recovered_nodes = d->recovered.nodes;
	result->recovered_inodes = d->recovered.inodes;
	result->recovered_orphans = d->recovered.orphans;
	result->rounds = d->rounds;
	result->left = result->found;
	result->found = found > result->left ? found : result->left;
	result->fixed = result->found - result->left;
	for (unsigned i = 0; i < sizeof(result->severity) / sizeof(result->severity[0]); i++)
		result->severity[i] = d->first.severity[i] + d->decisions.severity[i];
	result->notes = d->first.notes + d->decisions.severity[F2FS_SEVERITY_NOTE];
	if (result->state != F2FS_CHECK_IMPOSSIBLE)
		result->state = result->left		     ? F2FS_CHECK_LEFT
				: d->rounds || result->fixed ? F2FS_CHECK_REPAIRED
							     : F2FS_CHECK_SOUND;
}

int repair_volume(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		  struct f2fs_check_result *result)
{
	struct driver d = {
		.ctx = ctx, .options = *options, .run = { .mode = F2FS_MODE_TOLERANT }, .log = ctx->host.log
	};
	int err = decisions_init(&d.decisions, ctx, options);

	d.options.problem = NULL;
	d.run.options = &d.options;
	if (!err)
		err = repair_must_recover(ctx, dev, options, &d.must_recover, &d.is_unread);
	if (!err)
		err = drive(&d, dev, result);
	decisions_fini(&d.decisions);
	if (!err)
		sum_up(&d, result);
	return err;
}

/* The volume is as the first check found it. */
static void sum_up_rehearsal(const struct driver *d, struct f2fs_check_result *result)
{
	*result = d->first;
	result->found += d->decisions.told_later;
	for (unsigned i = 0; i < sizeof(result->severity) / sizeof(result->severity[0]); i++)
		result->severity[i] += d->decisions.severity[i];
	result->notes += d->decisions.severity[F2FS_SEVERITY_NOTE];
	result->left = result->found;
}

int repair_rehearse(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		    struct f2fs_check_result *result)
{
	struct f2fs_check_options asked = *options;
	struct driver d = { .ctx = ctx,
			    .options = *options,
			    .run = { .mode = F2FS_MODE_TOLERANT },
			    .log = ctx->host.log,
			    .is_rehearsal = true };
	int err;

	asked.only = asked.except = NULL;
	d.options.problem = NULL;
	d.run.options = &d.options;
	err = decisions_init(&d.decisions, ctx, &asked);
	d.decisions.is_rehearsal = true;
	if (!err)
		err = repair_must_recover(ctx, dev, options, &d.must_recover, &d.is_unread);
	ctx->host.log = NULL;
	if (!err)
		err = drive(&d, dev, result);
	ctx->host.log = d.log;
	decisions_fini(&d.decisions);
	if (is_forgiven(&d, err)) {
		error_clear(ctx);
		err = 0;
	}
	if (!err)
		sum_up_rehearsal(&d, result);
	return err;
}
