/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The crash laboratory: a workload writes to a recorded device and promises from time to time that its changes are
 * durable. Then every state that a power cut can leave (crash.h) is opened, recovered, and compared with the promises.
 *
 * A workload is a sequence of steps that are to be atomic, each ending with lab_promise(). After a cut during a step
 * all names, contents and attributes must be as at the promise before it, or as at the one that ends it; nothing else.
 * A workload whose steps are larger has a judge of its own.
 */
#ifndef F2FSKIT_TESTS_CRASH_LAB_H
#define F2FSKIT_TESTS_CRASH_LAB_H

#include <f2fskit/f2fskit.h>
#include <stdbool.h>

#include "crash/crash.h"

struct lab_promise;
struct lab_file;

#define INODES_KEPT 1000u /* of these numbers the laboratory looks whether they are lost */

struct lab {
	struct f2fs_context *ctx;
	struct f2fs_device *dev; /* memory: the present contents of the device */
	struct f2fs_device *top; /* the same, with zones if the volume is zoned: a write elsewhere fails */
	struct f2fs_device *recorder;
	struct f2fs_volume *vol; /* open on the recorder, or on top while it is prepared */
	uint64_t random;
	uint8_t *bytes; /* LAB_BYTES to be filled with anything */
	void *user;	/* of the workload */
	/* the laboratory's own */
	const struct lab_workload *workload;
	struct lab_promise *promises;
	uint64_t promise_count;
	struct lab_file *files; /* promised since the last commit */
	unsigned file_count;
	bool is_committed[INODES_KEPT]; /* inode numbers that were there after the last commit */
	uint64_t version; /* of the last commit */
	uint64_t state_count;
	unsigned one_of;	/* one state in so many is judged */
	uint64_t states_passed; /* judged or not */
	uint64_t seen_before, seen_after; /* states as at the promise before, and as at the one that was being made */
	char found[400];		  /* about the state at hand, for messages */
};

#define LAB_BYTES (1u << 18)

struct lab_workload {
	const char *name;
	struct f2fs_mkfs_options format;
	struct f2fs_write_options write;
	uint64_t size;			  /* of the device in bytes, 0: 64 MiB */
	void (*prepare)(struct lab *lab); /* the contents before; may be NULL; a commit follows unless is_unclean */
	bool is_unclean;
	void (*run)(struct lab *lab);
	/*
	 * Judge a recovered volume: 0 when a cut after that many promises (the first is number 0, made before run) may
	 * leave it. NULL: as the head of this file says. Text for a message goes to lab_complain().
	 */
	int (*judge)(struct lab *lab, struct f2fs_volume *vol, uint64_t promises);
	unsigned subsets, scattered; /* 0: 6 and 3 */
};

/*
 * Run one workload and judge one of so many states, 1: all of them. Of a workload with few writes all are judged. Fails
 * the running cmocka test.
 */
void lab_run(const struct lab_workload *workload, uint64_t seed, unsigned one_of);
/* Promise that the durable state lasts. After a commit that is everything that the volume shows. */
void lab_promise(struct lab *lab);
/* The same when a file was fsynced: it has to be there, as it is now, under the name that it has now. */
void lab_promise_file(struct lab *lab, struct f2fs_inode *inode);
/* Add to the message about the state at hand; returns 1. */
int lab_complain(struct lab *lab, const char *format, ...);
/* A number below limit. */
uint64_t lab_random(struct lab *lab, uint64_t limit);
/* Open the volume on a device and recover it; NULL with a complaint. */
struct f2fs_volume *lab_open(struct lab *lab, struct f2fs_device *dev);

/* Check the volume on a device; 1 with a complaint when a problem is found. */
int lab_check(struct lab *lab, struct f2fs_device *dev);

/* changes.c: a random change of files, directories and names; the inode of the file that was changed, open, or NULL. */
struct f2fs_inode *lab_change(struct lab *lab);
/* The directories that changes take place in; to be called once. */
void lab_make_directories(struct lab *lab);

#endif
