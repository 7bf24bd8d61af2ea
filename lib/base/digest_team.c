/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workers for digests. Each kind of digest is a job of its own, because its bytes have an order and the kinds do not
 * depend on each other. The caller works on queued jobs while it waits.
 */
#include "base/digest_team.h"

#include "base/pool.h"

struct digest_team {
	struct f2fs_context *ctx;
	struct pool *pool;
	struct kind_job {
		struct pool_job job;
		struct sha *sha;
		const void *data;
		size_t length;
		bool failed;
	} jobs[DIGEST_KINDS];
	unsigned count; /* of jobs */
	bool is_running;
};

static void run(struct pool_job *job, unsigned slot)
{
	struct kind_job *kind = (struct kind_job *)job;

	(void)slot;
	kind->failed = sha_update(kind->sha, kind->data, kind->length) != 0;
}

int digest_team_new(struct f2fs_context *ctx, struct digests *d, struct digest_team **out)
{
	const unsigned others = pool_processors() - 1;
	struct digest_team *team;
	int err;

	*out = NULL;
	if (others == 0)
		return 0;
	team = mem_zalloc(ctx, sizeof(*team));
	if (!team)
		return F2FS_ERR_NOMEM;
	team->ctx = ctx;
	for (unsigned i = 0; i < DIGEST_KINDS; i++) {
		struct sha *sha = digests_running(d, i);

		if (!sha)
			continue;
		team->jobs[team->count].sha = sha;
		team->jobs[team->count++].job.run = run;
	}
	err = pool_new(ctx, team->count < others ? team->count : others, &team->pool);
	if (err)
		mem_free(ctx, team);
	else
		*out = team;
	return err;
}

void digest_team_add(struct digest_team *team, const void *data, size_t n)
{
	team->is_running = true;
	for (unsigned i = 0; i < team->count; i++) {
		struct kind_job *kind = &team->jobs[i];

		kind->data = data;
		kind->length = n;
		kind->failed = true; /* remains so in a forked process, which has no workers */
		pool_submit(team->pool, &kind->job);
	}
}

int digest_team_wait(struct digest_team *team)
{
	int err = 0;

	for (unsigned i = 0; team->is_running && i < team->count; i++) {
		struct kind_job *kind = &team->jobs[i];

		if (!pool_wait(team->pool, &kind->job) || kind->failed)
			err = -1;
	}
	team->is_running = false;
	return err;
}

void digest_team_free(struct digest_team *team)
{
	if (!team)
		return;
	digest_team_wait(team);
	pool_free(team->pool);
	mem_free(team->ctx, team);
}
