/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deciphering beside reading: the caller reads one piece of a file after the other, workers decipher what has come,
 * each with a cipher of its own; the caller helps while it waits. With one processor there is no team.
 */
#include "volume/key_team.h"

#include "base/pool.h"

#define PIECES (KEY_TEAM_WORKERS + 3u) /* on their way at once */

struct piece {
	struct pool_job job;
	struct key_team *team;
	struct key_run run;
	bool is_done;
};

struct key_team {
	struct pool *pool;
	struct file_key *key; /* of the file that is read */
	unsigned block_bits;
	struct piece pieces[PIECES];
	unsigned first, waiting;
	bool is_failed;
};

static void run_piece(struct pool_job *job, unsigned slot)
{
	struct piece *piece = (struct piece *)job;
	struct file_key *key = piece->team->key;

	piece->is_done = file_key_run(key, slot ? &key->beside[slot - 1] : &key->cipher, &piece->run);
}

int key_team_new(struct f2fs_volume *vol, struct key_team **out)
{
	const unsigned others = pool_processors() - 1;
	struct key_team *team;
	int err;

	*out = NULL;
	if (others == 0)
		return 0;
	team = mem_zalloc(vol->ctx, sizeof(*team));
	if (!team)
		return F2FS_ERR_NOMEM;
	team->block_bits = vol->geo.block_bits;
	err = pool_new(vol->ctx, others < KEY_TEAM_WORKERS ? others : KEY_TEAM_WORKERS, &team->pool);
	if (err) {
		mem_free(vol->ctx, team);
		return err;
	}
	*out = team;
	return 0;
}

void key_team_free(struct f2fs_volume *vol, struct key_team *team)
{
	if (!team)
		return;
	pool_free(team->pool);
	mem_free(vol->ctx, team);
}

int key_team_begin(struct f2fs_volume *vol, struct key_team *team, struct file_key *key)
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
	team->key = key;
	team->first = team->waiting = 0;
	team->is_failed = false;
	return 0;
}

static void finish_first(struct key_team *team)
{
	struct piece *piece = &team->pieces[team->first];

	pool_wait(team->pool, &piece->job);
	team->is_failed |= !piece->is_done;
	team->first = (team->first + 1) % PIECES;
	team->waiting--;
}

void key_team_add(struct key_team *team, uint64_t file_block, uint8_t *data, uint64_t count)
{
	struct piece *piece;

	if (team->waiting == PIECES)
		finish_first(team);
	piece = &team->pieces[(team->first + team->waiting) % PIECES];
	piece->job.run = run_piece;
	piece->team = team;
	piece->run = (struct key_run){ false, team->block_bits, file_block, count, data, data };
	piece->is_done = false;
	team->waiting++;
	pool_submit(team->pool, &piece->job);
}

bool key_team_end(struct key_team *team)
{
	while (team->waiting)
		finish_first(team);
	return !team->is_failed;
}
