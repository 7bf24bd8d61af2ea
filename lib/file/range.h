/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps of fallocate's operations. Places and lengths are blocks.
 */
#ifndef F2FSKIT_FILE_RANGE_H
#define F2FSKIT_FILE_RANGE_H

#include "file/write.h"

#define RANGE_COPY_BLOCKS 128u /* moved at once */

#endif
