/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ask once about each finding and remember the answer. Only the first check reports a finding that follows from others.
 * Later checks may meet more of those, but they need no decision. Neither does a count that differs only because a
 * round of the repair changed the things it counts.
 */
#include "repair/decisions.h"
#include "repair/repair_need.h"

#include <string.h>

#include "base/error.h"
#include "facts/finding.h"
#include "volume/keyring.h"

struct answer {
	uint64_t found;
	f2fs_nid_t nid, ino;
	f2fs_seg_t segno;
	uint32_t slot;
	uint16_t problem;
	bool is_left;
};

static int compare(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	if (x->problem != y->problem)
		return x->problem > y->problem ? 1 : -1;
	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	if (x->ino != y->ino)
		return x->ino > y->ino ? 1 : -1;
	if (x->segno != y->segno)
		return x->segno > y->segno ? 1 : -1;
	if (x->slot != y->slot)
		return x->slot > y->slot ? 1 : -1;
	return (x->found > y->found) - (x->found < y->found);
}

static struct answer answer_of(const struct finding *f)
{
	return (struct answer){ .problem = f->problem,
				.nid = f->nid,
				.ino = f->ino,
				.segno = f->segno,
				.slot = f->slot,
				.found = f->found,
				.is_left = f->is_left };
}

/* Is it a count, which a repair sets to the number finally present? */
static bool is_count(enum problem problem)
{
	switch (problem) {
	case P_BLOCK_COUNT:
	case P_COMPR_BLOCKS:
	case P_LINKS_FILE:
	case P_LINKS_DIR:
	case P_QUOTA_SPACE:
	case P_QUOTA_INODES:
		return true;
	default:
		return false;
	}
}

/* Find the answer about a finding among the first count answers. A count matches with any value. NULL: none. */
static const struct answer *find(const struct decisions *d, size_t count, const struct finding *f)
{
	const bool is_any = is_count((enum problem)f->problem);
	struct answer wanted = answer_of(f), like;
	const struct answer *at;
	size_t first;

	if (is_any)
		wanted.found = 0;
	first = sorted_first(d->answers.items, count, sizeof(wanted), compare, &wanted);
	if (first == count)
		return NULL;
	at = vec_at(&d->answers, first);
	like = *at;
	if (is_any)
		like.found = 0;
	return compare(&like, &wanted) == 0 ? at : NULL;
}

/* Mark, or unmark, the problems that a word selects. */
static int choose(struct decisions *d, const char *word, bool is_barred)
{
	const struct f2fs_problem_info *info;
	bool is_known = false;

	for (unsigned i = 0; (info = f2fs_problem_at(i)) != NULL; i++)
		if (f2fs_problem_matches(info, word)) {
			d->is_barred[info->id] = is_barred;
			is_known = true;
		}
	return is_known ? 0
			: error_set(d->ctx, F2FS_ERR_INVALID, "'%s' is neither a problem nor a group of problems",
				    word);
}

int decisions_init(struct decisions *d, struct f2fs_context *ctx, const struct f2fs_check_options *options)
{
	int err = 0;

	memset(d, 0, sizeof(*d));
	d->ctx = ctx;
	d->options = options;
	vec_init(&d->answers, ctx, sizeof(struct answer));
	if (options->only)
		memset(d->is_barred, true, sizeof(d->is_barred));
	for (const char *const *word = options->only; word && *word && !err; word++)
		err = choose(d, *word, false);
	for (const char *const *word = options->except; word && *word && !err; word++)
		err = choose(d, *word, true);
	return err;
}

void decisions_fini(struct decisions *d)
{
	vec_fini(&d->answers);
}

static int keep(struct decisions *d, const struct finding *f)
{
	struct answer *answer = vec_push(&d->answers, 1);

	if (!answer)
		return F2FS_ERR_NOMEM;
	*answer = answer_of(f);
	return 0;
}

/* Is the root encrypted, and stays so? */
static bool has_hidden_root(const struct checker *c)
{
	const struct inode_fact *root = facts_inode(&c->facts, c->geo->root_ino);

	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == P_ENCRYPT_CONTEXT && f->ino == c->geo->root_ino)
			return false;
	}
	return root && (root->advise & FLAG_i_advise_encrypt) && geometry_has(c->geo, F2FS_FEAT_ENCRYPT);
}

/* Can a lost inode get a name? An encrypted root takes no lost+found without its key. */
static bool has_room(const struct checker *c, const struct finding *f)
{
	const struct inode_fact *home, *inode;

	if (f->problem != P_DIR_LOST && f->problem != P_DIR_LOOP && f->problem != P_FILE_LOST)
		return true;
	inode = facts_inode(&c->facts, f->ino);
	home = inode ? facts_inode(&c->facts, inode->pino) : NULL;
	return !has_hidden_root(c) || c->lost_found || keyring_count(c->vol) > 0 ||
	       (home && home->type == F2FS_TYPE_DIRECTORY && !(home->advise & FLAG_i_advise_encrypt));
}

/* Ask about a finding. A negative result is the callback's. */
static int ask(struct decisions *d, struct checker *c, struct finding *f, struct tell_room *room)
{
	const enum f2fs_repair_kind kind = problem_kind((enum problem)f->problem);
	const bool is_open =
		kind != F2FS_REPAIR_NONE && !d->is_barred[f->problem] && !c->is_frozen && has_room(c, f);
	int answer = F2FS_DECIDE_FIX;

	if (d->options->problem)
		answer = finding_tell(c, f, d->options,
				      is_open && !d->is_rehearsal ? F2FS_ACTION_FIXED : F2FS_ACTION_NONE, room);
	d->is_stopped = answer == F2FS_DECIDE_STOP;
	f->is_left = !is_open || (answer != F2FS_DECIDE_FIX && !d->is_rehearsal);
	return answer < 0 ? answer : 0;
}

/* Is there something to decide when only a later check meets it? */
static bool is_decided_later(enum problem problem)
{
	return problem_kind(problem) == F2FS_REPAIR_CHOICE && !is_count(problem);
}

int decisions_take(struct decisions *d, struct checker *c, bool is_first)
{
	struct tell_room *room = finding_room(c);
	const size_t known = d->answers.count;
	int err = room ? 0 : F2FS_ERR_NOMEM;

	for (size_t i = 0; i < c->findings.count && !err && !d->is_stopped; i++) {
		struct finding *f = vec_at(&c->findings, i);
		const struct answer *answer = find(d, known, f);

		if (answer) {
			f->is_left = answer->is_left;
			continue;
		}
		if (!is_first && !is_decided_later((enum problem)f->problem)) {
			f->is_left = d->is_barred[f->problem] || c->is_frozen;
			continue;
		}
		d->told_later += !is_first;
		d->severity[problem_row((enum problem)f->problem)->severity] += !is_first;
		err = ask(d, c, f, room);
		if (!err)
			err = keep(d, f);
	}
	mem_free(d->ctx, room);
	vec_sort(&d->answers, compare);
	return err;
}

bool decisions_could_want(const struct decisions *d, const struct checker *c, bool beyond_superblocks)
{
	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (!d->is_barred[f->problem] && problem_kind((enum problem)f->problem) != F2FS_REPAIR_NONE &&
		    !(beyond_superblocks && repair_is_of_superblock((enum problem)f->problem)))
			return true;
	}
	return false;
}

bool decisions_want(const struct checker *c)
{
	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (!f->is_left && problem_kind((enum problem)f->problem) != F2FS_REPAIR_NONE)
			return true;
	}
	return false;
}
