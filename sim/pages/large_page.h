// Large pages of the host, which cost less than the faults of small ones.
#ifndef SIM_PAGES_LARGE_PAGE_H
#define SIM_PAGES_LARGE_PAGE_H

#include <stddef.h>

enum {
    SIM_LARGE_PAGE = 2 << 20
};

// Addresses without memory that begin at a multiple of a large page; NULL if there are none.
char *sim_reserve_aligned(size_t bytes);

// Makes large pages of whole ones in shared memory. Each must have a small page already. Where the system makes none,
// the small ones do as well.
void sim_make_large_pages(char *begin, size_t bytes);

#endif
