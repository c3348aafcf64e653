// SPDX-License-Identifier: GPL-2.0
/* /etc/uet/services: names of endpoints, in the habit of services(5) */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define SERVICES	"/etc/uet/services"
#define LINE_SIZE	1024
#define BLANKS		" \t\r\n\v\f"
#define NAME_MORE	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
			"0123456789._+-"

struct libuet_services {
	FILE	*file;
	char	line[LINE_SIZE];
};

/* Nothing that could be taken for a number or a part of an address */
static bool is_name(const char *text)
{
	return isalpha((unsigned char)text[0]) &&
	       !text[strspn(text, NAME_MORE)] && strlen(text) < LIBUET_NAME_SIZE;
}

static bool parse_endpoint(char *text, struct libuet_service *entry)
{
	char *ri = strchr(text, '/');
	uint64_t pid, index = 0;

	if (ri)
		*ri++ = 0;
	if (libuet__number(text, UET_PID_MAX, &pid) || !pid ||
	    (ri && libuet__number(ri, UET_RI_MAX, &index)))
		return false;
	entry->pid = pid;
	entry->ri = index;
	return true;
}

static bool add_alias(struct libuet_service *entry, const char *alias)
{
	size_t used = strlen(entry->aliases);
	size_t room = sizeof(entry->aliases) - used;
	int n;

	if (!is_name(alias))
		return false;
	n = snprintf(entry->aliases + used, room, "%s%s", used ? " " : "",
		     alias);
	return (size_t)n < room;
}

/* job=N or an alias */
static bool parse_word(const char *word, struct libuet_service *entry)
{
	uint64_t job;

	if (strncmp(word, "job=", 4))
		return add_alias(entry, word);
	if (entry->has_job || libuet__number(word + 4, UET_JOB_MAX, &job))
		return false;
	entry->job = job;
	entry->has_job = true;
	return true;
}

/* Whether @line, which is changed, has an entry, and which */
bool libuet__parse_service(char *line, struct libuet_service *entry)
{
	char *save, *word, *name;

	line[strcspn(line, "#")] = 0;
	memset(entry, 0, sizeof(*entry));
	name = strtok_r(line, BLANKS, &save);
	word = name ? strtok_r(NULL, BLANKS, &save) : NULL;
	if (!word || !is_name(name) || !parse_endpoint(word, entry))
		return false;
	memcpy(entry->name, name, strlen(name) + 1);
	while ((word = strtok_r(NULL, BLANKS, &save)))
		if (!parse_word(word, entry))
			return false;
	return true;
}

/**
 * libuet_openservices() - open the file of services
 *
 * UET_SERVICES in the environment names another file than /etc/uet/services,
 * unless the program runs with privileges of its file.
 *
 * Return: a handle for one thread at a time, or NULL with errno of fopen() or
 * ENOMEM.
 */
struct libuet_services *libuet_openservices(void)
{
	const char *path = secure_getenv("UET_SERVICES");
	struct libuet_services *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	s->file = fopen(path ? path : SERVICES, "re");
	if (s->file)
		return s;
	free(s);
	return NULL;
}

/* A line; one that is too long is passed over to its end and is empty then */
static bool read_line(struct libuet_services *s)
{
	if (!fgets(s->line, sizeof(s->line), s->file))
		return false;
	if (strchr(s->line, '\n') || feof(s->file))
		return true;
	while (fgets(s->line, sizeof(s->line), s->file) &&
	       !strchr(s->line, '\n'))
		;
	s->line[0] = 0;
	return true;
}

/**
 * libuet_getservice() - the next entry of the file of services
 * @s: the file
 * @entry: gets it
 *
 * Lines that are malformed are passed over.
 *
 * Return: whether there is one.
 */
bool libuet_getservice(struct libuet_services *s, struct libuet_service *entry)
{
	while (read_line(s))
		if (libuet__parse_service(s->line, entry))
			return true;
	return false;
}

/**
 * libuet_closeservices() - close the file of services
 * @s: the file, or NULL
 */
void libuet_closeservices(struct libuet_services *s)
{
	if (!s)
		return;
	fclose(s->file);
	free(s);
}

static bool has_alias(const struct libuet_service *entry, const char *name)
{
	size_t len = strlen(name), n;
	const char *at;

	for (at = entry->aliases; *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		if (n == len && !memcmp(at, name, n))
			return true;
	}
	return false;
}

/* By @name or, if that is NULL, by numbers; the first one counts */
static int find(const char *name, uint16_t pid, uint16_t ri,
		struct libuet_service *entry)
{
	struct libuet_services *s = libuet_openservices();
	bool found = false;

	if (!s)
		return -1;
	while (!found && libuet_getservice(s, entry))
		found = name ? !strcmp(entry->name, name) ||
			       has_alias(entry, name)
			     : entry->pid == pid && entry->ri == ri;
	libuet_closeservices(s);
	if (found)
		return 0;
	errno = ENOENT;
	return -1;
}

/**
 * libuet_getservbyname() - find a service by name or alias
 * @name: the name
 * @entry: gets the first entry that has it; undefined on failure
 *
 * Return: 0, or -1 with errno: ENOENT (no such service, or no file of them), or
 * what libuet_openservices() gives.
 */
int libuet_getservbyname(const char *name, struct libuet_service *entry)
{
	return find(name, 0, 0, entry);
}

/**
 * libuet_getservbypid() - find a service by its numbers
 * @pid: PIDonFEP
 * @ri: resource index
 * @entry: gets the first entry that has both; undefined on failure
 *
 * Return: 0, or -1 with errno as for libuet_getservbyname().
 */
int libuet_getservbypid(uint16_t pid, uint16_t ri, struct libuet_service *entry)
{
	return find(NULL, pid, ri, entry);
}
