#include "util/print_file.h"

#include <stdlib.h>

#include "util/file_write.h"
#include "util/memory.h"
#include "util/terminal.h"

enum status print_file(const char *path, void (*print)(FILE *, const void *), const void *context,
                       struct error *error) {
    char *text = NULL;
    size_t length = 0;
    if (!path) {
        return STATUS_OK;
    }
    if (standard_output_is(path)) {
        print(stdout, context);
        return STATUS_OK;
    }
    FILE *file = open_memstream(&text, &length);
    if (!file) {
        memory_end();
    }
    print(file, context);
    if (fclose(file) != 0) {
        memory_end();
    }
    const enum status status = file_write(path, &(struct file_piece){text, length}, 1, error);
    free(text);
    return status;
}
