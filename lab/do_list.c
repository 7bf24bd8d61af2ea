/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs-lab list: experiments, parameters and metrics with their texts.
 */
#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "lab/command.h"
#include "lab/data_files.h"
#include "lab/experiment.h"
#include "lab/outputs.h"
#include "lab/source.h"
#include "lab/toml.h"

/* Experiments that come with the program. Without a folder of them there are none. */
static int list_experiments(struct cli *cli, const struct lab_arguments *a, struct cli_print *p)
{
	static const struct cli_column columns[] = { { "experiment", -24 }, { "title", -20 } };
	struct lab_names names;
	char folder[LAB_PATH], path[LAB_PATH];
	int rc = 0;

	lab_data_folder(a->program, "experiments", folder);
	(void)lab_data_names(folder, &names);
	cli_print_begin_table(p, "experiments", columns, 2);
	for (size_t i = 0; i < names.count && !rc; i++) {
		struct lab_config config = { 0 };
		const struct lab_setting *title;

		lab_data_file(a->program, "experiments", names.items[i], path);
		rc = lab_toml_read(&config, path);
		if (rc)
			cli_error(cli, "%s", config.error);
		title = lab_config_find(&config, "experiment.title");
		cli_print_begin(p, NULL);
		cli_print_string(p, "experiment", names.items[i]);
		cli_print_string(p, "title", title ? title->items[0] : "-");
		cli_print_end(p);
		lab_config_free(&config);
	}
	cli_print_end_array(p);
	cli_print_heading(p, "");
	lab_names_free(&names);
	return rc;
}

static void list_params(struct cli_print *p, const char *group, const struct lab_param *params, unsigned count)
{
	static const char *const kinds[] = { "number", "size", "fraction", "flag", "word" };

	for (unsigned i = 0; i < count; i++) {
		cli_print_begin(p, NULL);
		cli_print_string(p, "table", group);
		cli_print_string(p, "key", params[i].key);
		cli_print_string(p, "kind", kinds[params[i].kind]);
		cli_print_string(p, "default", params[i].standard[0] ? params[i].standard : "-");
		cli_print_string(p, "text", params[i].help);
		cli_print_end(p);
	}
}

static void list_parameters(struct cli_print *p)
{
	static const struct cli_column params[] = {
		{ "table", -18 }, { "key", -16 }, { "kind", -8 }, { "default", -12 }, { "text", -20 }
	};
	static const struct cli_column metrics[] = { { "metric", -20 }, { "text", -20 } };
	const struct lab_param *table;
	const struct lab_source_type *type;
	unsigned count;

	cli_print_begin_table(p, "parameters", params, 5);
	table = lab_experiment_table(&count);
	list_params(p, "experiment", table, count);
	table = lab_volume_table(&count);
	list_params(p, "volume", table, count);
	table = lab_engine_table(&count);
	list_params(p, "engine", table, count);
	for (unsigned i = 0; (type = lab_source_type_at(i)) != NULL; i++) {
		char group[64];

		snprintf(group, sizeof(group), "source %s", type->name);
		list_params(p, group, type->params, type->param_count);
	}
	cli_print_end_array(p);
	cli_print_heading(p, "");
	cli_print_begin_table(p, "metrics", metrics, 2);
	for (unsigned i = 0; lab_metric_at(i); i++) {
		cli_print_begin(p, NULL);
		cli_print_string(p, "metric", lab_metric_at(i)->name);
		cli_print_string(p, "text", lab_metric_at(i)->text);
		cli_print_end(p);
	}
	cli_print_end_array(p);
}

int lab_do_list(struct cli *cli, struct lab_arguments *a)
{
	FILE *to = lab_open_listing(cli, a);
	struct cli_print *p = to ? cli_print_open(to, a->json ? CLI_JSON : CLI_TEXT) : NULL;
	int rc;

	if (!p)
		return to ? lab_close_listing(cli, a, to, -1) : -1;
	if (a->json)
		cli_print_begin(p, NULL);
	rc = list_experiments(cli, a, p);
	list_parameters(p);
	if (a->json)
		cli_print_end(p);
	if (cli_print_close(p))
		rc = -1;
	return lab_close_listing(cli, a, to, rc);
}
