#include "sim/pages/large_page.h"

#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE // headers of older systems
#define MADV_COLLAPSE 25
#endif

char *sim_reserve_aligned(size_t bytes) {
    char *room = mmap(NULL, bytes + SIM_LARGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return NULL;
    }
    const size_t before = (SIM_LARGE_PAGE - (uintptr_t)room % SIM_LARGE_PAGE) % SIM_LARGE_PAGE;
    if (before) {
        munmap(room, before);
    }
    munmap(room + before + bytes, SIM_LARGE_PAGE - before);
    return room + before;
}

void sim_make_large_pages(char *begin, size_t bytes) {
    madvise(begin, bytes / SIM_LARGE_PAGE * SIM_LARGE_PAGE, MADV_COLLAPSE);
}
