/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compresses a stream into a file of zstd frames with a table of them at the end: any program that knows zstd unpacks
 * it, and ours reads it in place. The file is written in order, so it may go to a pipe.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/vec.h"
#include "device/sparse.h"
#include "device/sparse_write.h"
#include "device/zstd_frames.h"
#include "f2fskit_config.h"

#if HAVE_ZSTD

#include <zstd.h>

struct zstd_writer {
	struct f2fs_context *ctx;
	int (*sink)(void *user, const void *bytes, size_t length);
	void *user;
	ZSTD_CCtx *coder;
	uint8_t *plain, *packed; /* ZSTD_FRAMES_BYTES, and their largest packed size */
	size_t filled, packed_room;
	struct vec table; /* 8 bytes for each frame, as they are in the file */
};

static int emit(struct zstd_writer *w, const void *bytes, size_t length)
{
	struct f2fs_context *ctx = w->ctx;
	const int rc = w->sink(w->user, bytes, length);

	/* the sink may have recorded its failure itself */
	if (rc == 0 || ctx->error.code == rc)
		return rc;
	if (rc < F2FS_SYS_ERROR(0))
		return error_sys(ctx, F2FS_SYS_ERROR(0) - rc, "cannot write the compressed image");
	return error_set(ctx, rc < 0 ? rc : F2FS_ERR_IO, "cannot write the compressed image");
}

static int note_frame(struct zstd_writer *w, size_t packed, size_t plain)
{
	uint8_t *row = vec_push(&w->table, 1);

	if (!row)
		return F2FS_ERR_NOMEM;
	put_le32(row, (uint32_t)packed);
	put_le32(row + 4, (uint32_t)plain);
	return 0;
}

static int end_frame(struct zstd_writer *w)
{
	const size_t n = ZSTD_compress2(w->coder, w->packed, w->packed_room, w->plain, w->filled);
	int err;

	if (ZSTD_isError(n))
		return error_set(w->ctx, F2FS_ERR_NOMEM, "zstd: %s", ZSTD_getErrorName(n));
	err = note_frame(w, n, w->filled);
	w->filled = 0;
	return err ? err : emit(w, w->packed, n);
}

static int emit_note(struct zstd_writer *w, const char *note)
{
	const size_t length = strlen(note);
	uint8_t head[ZSTD_FRAMES_SKIP_HEADER];
	int err;

	if (length == 0)
		return 0;
	if (length > ZSTD_FRAMES_MOST)
		return error_set(w->ctx, F2FS_ERR_TOO_BIG, "the note of a compressed image is too long");
	put_le32(head, ZSTD_FRAMES_NOTE_MAGIC);
	put_le32(head + 4, (uint32_t)length);
	err = emit(w, head, sizeof(head));
	if (!err)
		err = emit(w, note, length);
	return err ? err : note_frame(w, sizeof(head) + length, 0);
}

static int set_up(struct zstd_writer *w, int level)
{
	w->packed_room = ZSTD_compressBound(ZSTD_FRAMES_BYTES);
	w->plain = mem_alloc(w->ctx, ZSTD_FRAMES_BYTES);
	w->packed = w->plain ? mem_alloc(w->ctx, w->packed_room) : NULL;
	if (!w->packed)
		return F2FS_ERR_NOMEM;
	w->coder = ZSTD_createCCtx();
	if (!w->coder)
		return error_nomem(w->ctx);
	if (ZSTD_isError(ZSTD_CCtx_setParameter(w->coder, ZSTD_c_compressionLevel, level ? level : 3)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->coder, ZSTD_c_checksumFlag, 1)))
		return error_set(w->ctx, F2FS_ERR_INVALID, "zstd has no level %d", level);
	return 0;
}

static int add_bytes(void *writer, const void *bytes, size_t length)
{
	struct zstd_writer *w = writer;
	const uint8_t *from = bytes;
	int err = 0;

	while (length > 0 && !err) {
		const size_t room = ZSTD_FRAMES_BYTES - w->filled, n = length < room ? length : room;

		memcpy(w->plain + w->filled, from, n);
		w->filled += n;
		from += n;
		length -= n;
		if (w->filled == ZSTD_FRAMES_BYTES)
			err = end_frame(w);
	}
	return err;
}

static int finish(struct zstd_writer *w)
{
	uint8_t head[ZSTD_FRAMES_SKIP_HEADER], end[ZSTD_FRAMES_END_SIZE];
	int err = w->filled ? end_frame(w) : 0;
	const uint64_t bytes = (uint64_t)w->table.count * 8;

	if (err)
		return err;
	if (bytes > UINT32_MAX - ZSTD_FRAMES_END_SIZE)
		return error_set(w->ctx, F2FS_ERR_TOO_BIG, "too much for one compressed image");
	put_le32(head, ZSTD_FRAMES_TABLE_MAGIC);
	put_le32(head + 4, (uint32_t)bytes + ZSTD_FRAMES_END_SIZE);
	put_le32(end, (uint32_t)w->table.count);
	end[4] = 0;
	put_le32(end + 5, ZSTD_FRAMES_END_MAGIC);
	err = emit(w, head, sizeof(head));
	if (!err && bytes)
		err = emit(w, w->table.items, (size_t)bytes);
	return err ? err : emit(w, end, sizeof(end));
}

static void tear_down(struct zstd_writer *w)
{
	ZSTD_freeCCtx(w->coder);
	mem_free(w->ctx, w->plain);
	mem_free(w->ctx, w->packed);
	vec_fini(&w->table);
}

int f2fs_device_save_zstd(struct f2fs_device *dev, uint32_t block_size, int level, const char *note,
			  int (*sink)(void *user, const void *bytes, size_t length), void *user)
{
	struct zstd_writer w = { .ctx = dev->ctx, .sink = sink, .user = user };
	int err;

	error_clear(dev->ctx);
	vec_init(&w.table, dev->ctx, 8);
	err = set_up(&w, level);
	if (!err && note)
		err = emit_note(&w, note);
	if (!err)
		err = sparse_save_unfilled(dev, block_size, add_bytes, &w);
	if (!err)
		err = finish(&w);
	tear_down(&w);
	return err;
}

#else

int f2fs_device_save_zstd(struct f2fs_device *dev, uint32_t block_size, int level, const char *note,
			  int (*sink)(void *user, const void *bytes, size_t length), void *user)
{
	(void)block_size;
	(void)level;
	(void)note;
	(void)sink;
	(void)user;
	error_clear(dev->ctx);
	return error_set(dev->ctx, F2FS_ERR_UNSUPPORTED, "built without zstd: no compressed images");
}

#endif
