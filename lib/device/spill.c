/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The temporary file of an overlay: made on first need, removed from its directory at once, so it goes with the
 * process.
 */
#include "device/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

int spill_init(struct spill *s, struct f2fs_context *ctx, const char *dir)
{
	s->ctx = ctx;
	s->fd = -1;
	s->count = 0;
	s->dir = NULL;
	vec_init(&s->free_slots, ctx, sizeof(uint64_t));
	if (!dir)
		return 0;
	s->dir = mem_strdup(ctx, dir);
	return s->dir ? 0 : F2FS_ERR_NOMEM;
}

void spill_fini(struct spill *s)
{
	vec_fini(&s->free_slots);
	mem_free(s->ctx, s->dir);
	if (s->fd >= 0)
		close(s->fd);
}

void spill_clear(struct spill *s)
{
	vec_fini(&s->free_slots);
	s->count = 0;
	/* Free the space now. The contents of the file no longer matter. */
	if (s->fd >= 0 && ftruncate(s->fd, 0) != 0) {
		close(s->fd);
		s->fd = -1;
	}
}

static int make_named_file(struct spill *s)
{
	static const char name[] = "/f2fskit-XXXXXX";
	const size_t n = strlen(s->dir);
	char *path = mem_alloc(s->ctx, n + sizeof(name));

	if (!path)
		return F2FS_ERR_NOMEM;
	memcpy(path, s->dir, n);
	memcpy(path + n, name, sizeof(name));
	s->fd = mkstemp(path);
	if (s->fd >= 0) {
		unlink(path);
		fcntl(s->fd, F_SETFD, FD_CLOEXEC);
	}
	mem_free(s->ctx, path);
	return s->fd >= 0 ? 0 : error_sys(s->ctx, errno, "cannot make a temporary file in %s", s->dir);
}

int spill_open(struct spill *s)
{
	if (s->fd >= 0)
		return 0;
#ifdef O_TMPFILE
	s->fd = open(s->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd >= 0)
		return 0;
#endif
	return make_named_file(s);
}

uint64_t spill_take(struct spill *s, uint64_t *count)
{
	uint64_t slot;

	if (s->free_slots.count > 0) {
		slot = *(const uint64_t *)vec_at(&s->free_slots, --s->free_slots.count);
		*count = 1;
		return slot;
	}
	slot = s->count;
	s->count += *count;
	return slot;
}

void spill_give_back(struct spill *s, uint64_t slot)
{
	int code = s->ctx->error.code;
	uint64_t *free_slot;

	/* Without memory for the note the slot stays unused, which does no harm. */
	if (vec_reserve(&s->free_slots, 1) != 0) {
		s->ctx->error.code = code;
		return;
	}
	free_slot = vec_push(&s->free_slots, 1);
	*free_slot = slot;
}
