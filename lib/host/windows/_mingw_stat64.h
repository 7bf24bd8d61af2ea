/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C library's forms of a file's status, but for the one by the name of POSIX, which is ours. */
#ifdef NO_OLDNAMES
#include_next <_mingw_stat64.h>
#else
#define NO_OLDNAMES
#include_next <_mingw_stat64.h>
#undef NO_OLDNAMES
#endif
