/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that SQLite wants of a VFS. What idle_vfs.c has of them is the same in each run, so the operations are,
 * too.
 */
#include "lab/recorded_vfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/idle_vfs.h"

enum { SECTOR = 4096 };

struct open_file {
	sqlite3_file base;
	struct recorded_vfs *vfs;
	unsigned number;
};

static struct recorded_file *file_of(sqlite3_file *file)
{
	struct open_file *f = (struct open_file *)file;

	return &f->vfs->files[f->number];
}

/* Add an operation to the list; 0, or -1 without memory. */
static int record(struct recorded_vfs *r, uint8_t kind, unsigned number, uint64_t offset, uint64_t length)
{
	if (r->count == r->room) {
		const unsigned room = r->room ? 2 * r->room : 64;
		struct lab_op *more = realloc(r->ops, room * sizeof(*more));

		if (!more)
			return -1;
		r->ops = more;
		r->room = room;
	}
	r->ops[r->count++] = (struct lab_op){ .kind = kind, .file = number, .offset = offset, .length = length };
	if (kind == LAB_OP_CREATE)
		r->ops[r->count - 1].name = r->files[number].name;
	return 0;
}

static int record_of(sqlite3_file *file, uint8_t kind, uint64_t offset, uint64_t length)
{
	const struct open_file *f = (struct open_file *)file;

	return record(f->vfs, kind, f->number, offset, length);
}

static int close_file(sqlite3_file *file)
{
	(void)file;
	return SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *buffer, int length, sqlite3_int64 offset)
{
	const struct recorded_file *f = file_of(file);
	const uint64_t at = (uint64_t)offset, left = at < f->size ? f->size - at : 0;
	const size_t n = left < (uint64_t)length ? (size_t)left : (size_t)length;

	if (n > 0)
		memcpy(buffer, f->bytes + at, n);
	memset((uint8_t *)buffer + n, 0, (size_t)length - n);
	if (record_of(file, LAB_OP_READ, at, (uint64_t)length))
		return SQLITE_IOERR_NOMEM;
	return n < (size_t)length ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

/* Make room for a size, with zeros after the end. */
static int need_room(struct recorded_file *f, uint64_t size)
{
	const uint64_t room = size < 65536 ? 65536 : size + size / 2;
	uint8_t *more;

	if (size <= f->room)
		return 0;
	more = (size_t)room == room ? realloc(f->bytes, (size_t)room) : NULL;
	if (!more)
		return -1;
	memset(more + f->room, 0, (size_t)(room - f->room));
	f->bytes = more;
	f->room = room;
	return 0;
}

static int write_file(sqlite3_file *file, const void *buffer, int length, sqlite3_int64 offset)
{
	struct recorded_file *f = file_of(file);
	const uint64_t end = (uint64_t)offset + (uint64_t)length;

	if (need_room(f, end) || record_of(file, LAB_OP_WRITE, (uint64_t)offset, (uint64_t)length))
		return SQLITE_IOERR_NOMEM;
	memcpy(f->bytes + offset, buffer, (size_t)length);
	f->size = end > f->size ? end : f->size;
	return SQLITE_OK;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
	struct recorded_file *f = file_of(file);

	if ((uint64_t)size < f->size)
		memset(f->bytes + size, 0, (size_t)(f->size - (uint64_t)size));
	if (need_room(f, (uint64_t)size) || record_of(file, LAB_OP_TRUNCATE, (uint64_t)size, 0))
		return SQLITE_IOERR_NOMEM;
	f->size = (uint64_t)size;
	return SQLITE_OK;
}

static int sync_file(sqlite3_file *file, int flags)
{
	(void)flags;
	return record_of(file, LAB_OP_FSYNC, 0, 0) ? SQLITE_IOERR_NOMEM : SQLITE_OK;
}

static int size_file(sqlite3_file *file, sqlite3_int64 *size)
{
	*size = (sqlite3_int64)file_of(file)->size;
	return SQLITE_OK;
}

static int get_sector(sqlite3_file *file)
{
	(void)file;
	return SECTOR;
}

static int get_characteristics(sqlite3_file *file)
{
	(void)file;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE; /* as SQLite's own VFS for Unix says */
}

static const sqlite3_io_methods methods = {
	.iVersion = 1, /* without shared memory: a user of the log has the database alone */
	.xClose = close_file,
	.xRead = read_file,
	.xWrite = write_file,
	.xTruncate = truncate_file,
	.xSync = sync_file,
	.xFileSize = size_file,
	IDLE_METHODS,
	.xSectorSize = get_sector,
	.xDeviceCharacteristics = get_characteristics,
};

/* The place of a name in the table (NULL finds a free one); RECORDED_FILES: nowhere. */
static unsigned find(const struct recorded_vfs *r, const char *name)
{
	unsigned i = 0;

	for (; i < RECORDED_FILES; i++)
		if (name && r->files[i].name ? strcmp(r->files[i].name, name) == 0 : name == r->files[i].name)
			break;
	return i;
}

/* A copy of a name that stays; NULL when there were too many. */
static const char *keep_name(struct recorded_vfs *r, const char *name)
{
	for (unsigned i = 0; i < RECORDED_NAMES; i++) {
		if (!r->names[i][0])
			snprintf(r->names[i], RECORDED_NAME, "%s", name);
		if (strcmp(r->names[i], name) == 0)
			return r->names[i];
	}
	return NULL;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
	struct recorded_vfs *r = vfs->pAppData;
	struct open_file *f = (struct open_file *)file;
	unsigned number;

	memset(f, 0, sizeof(*f));
	if (!name || strlen(name) >= RECORDED_NAME)
		return SQLITE_CANTOPEN;
	number = find(r, name);
	if (number == RECORDED_FILES) {
		number = find(r, NULL);
		if (number == RECORDED_FILES || !(flags & SQLITE_OPEN_CREATE))
			return SQLITE_CANTOPEN;
		r->files[number].name = keep_name(r, name);
		if (!r->files[number].name)
			return SQLITE_CANTOPEN;
		if (record(r, LAB_OP_CREATE, number, 0, 0))
			return SQLITE_NOMEM;
	}
	f->base.pMethods = &methods;
	f->vfs = r;
	f->number = number;
	if (out_flags)
		*out_flags = flags;
	return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync_directory)
{
	struct recorded_vfs *r = vfs->pAppData;
	const unsigned number = find(r, name);
	struct recorded_file *f = &r->files[number];

	(void)sync_directory; /* operations know no directories */
	if (number == RECORDED_FILES)
		return SQLITE_IOERR_DELETE_NOENT;
	free(f->bytes);
	*f = (struct recorded_file){ .name = NULL };
	return record(r, LAB_OP_REMOVE, number, 0, 0) ? SQLITE_IOERR_NOMEM : SQLITE_OK;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
	(void)flags;
	*result = find(vfs->pAppData, name) < RECORDED_FILES;
	return SQLITE_OK;
}

int recorded_vfs_open(struct recorded_vfs *r)
{
	snprintf(r->name, sizeof(r->name), "f2fs-lab-%" PRIxPTR, (uintptr_t)r);
	r->vfs = (sqlite3_vfs){
		.iVersion = 1,
		.szOsFile = sizeof(struct open_file),
		.mxPathname = RECORDED_NAME,
		.zName = r->name,
		.pAppData = r,
		.xOpen = open_file,
		.xDelete = delete_file,
		.xAccess = access_file,
		IDLE_VFS,
	};
	return sqlite3_vfs_register(&r->vfs, 0) == SQLITE_OK ? 0 : -1;
}

void recorded_vfs_close(struct recorded_vfs *r)
{
	sqlite3_vfs_unregister(&r->vfs);
	for (unsigned i = 0; i < RECORDED_FILES; i++)
		free(r->files[i].bytes);
	free(r->ops);
}
