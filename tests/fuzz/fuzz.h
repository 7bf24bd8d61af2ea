/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of libFuzzer, as far as it is used; replay.c calls the first function with the files of a corpus, so
 * that every compiler can run them as an ordinary test.
 */
#ifndef F2FSKIT_TESTS_FUZZ_FUZZ_H
#define F2FSKIT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer's own mutation of a piece of memory; there only when linked with it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif
