/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structs of the public interface that say how large the caller's version of them is (F2FS_SIZED in f2fskit/base.h).
 * A public call takes options into a struct of this version, fills a result of this version, and hands over as much of
 * it as the caller's has. What calls of the library itself hand on is of this version already.
 */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stdbool.h>

#include <f2fskit/context.h>

/* Is NULL given, or a struct whose size is known? */
bool sized_is_known(const void *given, size_t size);
/* As sized_take() of a struct whose size is known. */
void sized_copy(void *own, size_t size, const void *given);
/*
 * Copy a struct of the caller's into own, which is size bytes long; members that the caller's version lacks become
 * zero, and so do all when given is NULL. INVALID when its size is one that no version up to this one has.
 */
int sized_take(struct f2fs_context *ctx, void *own, size_t size, const void *given);
/* Can a result of size bytes be handed over to the caller's struct? INVALID if not. NULL can always. */
int sized_check(struct f2fs_context *ctx, const void *given, size_t size);
/* Hand a result over: fill the members that the caller's struct has. One that sized_check() refuses stays as it is. */
void sized_give(void *given, const void *own, size_t size);

#endif
