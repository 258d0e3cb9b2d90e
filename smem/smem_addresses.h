// Points of the variant whose requests come from a file.
#ifndef SMEM_SMEM_ADDRESSES_H
#define SMEM_SMEM_ADDRESSES_H

#include "bench/addresses.h"
#include "bench/probe.h"
#include "smem/smem_pattern.h"

// State kept for a run of the program.
struct smem_session {
    const char *path, *operation; // the values of --addresses and --op
    struct address_text text;     // of path; empty until a device needs it
};

extern const struct option_row smem_address_options[SMEM_ADDRESS_OPTIONS];

// Refuses the variant without its file, and any other variant with one (STATUS_USAGE).
enum status smem_supports_addresses(const struct smem_session *session, const struct variant *variant,
                                    struct error *error);

enum status smem_check_addresses(const struct run *run, const struct point *point, struct error *error);

enum status smem_measure_addresses(struct run *run, const struct point *point, struct error *error);

#endif
