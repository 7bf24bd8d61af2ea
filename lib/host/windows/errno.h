/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors that Windows lacks. */
#include_next <errno.h>

#ifndef EDQUOT
#define EDQUOT 901
#endif
