/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing the contents of a device to a new file, in one of three forms.
 */
#ifndef F2FSKIT_DUMP_SAVE_IMAGE_H
#define F2FSKIT_DUMP_SAVE_IMAGE_H

#include "dump/run.h"

enum image_form { FORM_DEFAULT, FORM_ZSTD, FORM_SPARSE, FORM_RAW };

/* The form of this name; FORM_DEFAULT when there is none. */
enum image_form image_form_of(const char *name);
/* Write a device to a new file, durably. note: text for people, which only FORM_ZSTD has room for. After a failure,
 * which is reported, the file is gone. */
int save_image(struct dump *d, struct f2fs_device *dev, const char *path, enum image_form form, const char *note);

#endif
