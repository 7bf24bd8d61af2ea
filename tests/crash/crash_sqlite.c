/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SQLite on a volume, through a VFS over the library, with power cuts: in every state the recovered database is sound
 * and has all transactions that were committed, the one in progress as a whole or not at all.
 *
 * The VFS syncs as SQLite's own one for Unix does: files with fsync, and the directory after a journal has come or
 * gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "crash/lab.h"
#include "lab/idle_vfs.h"

#define TRANSACTIONS 9u
#define ROWS 3u

/* ---- the VFS */

struct db_file {
	sqlite3_file base;
	struct f2fs_inode *inode;
	bool is_new; /* its name is not durable yet */
};

static struct f2fs_inode *inode_of(sqlite3_file *file)
{
	return ((struct db_file *)file)->inode;
}

static int close_file(sqlite3_file *file)
{
	f2fs_inode_close(inode_of(file));
	return SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *buffer, int length, sqlite3_int64 offset)
{
	size_t done;

	if (f2fs_inode_read(inode_of(file), (uint64_t)offset, buffer, (size_t)length, &done) != 0)
		return SQLITE_IOERR_READ;
	memset((uint8_t *)buffer + done, 0, (size_t)length - done);
	return done < (size_t)length ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int write_file(sqlite3_file *file, const void *buffer, int length, sqlite3_int64 offset)
{
	return f2fs_inode_write(inode_of(file), (uint64_t)offset, buffer, (size_t)length) ? SQLITE_IOERR_WRITE
											  : SQLITE_OK;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
	return f2fs_inode_truncate(inode_of(file), (uint64_t)size) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int sync_root(struct f2fs_volume *vol)
{
	struct f2fs_inode *root;
	int rc = f2fs_lookup(vol, "/", 0, &root);

	if (rc != 0)
		return SQLITE_IOERR_DIR_FSYNC;
	rc = f2fs_fsync(root, 0);
	f2fs_inode_close(root);
	return rc ? SQLITE_IOERR_DIR_FSYNC : SQLITE_OK;
}

static int sync_file(sqlite3_file *file, int flags)
{
	struct db_file *db = (struct db_file *)file;

	if (f2fs_fsync(db->inode, flags & SQLITE_SYNC_DATAONLY ? F2FS_FSYNC_DATA : 0) != 0)
		return SQLITE_IOERR_FSYNC;
	if (!db->is_new)
		return SQLITE_OK;
	db->is_new = false;
	return sync_root(f2fs_inode_volume(db->inode));
}

static int size_file(sqlite3_file *file, sqlite3_int64 *size)
{
	struct f2fs_stat st;

	if (f2fs_inode_stat(inode_of(file), &st) != 0)
		return SQLITE_IOERR_FSTAT;
	*size = (sqlite3_int64)st.size;
	return SQLITE_OK;
}

static int get_sector(sqlite3_file *file)
{
	(void)file;
	return 512;
}

static int get_characteristics(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
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

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct db_file *db = (struct db_file *)file;
	struct f2fs_inode *root;
	int rc;

	memset(db, 0, sizeof(*db));
	if (!name)
		return SQLITE_CANTOPEN;
	rc = f2fs_lookup(vfs->pAppData, name, 0, &db->inode);
	if (rc == F2FS_ERR_NOT_FOUND && (flags & SQLITE_OPEN_CREATE)) {
		if (f2fs_lookup(vfs->pAppData, "/", 0, &root) != 0)
			return SQLITE_CANTOPEN;
		rc = f2fs_create(root, name + 1, strlen(name + 1), &spec, &db->inode);
		f2fs_inode_close(root);
		db->is_new = true;
	}
	if (rc != 0)
		return SQLITE_CANTOPEN;
	db->base.pMethods = &methods;
	if (out_flags)
		*out_flags = flags;
	return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync_directory)
{
	struct f2fs_inode *root;
	int rc;

	if (f2fs_lookup(vfs->pAppData, "/", 0, &root) != 0)
		return SQLITE_IOERR_DELETE;
	rc = f2fs_remove(root, name + 1, strlen(name + 1));
	f2fs_inode_close(root);
	if (rc != 0)
		return rc == F2FS_ERR_NOT_FOUND ? SQLITE_IOERR_DELETE_NOENT : SQLITE_IOERR_DELETE;
	return sync_directory ? sync_root(vfs->pAppData) : SQLITE_OK;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
	struct f2fs_inode *inode;
	int rc = f2fs_lookup(vfs->pAppData, name, 0, &inode);

	(void)flags;
	*result = rc == 0;
	if (rc == 0)
		f2fs_inode_close(inode);
	return rc == 0 || rc == F2FS_ERR_NOT_FOUND ? SQLITE_OK : SQLITE_IOERR_ACCESS;
}

static sqlite3_vfs vfs = {
	.iVersion = 1,
	.szOsFile = sizeof(struct db_file),
	.mxPathname = 100,
	.zName = "f2fs",
	.xOpen = open_file,
	.xDelete = delete_file,
	.xAccess = access_file,
	IDLE_VFS,
};

/* ---- the workload */

static void run_sql(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
}

static sqlite3 *open_database(struct f2fs_volume *vol)
{
	sqlite3 *db;

	vfs.pAppData = vol;
	assert_int_equal(sqlite3_open_v2("/db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "f2fs"), SQLITE_OK);
	run_sql(db, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; PRAGMA cache_size=20");
	return db;
}

static void insert(struct lab *lab, sqlite3 *db, unsigned number)
{
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?, ?)", -1, &statement, NULL), SQLITE_OK);
	for (unsigned i = 0; i < ROWS; i++) {
		const int n = (int)lab_random(lab, number % 4 ? 5000 : 60000);

		sqlite3_bind_int(statement, 1, (int)number);
		sqlite3_bind_blob(statement, 2, lab->bytes, n, SQLITE_STATIC);
		assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
		sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
}

/* Transaction number n stores n in meta, and leaves ROWS rows; it is followed by n promises. */
static void run_transactions(struct lab *lab, const char *mode)
{
	sqlite3 *db = open_database(lab->vol);
	char sql[100];

	run_sql(db, mode);
	run_sql(db, "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=20");
	run_sql(db, "BEGIN; CREATE TABLE t(number INTEGER, data BLOB); CREATE TABLE meta(value INTEGER);"
		    "INSERT INTO meta VALUES(1)");
	insert(lab, db, 1);
	run_sql(db, "COMMIT");
	lab_promise(lab);
	for (unsigned n = 2; n <= TRANSACTIONS; n++) {
		run_sql(db, "BEGIN");
		insert(lab, db, n);
		snprintf(sql, sizeof(sql), "UPDATE meta SET value=%u; UPDATE t SET data=data||'x' WHERE number=%u", n,
			 n / 2);
		run_sql(db, sql);
		run_sql(db, "COMMIT");
		lab_promise(lab);
	}
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void run_with_journal(struct lab *lab)
{
	run_transactions(lab, "PRAGMA journal_mode=DELETE");
}

static void run_with_truncated_journal(struct lab *lab)
{
	run_transactions(lab, "PRAGMA journal_mode=TRUNCATE");
}

static void run_with_log(struct lab *lab)
{
	run_transactions(lab, "PRAGMA journal_mode=WAL");
}

static int keep_number(void *user, int columns, char **values, char **names)
{
	(void)columns;
	(void)names;
	*(int64_t *)user = values[0] ? strtoll(values[0], NULL, 10) : -1;
	return 0;
}

/* A number from the database; -1 when it cannot be had. */
static int64_t ask(sqlite3 *db, const char *sql)
{
	int64_t number = -1;

	return sqlite3_exec(db, sql, keep_number, &number, NULL) == SQLITE_OK ? number : -1;
}

static int judge_database(struct lab *lab, struct f2fs_volume *vol, uint64_t promises)
{
	sqlite3 *db = open_database(vol);
	const bool exists = ask(db, "SELECT count(*) FROM sqlite_master WHERE name='meta'") == 1;
	const int64_t number = exists ? ask(db, "SELECT value FROM meta") : 0;
	const int64_t rows = exists ? ask(db, "SELECT count(*) FROM t") : 0;
	const int64_t bad = ask(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok'");

	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	f2fs_volume_rollback(vol);
	if (bad != 0)
		return lab_complain(lab, "the database is damaged");
	if (rows != number * (int64_t)ROWS)
		return lab_complain(lab, "%d rows after transaction %d", (int)rows, (int)number);
	lab->seen_before += number == (int64_t)promises;
	lab->seen_after += number == (int64_t)promises + 1;
	if (number == (int64_t)promises || number == (int64_t)promises + 1)
		return 0;
	return lab_complain(lab, "transaction %d, not %d", (int)number, (int)promises);
}

static const struct lab_workload workloads[] = {
	{ .name = "SQLite, journal", .run = run_with_journal, .judge = judge_database },
	{ .name = "SQLite, truncated journal", .run = run_with_truncated_journal, .judge = judge_database },
	{ .name = "SQLite, write-ahead log", .run = run_with_log, .judge = judge_database },
};

static void transactions_last(void **state)
{
	(void)state;
	assert_int_equal(sqlite3_vfs_register(&vfs, 0), SQLITE_OK);
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		lab_run(&workloads[i], 5 + i, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(transactions_last) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
