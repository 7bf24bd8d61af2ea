/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pipes for splice(2): pages of the image's file go through one into the kernel's answer, without a copy in this
 * program. A pipe refers to the pages themselves, so nobody may write them before they are sent.
 */
#ifndef F2FSKIT_FUSE_IMAGE_PIPE_H
#define F2FSKIT_FUSE_IMAGE_PIPE_H

#include <stddef.h>
#include <stdint.h>

enum { IMAGE_PIPES = 4 };

struct image_pipe {
	int ends[2]; /* to read from, and to write to; -1: there are none */
	int is_taken;
};

struct image_pipes {
	int is_on; /* 0: none can be taken */
	struct image_pipe all[IMAGE_PIPES];
};

enum image_pipe_result {
	IMAGE_PIPE_FULL,  /* all bytes are in the pipe */
	IMAGE_PIPE_SHORT, /* not this time: an error of the file, or its end */
	IMAGE_PIPE_UNFIT  /* never: the file cannot be spliced, or the pipe is too small */
};

void image_pipes_open(struct image_pipes *pipes);
void image_pipes_close(struct image_pipes *pipes);
/* Take an empty pipe. Returns NULL if there is none. One thread at a time may take and give. */
struct image_pipe *image_pipe_take(struct image_pipes *pipes);
/* Give a pipe back. One with anything in it is closed. */
void image_pipe_give(struct image_pipe *pipe);
/* Put bytes of a file into the pipe. */
enum image_pipe_result image_pipe_fill(struct image_pipe *pipe, int fd, uint64_t at, size_t length);

#endif
