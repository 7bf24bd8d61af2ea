/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs-lab gen: the operations of a source as text.
 */
#include <inttypes.h>
#include <stdio.h>

#include "lab/command.h"
#include "lab/source.h"

static void put_op(const struct lab_op *op)
{
	printf("%s %" PRIu32, lab_op_name(op->kind), op->file);
	switch (op->kind) {
	case LAB_OP_CREATE:
		printf(" %s\n", op->name);
		break;
	case LAB_OP_WRITE:
	case LAB_OP_READ:
		printf(" %" PRIu64 " %" PRIu64 "\n", op->offset, op->length);
		break;
	case LAB_OP_TRUNCATE:
		printf(" %" PRIu64 "\n", op->offset);
		break;
	default:
		putchar('\n');
	}
}

/* All rounds, round 0 included. */
static int put_rounds(struct cli *cli, struct lab_source *source, uint32_t rounds)
{
	struct lab_op op;

	while (source->round <= rounds) {
		const int rc = lab_source_next(source, &op);

		if (rc < 0) {
			cli_error(cli, "%s", source->error);
			return -1;
		}
		if (rc == LAB_END)
			printf("round %u\n", source->round);
		else
			put_op(&op);
		if (cli_stopped() || ferror(stdout))
			return -1;
	}
	return 0;
}

int lab_do_gen(struct cli *cli, struct lab_arguments *a)
{
	const struct lab_source_type *type = lab_source_type_find(a->operands[0]);
	struct lab_config config = { 0 };
	struct lab_source *source = NULL;
	int rc = 0;

	if (!type) {
		cli_error(cli, "there is no source '%s'; f2fs-lab list has them", a->operands[0]);
		return -1;
	}
	for (unsigned i = 0; i < a->set_count && !rc; i++)
		rc = lab_config_set(&config, a->sets[i]);
	if (!rc)
		rc = lab_source_open(type, &config, "", a->seed_number, &source);
	if (!rc)
		rc = lab_config_all_used(&config);
	if (rc)
		cli_error(cli, "%s", config.error);
	else
		rc = put_rounds(cli, source, a->rounds);
	lab_source_close(source);
	lab_config_free(&config);
	return rc;
}
