/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types of files that hold what Windows has: the C library's numbers of files have 16 bits. */
#ifndef F2FSKIT_HOST_WINDOWS_SYS_TYPES_H
#define F2FSKIT_HOST_WINDOWS_SYS_TYPES_H

#define _INO_T_DEFINED
#define _DEV_T_DEFINED
#define _MODE_T_
typedef unsigned short _ino_t;
typedef unsigned int _dev_t;
typedef unsigned short _mode_t;
typedef unsigned long long ino_t;
typedef unsigned long long dev_t;
typedef unsigned int mode_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;

#include_next <sys/types.h>

#endif
