// The GPUs of a fleet, what went wrong with them, and the files that bankshot fleet has left.
#ifndef TOOLS_JUDGE_FLEET_H
#define TOOLS_JUDGE_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/text.h"

struct fleet_gpu {
    const char *host;
    const char *name;    // the folder's, "cuda-0", or "machine"; NULL: the node itself
    const char *model;   // as its rows say; NULL: it has none
    char *faults;        // joined by "; "; NULL: none
    bool throttled;      // it is among the faults
    uint32_t stands_out; // rows that do
    double worst;        // of these: how many times as long as it should be, or as short
    char *worst_text;
    bool has_few; // others of its model, so that no median judges it
};

struct fleet {
    struct fleet_gpu *gpus; // in the order of their folders
    size_t count;
    struct texts texts;
};

void fleet_clear(struct fleet *fleet);

// The number of the GPU, which is added if it is new; name NULL: of the node.
uint32_t fleet_gpu(struct fleet *fleet, const char *host, const char *name);

// Its number if it is among them, else fleet->count.
size_t fleet_find(const struct fleet *fleet, const char *host, const char *name);

// Takes the text.
void fleet_fault(struct fleet_gpu *gpu, char *what);

// Reads a file of rows. A fault of the file is one of the GPU, so it is no error.
typedef enum status fleet_file_reader(void *context, uint32_t gpu, const char *path, struct error *error);

// Goes through FOLDER/HOST/GPU/*.csv, and notes faults, interrupted runs and GPUs without a file.
enum status fleet_read(struct fleet *fleet, const char *folder, fleet_file_reader *read, void *context,
                       struct error *error);

// Notes each host of the list, a file with one a line or names with commas, of which there is no folder.
enum status fleet_expect(struct fleet *fleet, const char *hosts, struct error *error);

#endif
