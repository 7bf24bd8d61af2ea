/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * See own_policy.h. Calls without an answer are collected and sent with the next question, so a written block costs
 * about one exchange with the process.
 */
#include "lab/own_policy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <f2fskit/context.h>

enum { WORDS = 9, RECORDS = 512 };
enum method { CLASSIFY, WRITTEN, MOVING, MOVED, FREED, DELAY, HEAT, COST };

static const char driver[] =
#include "policy_driver.inc"
	;

struct lab_own_policy {
	pid_t child;
	int socket;
	int has_failed;
	size_t count;
	uint64_t records[RECORDS][WORDS];
};

static int send_all(struct lab_own_policy *p)
{
	const char *at = (const char *)p->records;
	size_t left = p->count * sizeof(p->records[0]);

	p->count = 0;
	while (left > 0 && !p->has_failed) {
		const ssize_t n = send(p->socket, at, left, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			p->has_failed = 1;
		else {
			at += n;
			left -= (size_t)n;
		}
	}
	return p->has_failed ? -1 : 0;
}

static int receive(struct lab_own_policy *p, void *to, size_t size)
{
	for (size_t done = 0; done < size && !p->has_failed;) {
		const ssize_t n = recv(p->socket, (char *)to + done, size - done, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			p->has_failed = 1;
		else
			done += (size_t)n;
	}
	return p->has_failed ? -1 : 0;
}

static void note(struct lab_own_policy *p, enum method method, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t record[WORDS] = { method, a, b, c, d };

	memcpy(p->records[p->count++], record, sizeof(record));
	if (p->count == RECORDS)
		(void)send_all(p);
}

/* Ask; the standard answer when the process has ended. */
static uint64_t ask(struct lab_own_policy *p, enum method method, uint64_t a, uint64_t b, uint64_t c, uint64_t standard)
{
	uint64_t answer;

	note(p, method, a, b, c, 0);
	return send_all(p) || receive(p, &answer, sizeof(answer)) ? standard : answer;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const uint64_t stream = ask(user, CLASSIFY, ino, file_block, old, F2FS_STREAM_NONE);

	return stream < F2FS_STREAMS ? (unsigned)stream : F2FS_STREAM_NONE;
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	note(user, WRITTEN, ino, file_block, old, addr);
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	const uint64_t stream = ask(user, MOVING, ino, old, 0, F2FS_STREAM_NONE);

	return stream < F2FS_STREAMS ? (unsigned)stream : F2FS_STREAM_NONE;
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	note(user, MOVED, old, addr, 0, 0);
}

static void freed(void *user, f2fs_blk_t addr)
{
	note(user, FREED, addr, 0, 0, 0);
}

static unsigned delay(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const uint64_t rounds = ask(user, DELAY, ino, file_block, old, 0);

	return rounds <= F2FS_DELAY_MAX ? (unsigned)rounds : F2FS_DELAY_MAX;
}

static uint64_t heat(void *user, f2fs_seg_t segno, uint32_t blocks)
{
	return ask(user, HEAT, segno, blocks, 0, 0);
}

static double cost(void *user, const struct f2fs_gc_section *s)
{
	struct lab_own_policy *p = user;
	const uint64_t record[WORDS] = { COST,	  s->section, s->valid,	    s->blocks,	 s->mtime,
					 s->heat, s->now,     s->min_mtime, s->max_mtime };
	double answer;

	memcpy(p->records[p->count++], record, sizeof(record));
	return send_all(p) || receive(p, &answer, sizeof(answer)) ? INFINITY : answer;
}

/* In the child: the socket is its standard input, from which it reads and to which it writes. */
static void run_child(int socket, const char *file)
{
	if (dup2(socket, STDIN_FILENO) >= 0)
		execlp("python3", "python3", "-c", driver, file, (char *)NULL);
	_exit(127);
}

static int start(struct lab_own_policy *p, const char *file)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return -1;
	p->child = fork();
	if (p->child == 0) {
		close(ends[0]);
		run_child(ends[1], file);
	}
	close(ends[1]);
	p->socket = ends[0];
	return p->child < 0 ? -1 : 0;
}

int lab_own_policy_open(struct f2fs_context *ctx, const char *file, struct f2fs_placement *placement,
			struct f2fs_gc_options *gc, struct lab_own_policy **out)
{
	struct lab_own_policy *p = calloc(1, sizeof(*p));
	uint64_t first[2] = { 0, 0 };

	*out = p;
	if (!p)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for a policy");
	p->socket = -1;
	if (start(p, file))
		return f2fs_context_fail(ctx, F2FS_ERR_IO, "no process can be started for engine.policy");
	if (receive(p, first, sizeof(first)))
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID,
					 "engine.policy: python3 cannot run the file, or it has no class Policy");
	if (!(first[1] & (1u << CLASSIFY | 1u << COST)))
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID,
					 "engine.policy: class Policy has neither classify() nor cost()");
	if (first[0] < 1 || first[0] > F2FS_STREAMS)
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID, "engine.policy: streams is not 1 to 16");
#define HAS(method, callback) (first[1] & 1u << (method) ? (callback) : NULL)
	if (first[1] & 1u << CLASSIFY)
		*placement = (struct f2fs_placement){
			F2FS_SIZED(f2fs_placement),
			.user = p,
			.streams = (uint32_t)first[0],
			.classify = classify,
			.written = HAS(WRITTEN, written),
			.moving = HAS(MOVING, moving),
			.moved = HAS(MOVED, moved),
			.freed = HAS(FREED, freed),
			.delay = HAS(DELAY, delay),
			.heat = HAS(HEAT, heat),
		};
	gc->cost = HAS(COST, cost);
	gc->user = p;
#undef HAS
	return 0;
}

int lab_own_policy_failed(const struct lab_own_policy *policy)
{
	return policy->has_failed;
}

void lab_own_policy_close(struct lab_own_policy *policy)
{
	if (!policy)
		return;
	if (policy->socket >= 0)
		close(policy->socket);
	if (policy->child > 0)
		while (waitpid(policy->child, NULL, 0) < 0 && errno == EINTR)
			;
	free(policy);
}
