/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open the image and its volume when a command needs them, commit changes or drop them.
 */
#ifndef F2FSKIT_EDIT_OPENED_H
#define F2FSKIT_EDIT_OPENED_H

#include "edit/run.h"

/* Open the devices of the image, once. Failure is reported. */
int edit_open_image(struct edit *e);
/* Open the volume, once. Failure is reported. */
int edit_open_volume(struct edit *e);
/* Return from an earlier state to the volume itself; warn of its lost and uncertain parts. */
void edit_close_as_of(struct edit *e);
/* Check that -w is given for a change that the operands request. Reports the error. */
int edit_need_write(struct edit *e, const char *command);
/* Commit the changes, if there are any. Failure is reported. */
int edit_commit(struct edit *e);
/* Save committed changes that are not yet in the file, of an Android sparse file. */
int edit_save(struct edit *e);
/* Drop changes; says so when there are any. */
void edit_rollback(struct edit *e);
/* End a run that was stopped: drop uncommitted changes, and print which ones stay. */
void edit_end_stopped(struct edit *e);

#endif
