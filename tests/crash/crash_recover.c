/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cut the power while a volume that the kernel left unclean is recovered. Afterwards the volume shows its last
 * checkpoint or the recovered state, and recovering it once more leads to the state that an undisturbed recovery gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/seed.h"
#include "crash/crash.h"
#include "crash/tree_digest.h"

struct subject {
	struct f2fs_context *ctx;
	struct tree_digest before, after;
	uint64_t records;
	uint64_t seen_before, seen_after;
	char found[300];
};

static int take_digest(struct subject *s, struct f2fs_device *dev, int recover, struct tree_digest *out)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options),
						   .mode = F2FS_MODE_STRICT, .recover = recover };
	struct f2fs_volume *vol;
	int rc = f2fs_volume_open(s->ctx, dev, &options, &vol);

	if (rc == 0) {
		rc = tree_digest(vol, out);
		f2fs_volume_close(vol);
	}
	if (rc != 0)
		snprintf(s->found + strlen(s->found), 200, ": %.150s", f2fs_context_error(s->ctx)->message);
	return rc;
}

static int judge(void *user, const struct crash_state *state)
{
	struct subject *s = user;
	struct tree_digest now, recovered;
	int is_after;

	crash_describe(state, s->found, 100);
	if (take_digest(s, state->dev, F2FS_RECOVER_NONE, &now) != 0)
		return 1;
	is_after = now.tree == s->after.tree && now.tables == s->after.tables;
	s->seen_after += (unsigned)is_after;
	s->seen_before += !is_after;
	if (!is_after && (state->issued >= s->records || now.tree != s->before.tree))
		return 1;
	if (take_digest(s, state->dev, F2FS_RECOVER_APPLY, &recovered) != 0)
		return 1;
	return recovered.tree != s->after.tree || recovered.tables != s->after.tables || recovered.fault;
}

static void cut_recovery(const char *name)
{
	const struct crash_options options = { .subsets = 60, .scattered = 30, .seed = 1 };
	struct f2fs_device *before, *recorder;
	struct subject s = { 0 };
	struct seed seed;
	uint64_t count = 0;

	seed_load(&seed, name);
	s.ctx = seed.ctx;
	assert_int_equal(f2fs_device_fork_memory(seed.dev, &before), 0);
	assert_int_equal(f2fs_device_open_recorder(seed.dev, &recorder), 0);
	assert_int_equal(take_digest(&s, seed.dev, F2FS_RECOVER_NONE, &s.before), 0);
	assert_int_equal(take_digest(&s, recorder, F2FS_RECOVER_APPLY, &s.after), 0);
	s.records = f2fs_device_record_count(recorder);
	assert_true(s.records > 0);
	if (s.after.fault)
		fail_msg("%s", s.after.fault);
	if (crash_each(before, recorder, &options, judge, &s, &count) != 0)
		fail_msg("%s: %s: neither as before nor as after", name, s.found);
	print_message("%s: %llu records, %llu states: %llu as before, %llu as after\n", name,
		      (unsigned long long)s.records, (unsigned long long)count, (unsigned long long)s.seen_before,
		      (unsigned long long)s.seen_after);
	assert_true(s.seen_before > 0 && s.seen_after > 0);
	f2fs_device_close(recorder);
	f2fs_device_close(before);
	seed_close(&seed);
}

static void recovery_can_be_cut_at_any_time(void **state)
{
	(void)state;
	cut_recovery("fsync-chain");
	cut_recovery("fsync-mixed");
	cut_recovery("orphans");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(recovery_can_be_cut_at_any_time) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
