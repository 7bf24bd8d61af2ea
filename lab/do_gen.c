/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs-lab gen: the operations of a source as text or as a trace.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lab/command.h"
#include "lab/import.h"
#include "lab/outputs.h"
#include "lab/source.h"
#include "lab/trace.h"

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

/* All rounds, round 0 included; as text when there is no trace to be written. */
static int put_rounds(struct cli *cli, struct lab_source *source, uint32_t rounds, struct lab_trace_writer *trace)
{
	struct lab_op op;

	while (source->round <= rounds) {
		const int rc = lab_source_next(source, &op);

		if (rc < 0) {
			cli_error(cli, "%s", source->error);
			return -1;
		}
		if (rc == LAB_END && trace)
			lab_trace_end_round(trace);
		else if (rc == LAB_END)
			printf("round %u\n", source->round);
		else if (trace)
			lab_trace_put(trace, &op);
		else
			put_op(&op);
		if (cli_stopped() || ferror(trace ? trace->to : stdout))
			return -1;
	}
	return 0;
}

/* A trace that is not whole is removed. */
static int put_trace(struct cli *cli, struct lab_source *source, uint32_t rounds, const char *path)
{
	struct lab_trace_writer writer;
	FILE *to = fopen(path, "wb");
	int rc = -1;

	if (to) {
		lab_trace_begin(&writer, to);
		rc = put_rounds(cli, source, rounds, &writer);
	}
	if (!to || ferror(to))
		cli_error(cli, "%s: %s", path, strerror(errno));
	if (to && fclose(to) != 0 && !rc) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		rc = -1;
	}
	if (rc && to)
		lab_forget_file(path);
	return rc;
}

/* Run a source with what --set says. Takes the configuration over. */
static int generate(struct cli *cli, const struct lab_arguments *a, const struct lab_source_type *type,
		    struct lab_config *config)
{
	struct lab_source *source = NULL;
	int rc = 0;

	for (unsigned i = 0; i < a->set_count && !rc; i++)
		rc = lab_config_set(config, a->sets[i]);
	if (!rc)
		rc = lab_source_open(type, config, "", a->seed_number, &source);
	if (!rc)
		rc = lab_config_all_used(config);
	if (rc)
		cli_error(cli, "%s", config->error);
	else if (a->trace)
		rc = put_trace(cli, source, a->rounds, a->trace);
	else
		rc = put_rounds(cli, source, a->rounds, NULL);
	lab_source_close(source);
	lab_config_free(config);
	return rc;
}

int lab_do_gen(struct cli *cli, struct lab_arguments *a)
{
	const struct lab_source_type *type = lab_source_type_find(a->operands[0]);
	struct lab_config config = { 0 };

	if (type)
		return generate(cli, a, type, &config);
	cli_error(cli, "there is no source '%s'; f2fs-lab list has them", a->operands[0]);
	return -1;
}

int lab_do_import(struct cli *cli, struct lab_arguments *a)
{
	const struct lab_source_type *type = lab_source_type_find(a->operands[0]);
	struct lab_config config = { 0 };

	if (!type || !lab_import_is(type)) {
		cli_error(cli, "'%s' is none of the formats strace, fio, blkparse, msr, alibaba, tencent and midas",
			  a->operands[0]);
		return -1;
	}
	a->rounds = 1;
	if (!lab_config_replace(&config, "file", &a->operands[1], 1, 0, 0))
		return generate(cli, a, type, &config);
	cli_error(cli, "%s", config.error);
	return -1;
}
