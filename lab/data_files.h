/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that come with f2fs-lab, by name: experiments and tables of figures. They are beside the program in a build
 * tree, else where they were installed.
 */
#ifndef F2FSKIT_LAB_DATA_FILES_H
#define F2FSKIT_LAB_DATA_FILES_H

#include <stddef.h>

enum { LAB_PATH = 4096 };

/* Names without ".toml", sorted. */
struct lab_names {
	char **items;
	size_t count;
};

/* Find the folder of a kind ("experiments", "figures") for a program that was started as @program. */
void lab_data_folder(const char *program, const char *kind, char path[LAB_PATH]);
/* Find a file: @name itself if it is a path or exists, else the file of that kind and name. */
void lab_data_file(const char *program, const char *kind, const char *name, char path[LAB_PATH]);
/* List a folder's files. 0, or -1 with errno. Free with lab_names_free() after either. */
int lab_data_names(const char *folder, struct lab_names *out);
void lab_names_free(struct lab_names *names);

#endif
