#include "device/launch.h"

#include <inttypes.h>
#include <stdio.h>

#include "util/error.h"

// The lengths say where each text ends.
char *kernel_identity(const struct kernel_request *request) {
    struct written identity;
    FILE *out = memory_stream(&identity);
    const bool whole = request->language == KERNEL_C; // otherwise the text depends on the kernel
    fprintf(out, "%d %s\n%s\n", (int)request->language, request->source->file_name,
            !whole && request->entry ? request->entry : "");
    for (size_t i = 0; i < request->constant_count; i++) {
        fprintf(out, "%s=%" PRId64 "\n", request->constants[i].name, request->constants[i].value);
    }
    fprintf(out, "%zu\n%s", strlen(request->source->text), request->source->text);
    for (const struct kernel_header *header = request->headers; header && header->name; header++) {
        fprintf(out, "%s\n%zu\n%s", header->name, strlen(header->text), header->text);
    }
    return memory_stream_end(&identity);
}
