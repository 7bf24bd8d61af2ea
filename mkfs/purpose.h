/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choices of mkfs.f2fs for a purpose (--for).
 */
#ifndef F2FSKIT_MKFS_PURPOSE_H
#define F2FSKIT_MKFS_PURPOSE_H

struct arguments;
struct purpose;

/* Find a purpose by its name. Returns NULL, or an error text. */
const char *purpose_find(const char *name, const struct purpose **out);
/* Add its choices to the arguments, once these are known. */
void purpose_apply(const struct purpose *purpose, struct arguments *a);
/* Look at the finished arguments. Returns NULL, or an error text about a choice that contradicts the purpose. */
const char *purpose_judge(const struct purpose *purpose, const struct arguments *a);
/* Print what it has chosen. */
void purpose_print(const struct purpose *purpose, const struct arguments *a);

#endif
