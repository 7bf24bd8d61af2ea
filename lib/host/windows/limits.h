/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits. PATH_MAX is that of the library's buffers: Windows takes paths of 32767 characters. */
#include_next <limits.h>

#undef PATH_MAX
#define PATH_MAX 4096
#undef PIPE_BUF
#define PIPE_BUF 4096
