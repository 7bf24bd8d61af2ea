/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended regular expressions for Windows: compiled to steps of an automaton, whose states are followed all at once.
 * So a match takes time by the product of both lengths, whatever the expression is. Jumps are relative: steps can be
 * copied and moved. Escapes of letters and digits, which POSIX leaves open, and collating elements are refused.
 */
#include "host/windows/regex.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 20000u
#define MOST_DEPTH 100u
#define MOST_COPIES 1000
#define UNLIMITED  (-1)

enum op { OP_BYTE, OP_SET, OP_BEGIN, OP_END, OP_FORK, OP_JUMP, OP_DONE };

struct step {
	uint8_t op;
	uint8_t byte;
	int32_t to;	 /* of forks and jumps, from here; a fork also continues at the next step */
	uint32_t set[8]; /* bits of bytes */
};

struct host_expression {
	struct step *steps;
	size_t count, room;
	uint32_t *now, *following, *todo; /* steps */
	uint32_t *round;		  /* of each step: the one that it was reached in last */
	size_t now_count, following_count;
	uint32_t rounds;
};

struct parser {
	const char *at;
	struct host_expression *out;
	unsigned depth;
	int rc;
};

/* ---- steps */

/* Make room for steps at a place; NULL with rc when there are too many. */
static struct step *insert(struct parser *p, size_t place, size_t n)
{
	struct host_expression *e = p->out;

	if (p->rc)
		return NULL;
	if (e->count + n > e->room) {
		const size_t room = 2 * (e->count + n);
		struct step *steps = e->count + n > MOST_STEPS ? NULL : realloc(e->steps, room * sizeof(*steps));

		if (!steps) {
			p->rc = REG_ESPACE;
			return NULL;
		}
		e->steps = steps;
		e->room = room;
	}
	memmove(e->steps + place + n, e->steps + place, (e->count - place) * sizeof(*e->steps));
	memset(e->steps + place, 0, n * sizeof(*e->steps));
	e->count += n;
	return e->steps + place;
}

static struct step *put(struct parser *p, enum op op)
{
	struct step *step = insert(p, p->out->count, 1);

	if (step)
		step->op = (uint8_t)op;
	return step;
}

static void put_jump(struct parser *p, enum op op, size_t place, size_t from, size_t to)
{
	struct step *step = insert(p, place, 1);

	if (!step)
		return;
	step->op = (uint8_t)op;
	step->to = (int32_t)to - (int32_t)from;
}

static void put_byte(struct parser *p, unsigned char byte)
{
	struct step *step = put(p, OP_BYTE);

	if (step)
		step->byte = byte;
}

static void set_bit(struct step *step, unsigned byte)
{
	step->set[byte / 32] |= (uint32_t)1 << byte % 32;
}

static bool has_bit(const struct step *step, unsigned byte)
{
	return step->set[byte / 32] >> byte % 32 & 1;
}

static void invert(struct step *step)
{
	for (unsigned i = 0; i < 8; i++)
		step->set[i] = ~step->set[i];
	step->set[0] &= ~(uint32_t)1; /* the end of a text */
}

/* ---- sets */

/* [:name:] within brackets */
static void take_class(struct parser *p, struct step *step)
{
	static const struct {
		const char *name;
		int (*has)(int c);
	} classes[] = {
		{ "alpha:]", isalpha }, { "alnum:]", isalnum }, { "blank:]", isblank }, { "cntrl:]", iscntrl },
		{ "digit:]", isdigit }, { "graph:]", isgraph }, { "lower:]", islower }, { "print:]", isprint },
		{ "punct:]", ispunct }, { "space:]", isspace }, { "upper:]", isupper }, { "xdigit:]", isxdigit },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		const size_t n = strlen(classes[i].name);

		if (strncmp(p->at, classes[i].name, n) != 0)
			continue;
		for (unsigned c = 1; c < 128; c++)
			if (classes[i].has((int)c))
				set_bit(step, c);
		p->at += n;
		return;
	}
	p->rc = REG_ECTYPE;
}

/* A byte or a range within brackets. */
static void take_range(struct parser *p, struct step *step)
{
	const unsigned first = (unsigned char)*p->at++;
	unsigned last = first;

	if (p->at[0] == '-' && p->at[1] && p->at[1] != ']') {
		last = (unsigned char)p->at[1];
		p->at += 2;
		if (last == '[' && (p->at[0] == '.' || p->at[0] == '=' || p->at[0] == ':'))
			p->rc = REG_BADPAT;
	}
	if (first > last)
		p->rc = REG_ERANGE;
	for (unsigned c = first; c <= last; c++)
		set_bit(step, c);
}

static void take_set(struct parser *p)
{
	struct step *step = put(p, OP_SET);
	const bool is_inverse = *p->at == '^';

	p->at += is_inverse;
	for (bool is_first = true; !p->rc && (is_first || *p->at != ']'); is_first = false) {
		if (!*p->at) {
			p->rc = REG_EBRACK;
		} else if (p->at[0] == '[' && p->at[1] == ':') {
			p->at += 2;
			take_class(p, step);
		} else if (p->at[0] == '[' && (p->at[1] == '.' || p->at[1] == '=')) {
			p->rc = REG_BADPAT;
		} else {
			take_range(p, step);
		}
	}
	p->at += !p->rc;
	if (!p->rc && is_inverse)
		invert(step);
}

/* ---- parts */

static void take_alternatives(struct parser *p);

static void take_group(struct parser *p)
{
	if (++p->depth > MOST_DEPTH)
		p->rc = REG_ESPACE;
	if (!p->rc)
		take_alternatives(p);
	p->depth--;
	if (!p->rc && *p->at != ')')
		p->rc = REG_EPAREN;
	p->at += !p->rc;
}

static void take_escape(struct parser *p)
{
	const unsigned char c = (unsigned char)*p->at;

	if (!c)
		p->rc = REG_EESCAPE;
	else if (isalnum(c) || strchr("<>`'", c))
		p->rc = REG_BADPAT;
	else
		put_byte(p, c);
	p->at += c != 0;
}

/* The smallest part; what may not be repeated is no atom. */
static bool take_atom(struct parser *p)
{
	const char c = *p->at++;

	switch (c) {
	case '(':
		take_group(p);
		return true;
	case '[':
		take_set(p);
		return true;
	case '\\':
		take_escape(p);
		return true;
	case '.':
		if (put(p, OP_SET))
			invert(&p->out->steps[p->out->count - 1]);
		return true;
	case '^':
	case '$':
		put(p, c == '^' ? OP_BEGIN : OP_END);
		return false;
	case '*':
	case '+':
	case '?':
	case '{':
		p->rc = REG_BADRPT;
		return false;
	default:
		put_byte(p, (unsigned char)c);
		return true;
	}
}

static int take_number(struct parser *p)
{
	int n = UNLIMITED;

	for (; *p->at >= '0' && *p->at <= '9'; p->at++)
		n = n > MOST_COPIES ? n : (n < 0 ? 0 : n) * 10 + (*p->at - '0');
	return n;
}

/* Copy the steps of a part to the end. */
static void copy_part(struct parser *p, const struct step *part, size_t n)
{
	struct step *to = insert(p, p->out->count, n);

	if (to)
		memcpy(to, part, n * sizeof(*to));
}

/* The part from start on becomes one that may be missing. */
static void make_optional(struct parser *p, size_t start)
{
	put_jump(p, OP_FORK, start, start, p->out->count + 1);
}

/* The part from start on may come again, any number of times. */
static void make_loop(struct parser *p, size_t start)
{
	put_jump(p, OP_FORK, p->out->count, p->out->count, start);
}

static void repeat(struct parser *p, size_t start, int least, int most)
{
	const size_t n = p->out->count - start;
	struct step *part = malloc((n + 1) * sizeof(*part));
	size_t last = start;

	if (!part) {
		p->rc = REG_ESPACE;
		return;
	}
	memcpy(part, p->out->steps + start, n * sizeof(*part));
	p->out->count = start;
	for (int i = 0; !p->rc && i < least; i++) {
		last = p->out->count;
		copy_part(p, part, n);
	}
	if (most == UNLIMITED && least > 0) {
		make_loop(p, last);
	} else if (most == UNLIMITED) {
		copy_part(p, part, n);
		make_loop(p, start);
		make_optional(p, start);
	}
	for (int i = least; !p->rc && i < most; i++) {
		last = p->out->count;
		copy_part(p, part, n);
		make_optional(p, last);
	}
	free(part);
}

/* {n}, {n,}, {,m}, {n,m} */
static void take_interval(struct parser *p, size_t start)
{
	int least = take_number(p), most = least;

	if (*p->at == ',') {
		p->at++;
		most = take_number(p);
		least = least < 0 ? 0 : least;
	}
	if (*p->at != '}')
		p->rc = *p->at ? REG_BADBR : REG_EBRACE;
	else if (least < 0 || (most >= 0 && most < least))
		p->rc = REG_BADBR;
	else if (least > MOST_COPIES || most > MOST_COPIES)
		p->rc = REG_ESPACE;
	p->at += !p->rc;
	if (!p->rc)
		repeat(p, start, least, most);
}

static bool is_repeat(char c)
{
	return c == '*' || c == '+' || c == '?' || c == '{';
}

static void take_repeats(struct parser *p, size_t start)
{
	while (!p->rc && is_repeat(*p->at)) {
		switch (*p->at++) {
		case '*':
			repeat(p, start, 0, UNLIMITED);
			break;
		case '+':
			repeat(p, start, 1, UNLIMITED);
			break;
		case '?':
			repeat(p, start, 0, 1);
			break;
		default:
			take_interval(p, start);
		}
	}
}

static bool is_end_of_sequence(const struct parser *p)
{
	return !*p->at || *p->at == '|' || (*p->at == ')' && p->depth > 0);
}

static void take_sequence(struct parser *p)
{
	while (!p->rc && !is_end_of_sequence(p)) {
		const size_t start = p->out->count;

		if (take_atom(p))
			take_repeats(p, start);
		else if (!p->rc && is_repeat(*p->at))
			p->rc = REG_BADRPT;
	}
}

static void take_alternatives(struct parser *p)
{
	const size_t start = p->out->count;

	take_sequence(p);
	while (!p->rc && *p->at == '|') {
		size_t jump;

		p->at++;
		put_jump(p, OP_FORK, start, start, p->out->count + 2);
		jump = p->out->count;
		put(p, OP_JUMP);
		take_sequence(p);
		if (!p->rc)
			p->out->steps[jump].to = (int32_t)(p->out->count - jump);
	}
}

/* ---- matching */

/* Reach a step and all that follow it without a byte. */
static void reach(struct host_expression *e, size_t step, bool at_begin, bool at_end)
{
	size_t n = 0;

	e->todo[n++] = (uint32_t)step;
	while (n > 0) {
		const size_t i = e->todo[--n];
		const struct step *s = &e->steps[i];

		if (e->round[i] == e->rounds)
			continue;
		e->round[i] = e->rounds;
		if (s->op == OP_FORK || s->op == OP_JUMP)
			e->todo[n++] = (uint32_t)((int32_t)i + s->to);
		if (s->op == OP_FORK || (s->op == OP_BEGIN && at_begin) || (s->op == OP_END && at_end))
			e->todo[n++] = (uint32_t)(i + 1);
		if (s->op == OP_BYTE || s->op == OP_SET || s->op == OP_DONE)
			e->following[e->following_count++] = (uint32_t)i;
	}
}

static void next_round(struct host_expression *e)
{
	uint32_t *const swap = e->now;

	e->now = e->following;
	e->now_count = e->following_count;
	e->following = swap;
	e->following_count = 0;
	if (++e->rounds == 0) {
		memset(e->round, 0, e->count * sizeof(*e->round));
		e->rounds = 1;
	}
}

int regexec(const regex_t *regex, const char *text, size_t count, regmatch_t *matches, int flags)
{
	struct host_expression *e = regex->compiled;

	(void)count;
	(void)matches;
	(void)flags;
	next_round(e);
	e->following_count = 0;
	for (const char *at = text;; at++) {
		const unsigned c = (unsigned char)*at;

		reach(e, 0, at == text, !c); /* a match may begin anywhere */
		next_round(e);
		for (size_t i = 0; i < e->now_count; i++) {
			const struct step *s = &e->steps[e->now[i]];

			if (s->op == OP_DONE)
				return 0;
			if (c && (s->op == OP_BYTE ? s->byte == c : has_bit(s, c)))
				reach(e, e->now[i] + 1, false, !at[1]);
		}
		if (!c)
			return REG_NOMATCH;
	}
}

/* ---- life */

int regcomp(regex_t *regex, const char *pattern, int flags)
{
	struct host_expression *e = calloc(1, sizeof(*e));
	struct parser p = { .at = pattern, .out = e };

	(void)flags;
	regex->compiled = e;
	if (!e)
		return REG_ESPACE;
	take_alternatives(&p);
	put(&p, OP_DONE);
	if (!p.rc) {
		e->now = malloc(e->count * sizeof(*e->now));
		e->following = malloc(e->count * sizeof(*e->following));
		e->todo = malloc(3 * e->count * sizeof(*e->todo)); /* each step once, and two more for each */
		e->round = calloc(e->count, sizeof(*e->round));
		if (!e->now || !e->following || !e->todo || !e->round)
			p.rc = REG_ESPACE;
	}
	if (p.rc)
		regfree(regex);
	return p.rc;
}

size_t regerror(int code, const regex_t *regex, char *text, size_t room)
{
	static const char *const texts[] = {
		[0] = "no error",
		[REG_NOMATCH] = "no match",
		[REG_BADPAT] = "an escape or collating element that Windows programs do not know",
		[REG_ECTYPE] = "no such class of characters",
		[REG_EESCAPE] = "a backslash at the end",
		[REG_EBRACK] = "[ without ]",
		[REG_EPAREN] = "( without )",
		[REG_EBRACE] = "{ without }",
		[REG_BADBR] = "not a number of repetitions between { and }",
		[REG_ERANGE] = "a range whose end is before its start",
		[REG_ESPACE] = "the regular expression is too large",
		[REG_BADRPT] = "a repetition of nothing",
	};

	(void)regex;
	return (size_t)snprintf(text, room, "%s", texts[code]);
}

void regfree(regex_t *regex)
{
	struct host_expression *e = regex->compiled;

	regex->compiled = NULL;
	if (!e)
		return;
	free(e->steps);
	free(e->now);
	free(e->following);
	free(e->todo);
	free(e->round);
	free(e);
}
