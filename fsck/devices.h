/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The devices of a check: the image, opened for writing or not, its further devices, and the layer that keeps old
 * contents (--undo) or all writes (--dry-run).
 */
#ifndef F2FSKIT_FSCK_DEVICES_H
#define F2FSKIT_FSCK_DEVICES_H

#include "request.h"

struct session {
	struct cli *cli;
	struct f2fs_context *ctx;
	const struct arguments *arguments;
	enum fsck_answer answer;  /* the possible answer: FSCK_NO when the image can only be read */
	struct cli_opened opened; /* its device is the one to check, with the layer */
	/* how a further device is found, below the layer */
	int (*find)(void *user, const char *path, struct f2fs_device **out);
	void *find_user;
};

/* Returns 0, or an exit code after a message; close it in any case. */
int session_open(struct session *s, struct cli *cli, struct f2fs_context *ctx, const struct arguments *a);
/* Open the image again after session_close(), without a layer. Returns 0, or -1 after a message. */
int session_reopen(struct session *s);
/* Save repairs that are still in memory, of an Android sparse file. Returns 0, or -1 after a message. */
int session_save(struct session *s);
void session_close(struct session *s);

/* Does the volume itself say that it wants to be checked? Also when it cannot be opened. */
int session_wants_check(struct session *s);

/* Bytes that a volume on one device needs when the device is shorter; 0: it is not. */
uint64_t session_lacks(struct session *s);

/* Open the volume as it is now, without a word when that fails. */
int session_volume(struct session *s, struct f2fs_volume **out);

#endif
