/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host's folder of temporary files.
 */
#ifndef F2FSKIT_HOST_TEMPORARY_H
#define F2FSKIT_HOST_TEMPORARY_H

/* The folder that the environment names, or the host's own. */
const char *host_temporary_directory(void);

#endif
