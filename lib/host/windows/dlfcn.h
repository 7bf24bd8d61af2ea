/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Libraries that are loaded at their first use. */
#ifndef F2FSKIT_HOST_WINDOWS_DLFCN_H
#define F2FSKIT_HOST_WINDOWS_DLFCN_H

#include <posix_name.h>

#define RTLD_LAZY  1
#define RTLD_NOW   2
#define RTLD_LOCAL 0

void *dlopen(const char *name, int flags) POSIX_NAME(dlopen);
void *dlsym(void *library, const char *name) POSIX_NAME(dlsym);
int dlclose(void *library) POSIX_NAME(dlclose);

#endif
