/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Background GC by the rules of the kernel's GC thread: it sleeps for some time, longer when others worked or little
 * is to be gained, and then empties one section. The events of a mobile device stop it or hurry it.
 */
#ifndef F2FSKIT_FUSE_COLLECTOR_H
#define F2FSKIT_FUSE_COLLECTOR_H

#include <f2fskit/gc.h>

#include "fuse/mount.h"

/* When the mount starts. */
void collector_init(struct mount *m);
/* GC if it is time; called some times a second. */
void collector_look(struct mount *m);
/* Empty up to so many sections now; *emptied gets how many there were. An error of the library. */
int collector_empty(struct mount *m, unsigned policy, uint32_t sections, uint32_t *emptied);
/* Something has changed: there may be a victim again, or other events hold. */
void collector_wake(struct mount *m);
/* May it run? Without power and with the screen off a device sleeps. */
int collector_is_allowed(const struct mount *m);
/* Is nobody using the device while it has power? Then sections are emptied one after the other. */
int collector_is_urgent(const struct mount *m);

#endif
