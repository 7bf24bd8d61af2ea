/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Record a database of the real SQLite: the library's operations on its files while it changes a table. A transaction
 * is made when the operations of the one before have been handed out.
 */
#include "lab/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "f2fskit_config.h"

struct sqlite3_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_sqlite3.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(sqlite3_params, key, kind, standard, min, max, help)
#include "lab/gen_sqlite3.def"
#undef PARAM
};

#if HAVE_SQLITE3
#include "lab/recorded_vfs.h"

/* Kinds of statements; MIXED takes the three before it in turn. */
enum statement { INSERT, UPDATE, DELETE, MIXED, STATEMENTS };
static const char *const statement_names[] = { "insert", "update", "delete", "mixed" };
static const char *const sql[] = { "INSERT INTO list(value) VALUES(?1)", "UPDATE list SET value = ?1 WHERE id = ?2",
				   "DELETE FROM list WHERE id = ?2" };

struct database {
	struct recorded_vfs vfs;
	sqlite3 *db;
	sqlite3_stmt *prepared[MIXED];
	char *text;	      /* of a record */
	enum statement kind;
	unsigned at;	      /* operations of the list that were handed out */
	uint64_t done;	      /* transactions in this round */
	uint64_t first, last; /* ids in the table; the oldest are deleted first */
};

static int failed(struct lab_source *source, const char *what)
{
	const struct database *d = source->state;

	snprintf(source->error, sizeof(source->error), "SQLite, %s: %.100s", what,
		 d->db ? sqlite3_errmsg(d->db) : "no memory");
	return -1;
}

static int wrong(struct lab_source *source, const char *key)
{
	snprintf(source->error, sizeof(source->error), "%s: is none of the words that f2fs-lab list has for it", key);
	return -1;
}

/* The place of a word in a list; n: it is not there. */
static unsigned word_of(const char *word, const char *const *words, unsigned n)
{
	unsigned i = 0;

	while (i < n && strcmp(words[i], word) != 0)
		i++;
	return i;
}

/* One statement, which is a transaction unless one is open. */
static int execute(struct lab_source *source, enum statement kind)
{
	const struct sqlite3_params *p = source->params;
	struct database *d = source->state;
	sqlite3_stmt *s = d->prepared[kind];
	const uint64_t id = kind == DELETE || d->last < d->first ? d->first :
			    d->first + lab_random_below(&source->random, d->last - d->first + 1);

	if (kind == DELETE && d->first > d->last) {
		snprintf(source->error, sizeof(source->error), "there is no record left to be deleted");
		return -1;
	}
	for (uint64_t i = 0; kind != DELETE && i < p->record; i++)
		d->text[i] = (char)('a' + lab_random_below(&source->random, 26));
	sqlite3_reset(s);
	if (kind != DELETE)
		sqlite3_bind_text(s, 1, d->text, (int)p->record, SQLITE_STATIC);
	if (kind != INSERT)
		sqlite3_bind_int64(s, 2, (sqlite3_int64)id);
	if (sqlite3_step(s) != SQLITE_DONE)
		return failed(source, statement_names[kind]);
	sqlite3_reset(s); /* ends the transaction */
	d->last += kind == INSERT;
	d->first += kind == DELETE;
	return 0;
}

/* The table with its records, in one transaction; all of it in the database, not in the log. */
static int fill(struct lab_source *source)
{
	const struct sqlite3_params *p = source->params;
	struct database *d = source->state;

	if (sqlite3_exec(d->db, "BEGIN; CREATE TABLE list(id INTEGER PRIMARY KEY, value TEXT NOT NULL)", NULL, NULL,
			 NULL))
		return failed(source, "making the table");
	for (unsigned i = 0; i < MIXED; i++)
		if (sqlite3_prepare_v2(d->db, sql[i], -1, &d->prepared[i], NULL))
			return failed(source, "preparing statements");
	d->first = 1;
	for (uint64_t i = 0; i < p->records; i++)
		if (execute(source, INSERT))
			return -1;
	if (sqlite3_exec(d->db, "COMMIT; PRAGMA wal_checkpoint(FULL)", NULL, NULL, NULL))
		return failed(source, "the first commit");
	return 0;
}

static int start(struct lab_source *source)
{
	static const char *const journals[] = { "wal", "delete", "truncate", "persist" };
	static const char *const levels[] = { "full", "normal", "off" };
	const struct sqlite3_params *p = source->params;
	struct database *d = source->state;
	char text[256]; /* a log wants shared memory or the database for itself */

	if (word_of(p->journal, journals, 4) == 4)
		return wrong(source, "journal");
	if (word_of(p->synchronous, levels, 3) == 3)
		return wrong(source, "synchronous");
	d->kind = (enum statement)word_of(p->statement, statement_names, STATEMENTS);
	if (d->kind == STATEMENTS)
		return wrong(source, "statement");
	if (p->page & (p->page - 1)) {
		snprintf(source->error, sizeof(source->error), "page: is no power of two");
		return -1;
	}
	d->text = malloc((size_t)p->record);
	if (!d->text || recorded_vfs_open(&d->vfs))
		return -1;
	if (sqlite3_open_v2("db", &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, d->vfs.name))
		return failed(source, "opening the database");
	snprintf(text, sizeof(text),
		 "PRAGMA page_size=%u; PRAGMA locking_mode=%s; PRAGMA temp_store=MEMORY; PRAGMA journal_mode=%s; "
		 "PRAGMA synchronous=%s; PRAGMA wal_autocheckpoint=%u",
		 (unsigned)p->page, strcmp(p->journal, "wal") == 0 ? "EXCLUSIVE" : "NORMAL", p->journal, p->synchronous,
		 (unsigned)p->checkpoint);
	return sqlite3_exec(d->db, text, NULL, NULL, NULL) ? failed(source, "its settings") : 0;
}

static void stop(struct lab_source *source)
{
	struct database *d = source->state;

	for (unsigned i = 0; i < MIXED; i++)
		sqlite3_finalize(d->prepared[i]);
	sqlite3_close(d->db);
	recorded_vfs_close(&d->vfs);
	free(d->text);
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct sqlite3_params *p = source->params;
	struct database *d = source->state;

	if (source->round == 0 && !d->first && fill(source))
		return -1;
	while (d->at == d->vfs.count) { /* a transaction may do nothing to files */
		d->at = d->vfs.count = 0;
		if (source->round == 0 || d->done == p->transactions) {
			d->done = 0;
			return LAB_END;
		}
		if (execute(source, d->kind == MIXED ? (enum statement)(d->done % MIXED) : d->kind))
			return -1;
		d->done++;
	}
	*op = d->vfs.ops[d->at++];
	return 0;
}

#else
static int start(struct lab_source *source)
{
	snprintf(source->error, sizeof(source->error), "this f2fs-lab was built without libsqlite3");
	return -1;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	(void)source;
	(void)op;
	return -1;
}

static void stop(struct lab_source *source)
{
	(void)source;
}

struct database {
	char nothing;
};
#endif

const struct lab_source_type lab_source_sqlite3 = {
	.name = "sqlite3",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct sqlite3_params),
	.state_size = sizeof(struct database),
	.start = start,
	.next = next,
	.stop = stop,
};
