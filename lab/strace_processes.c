/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of a trace and their open files.
 */
#include "lab/strace_processes.h"

#include <stdlib.h>
#include <string.h>

static void release(struct strace_processes *all, struct strace_open *open)
{
	if (!open || --open->refs > 0)
		return;
	if (all->closed)
		all->closed(all->user, open);
	free(open->path);
	free(open);
}

static void drop_descriptors(struct strace_processes *all, struct strace_descriptors *fds)
{
	if (!fds || --fds->refs > 0)
		return;
	for (uint32_t i = 0; i < fds->room; i++)
		release(all, fds->items[i]);
	free(fds->items);
	free(fds);
}

static struct strace_descriptors *copy_descriptors(const struct strace_descriptors *from)
{
	struct strace_descriptors *fds = calloc(1, sizeof(*fds));

	if (!fds)
		return NULL;
	fds->refs = 1;
	if (!from || !from->room)
		return fds;
	fds->items = malloc(from->room * sizeof(struct strace_open *));
	if (!fds->items) {
		free(fds);
		return NULL;
	}
	fds->room = from->room;
	for (uint32_t i = 0; i < from->room; i++) {
		fds->items[i] = from->items[i];
		if (fds->items[i])
			fds->items[i]->refs++;
	}
	return fds;
}

static struct strace_process *find(struct strace_processes *all, uint64_t pid)
{
	if (all->last < all->count && all->items[all->last].pid == pid && !all->items[all->last].is_over)
		return &all->items[all->last];
	for (uint32_t i = all->count; i-- > 0;) {
		if (all->items[i].pid != pid || all->items[i].is_over)
			continue;
		all->last = i;
		return &all->items[i];
	}
	return NULL;
}

/* Add a process that takes over descriptors and has a copy of the directory. On failure the descriptors are dropped. */
static struct strace_process *add(struct strace_processes *all, uint64_t pid, struct strace_descriptors *fds,
				  const char *directory)
{
	struct strace_process *p = NULL;
	char *copy = strdup(directory);

	if (all->count == all->room && all->count < STRACE_PROCESSES) {
		const uint32_t room = all->room ? all->room * 2 : 16;
		struct strace_process *more = realloc(all->items, room * sizeof(*more));

		all->items = more ? more : all->items;
		all->room = more ? room : all->room;
	}
	if (!fds || !copy || all->count == all->room) {
		drop_descriptors(all, fds);
		free(copy);
		return NULL;
	}
	p = &all->items[all->count];
	*p = (struct strace_process){ .pid = pid, .thread = all->count & 0xffff, .fds = fds, .directory = copy };
	all->count++;
	return p;
}

/* Find the process in the middle of a clone: the parent of an unknown process. */
static const struct strace_process *parent_of_new(const struct strace_processes *all)
{
	for (uint32_t i = all->count; i-- > 0;) {
		const char *begun = all->items[i].is_over ? NULL : all->items[i].begun;

		if (begun && (strncmp(begun, "clone", 5) == 0 || strncmp(begun, "fork", 4) == 0 ||
			      strncmp(begun, "vfork", 5) == 0))
			return &all->items[i];
	}
	return NULL;
}

struct strace_process *strace_process(struct strace_processes *all, uint64_t pid)
{
	struct strace_process *p = find(all, pid);
	const struct strace_process *parent = p ? NULL : parent_of_new(all);
	struct strace_descriptors *fds = NULL;

	if (p)
		return p;
	if (parent && strstr(parent->begun, "CLONE_FILES")) {
		fds = parent->fds;
		fds->refs++;
	} else {
		fds = copy_descriptors(parent ? parent->fds : NULL);
	}
	return add(all, pid, fds, parent ? parent->directory : "");
}

int strace_clone(struct strace_processes *all, uint64_t parent_pid, uint64_t pid, int shares)
{
	const struct strace_process *parent = find(all, parent_pid);
	struct strace_descriptors *fds;

	if (!parent || find(all, pid))
		return 0;
	if (shares) {
		fds = parent->fds;
		fds->refs++;
	} else {
		fds = copy_descriptors(parent->fds);
	}
	return add(all, pid, fds, parent->directory) ? 0 : -1;
}

void strace_exit(struct strace_processes *all, struct strace_process *p)
{
	drop_descriptors(all, p->fds);
	free(p->directory);
	free(p->begun);
	p->fds = NULL;
	p->directory = p->begun = NULL;
	p->is_over = 1;
}

struct strace_open *strace_get(const struct strace_process *p, uint64_t fd)
{
	return fd < p->fds->room ? p->fds->items[fd] : NULL;
}

int strace_set(struct strace_processes *all, struct strace_process *p, uint64_t fd, struct strace_open *open)
{
	struct strace_descriptors *fds = p->fds;

	if (open)
		open->refs++;
	if (fd >= fds->room && open) {
		const uint32_t room = fd < 32 ? 64 : (uint32_t)(fd < STRACE_DESCRIPTORS ? fd * 2 : 0);
		struct strace_open **more = room ? realloc(fds->items, room * sizeof(struct strace_open *)) : NULL;

		if (!more) {
			release(all, open);
			return -1;
		}
		memset(more + fds->room, 0, (room - fds->room) * sizeof(struct strace_open *));
		fds->items = more;
		fds->room = room;
	}
	if (fd >= fds->room)
		return 0;
	release(all, fds->items[fd]);
	fds->items[fd] = open;
	return 0;
}

void strace_forget(struct strace_processes *all)
{
	all->closed = NULL;
	for (uint32_t i = 0; i < all->count; i++)
		if (!all->items[i].is_over)
			strace_exit(all, &all->items[i]);
	free(all->items);
	*all = (struct strace_processes){ 0 };
}
