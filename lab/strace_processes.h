/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of a trace: their descriptors, which threads share and children copy, what these refer to, and their
 * working directories.
 */
#ifndef F2FSKIT_LAB_STRACE_PROCESSES_H
#define F2FSKIT_LAB_STRACE_PROCESSES_H

#include <stdint.h>

enum { STRACE_PROCESSES = 1 << 16, STRACE_DESCRIPTORS = 1 << 20 };

/* What an open() made; descriptors share it. */
struct strace_open {
	char *path;	 /* as it was opened */
	uint32_t number; /* of the file */
	unsigned refs;
	uint64_t position;
	uint8_t at_end;	   /* O_APPEND */
	uint8_t has_file;  /* it has a number: something was done with it */
	uint8_t is_directory;
};

struct strace_descriptors {
	struct strace_open **items;
	uint32_t room;
	unsigned refs;
};

struct strace_process {
	uint64_t pid;
	unsigned thread; /* in the order of their appearance */
	struct strace_descriptors *fds;
	char *directory; /* "": not known */
	char *begun;	 /* the start of a call whose end comes later; NULL: none */
	uint8_t is_over;
};

struct strace_processes {
	struct strace_process *items;
	uint32_t count, room;
	uint32_t last; /* the one that was asked for last */
	/* called when nothing refers to an open file any more */
	void (*closed)(void *user, struct strace_open *open);
	void *user;
};

/* The process of a number. One that is new has the parent's descriptors, or none. NULL: out of memory, too many. */
struct strace_process *strace_process(struct strace_processes *all, uint64_t pid);
/* A clone returned: the child copies, or shares, the parent's open files. 0 or -1. */
int strace_clone(struct strace_processes *all, uint64_t parent, uint64_t pid, int shares);
void strace_exit(struct strace_processes *all, struct strace_process *p);
struct strace_open *strace_get(const struct strace_process *p, uint64_t fd);
/* Let fd refer to an opened file (a new one: refs 0), or to nothing (NULL). Returns 0, or -1; open is closed when it
 * fails. */
int strace_set(struct strace_processes *all, struct strace_process *p, uint64_t fd, struct strace_open *open);
void strace_forget(struct strace_processes *all);

#endif
