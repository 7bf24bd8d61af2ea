/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading and deciphering in pieces. What comes from the host's cache would only push the output out of the
 * processor's before it is deciphered: so each piece is read to the same small memory, its stage, and goes from there
 * to its place, each byte of which is written once. A worker has a stage and a cipher of its own, and reads its pieces
 * itself, so that they stay with its processor; the caller helps while it waits. Where devices cannot be read by
 * several at once, and with one processor, the caller is alone.
 */
#include "volume/key_team.h"

#include "base/error.h"
#include "base/pool.h"
#include "device/device.h"
#include "volume/block_read.h"
#include "volume/key_use.h"

#define PIECE ((size_t)128 << 10) /* bytes: a stage and as much of the output fit into a processor's own cache */
#define BY_TEAM ((size_t)1 << 20) /* bytes of a read that are worth it to wake workers */
#define WORKERS 3u		  /* at most: more would wait for memory */
#define PIECES (2 * WORKERS + 2u) /* on their way at once */

struct piece {
	struct pool_job job;
	struct key_team *team;
	struct key_reading what;
	bool is_done;
};

struct key_team {
	struct f2fs_device *dev;
	struct pool *pool; /* made by the first long read, if it can be */
	bool has_asked;	   /* for a pool */
	struct file_key *key; /* of the file that is read */
	unsigned block_bits;
	uint8_t *stages[1 + WORKERS];
	struct piece pieces[PIECES];
	unsigned first, waiting;
};

static bool decipher(const struct key_team *team, struct cipher *cipher, const uint8_t *in,
		     const struct key_reading *what)
{
	const struct key_run run = { false, team->block_bits, what->file_block, what->length >> team->block_bits, in,
				     what->out };

	return file_key_run(team->key, cipher, &run);
}

static void run_piece(struct pool_job *job, unsigned slot)
{
	struct piece *piece = (struct piece *)job;
	struct key_team *team = piece->team;
	struct file_key *key = team->key;
	const uint64_t offset = (uint64_t)piece->what.addr << team->block_bits;

	piece->is_done = device_read_quiet(team->dev, offset, team->stages[slot], piece->what.length) == 0 &&
			 decipher(team, slot ? &key->beside[slot - 1] : &key->cipher, team->stages[slot], &piece->what);
}

int key_team_new(struct f2fs_volume *vol, struct key_team **out)
{
	struct key_team *team = mem_zalloc(vol->ctx, sizeof(*team));

	if (!team)
		return F2FS_ERR_NOMEM;
	team->stages[0] = mem_alloc(vol->ctx, PIECE);
	if (!team->stages[0]) {
		mem_free(vol->ctx, team);
		return F2FS_ERR_NOMEM;
	}
	team->dev = vol->dev;
	team->block_bits = vol->geo.block_bits;
	*out = team;
	return 0;
}

void key_team_free(struct f2fs_volume *vol, struct key_team *team)
{
	if (!team)
		return;
	pool_free(team->pool);
	for (unsigned i = 0; i <= WORKERS; i++)
		mem_free(vol->ctx, team->stages[i]);
	mem_free(vol->ctx, team);
}

static void find_workers(struct f2fs_volume *vol, struct key_team *team)
{
	const unsigned others = pool_processors() - 1;

	team->has_asked = true;
	if (others > 0 && pool_new(vol->ctx, others < WORKERS ? others : WORKERS, &team->pool) != 0)
		error_clear(vol->ctx); /* it goes without */
}

/* Stages for all workers, and ciphers for the key of a file. */
static int equip(struct f2fs_volume *vol, struct key_team *team, struct file_key *key)
{
	const unsigned others = pool_slots(team->pool) - 1;

	if (key->beside_count < others && !key->beside) {
		key->beside = mem_calloc(vol->ctx, others, sizeof(*key->beside));
		if (!key->beside)
			return F2FS_ERR_NOMEM;
	}
	while (key->beside_count < others) {
		if (cipher_copy(vol->ctx, &key->cipher, &key->beside[key->beside_count]) != CIPHER_OK)
			return error_nomem(vol->ctx);
		key->beside_count++;
	}
	for (unsigned slot = 1; slot <= others; slot++) {
		if (!team->stages[slot])
			team->stages[slot] = mem_alloc(vol->ctx, PIECE);
		if (!team->stages[slot])
			return F2FS_ERR_NOMEM;
	}
	return 0;
}

/* Are there workers, and is a read worth it to wake them? */
static bool is_for_workers(struct f2fs_volume *vol, struct key_team *team, struct file_key *key, size_t length)
{
	if (length < BY_TEAM || !(vol->dev->info.caps & F2FS_DEVICE_PARALLEL))
		return false;
	if (!team->has_asked)
		find_workers(vol, team);
	if (!team->pool || pool_slots(team->pool) == 1)
		return false;
	if (equip(vol, team, key) == 0)
		return true;
	error_clear(vol->ctx);
	return false;
}

/* One piece by the caller. */
static int read_alone(struct f2fs_volume *vol, struct key_team *team, struct file_key *key,
		      const struct key_reading *what)
{
	uint8_t *stage = team ? team->stages[0] : what->out;
	int err = volume_read(vol, what->addr, 0, stage, what->length);

	return err ? err : file_key_blocks(vol, key, false, what->file_block, stage, what->out,
					   what->length >> vol->geo.block_bits);
}

/* Repeat a worker's failed piece, to record its error. */
static int finish_first(struct f2fs_volume *vol, struct key_team *team)
{
	struct piece *piece = &team->pieces[team->first];

	pool_wait(team->pool, &piece->job);
	team->first = (team->first + 1) % PIECES;
	team->waiting--;
	return piece->is_done ? 0 : read_alone(vol, team, team->key, &piece->what);
}

static int give_out(struct f2fs_volume *vol, struct key_team *team, const struct key_reading *what)
{
	int err = team->waiting == PIECES ? finish_first(vol, team) : 0;
	struct piece *piece = &team->pieces[(team->first + team->waiting) % PIECES];

	if (err)
		return err;
	piece->job.run = run_piece;
	piece->team = team;
	piece->what = *what;
	piece->is_done = false;
	team->waiting++;
	pool_submit(team->pool, &piece->job);
	return 0;
}

int key_team_read(struct f2fs_volume *vol, struct key_team *team, struct file_key *key,
		  const struct key_reading *reading)
{
	const uint64_t blocks = reading->length >> vol->geo.block_bits;
	const bool is_shared = team && is_for_workers(vol, team, key, reading->length);
	struct key_reading part = *reading;
	size_t left = reading->length;
	int err = 0;

	if (is_shared) {
		team->key = key;
		/* nothing waits in a log any more when workers go to the device */
		err = vol->ops.running ? vol->ops.running->write_out(vol, reading->addr, blocks) : 0;
	}
	while (!err && left > 0) {
		part.length = left < PIECE ? left : PIECE;
		err = is_shared ? give_out(vol, team, &part) : read_alone(vol, team, key, &part);
		part.file_block += part.length >> vol->geo.block_bits;
		part.addr += (f2fs_blk_t)(part.length >> vol->geo.block_bits);
		part.out += part.length;
		left -= part.length;
	}
	while (is_shared && team->waiting) {
		const int rc = finish_first(vol, team);

		err = err ? err : rc;
	}
	return err;
}
