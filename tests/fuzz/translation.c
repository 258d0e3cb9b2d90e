#include "tests/fuzz/translation.h"

#include <stdlib.h>
#include <string.h>

static void read_lines(const struct sim_program *program) {
    const char *file;
    uint32_t line;
    for (uint32_t i = 0; i < program->site_count; i++) {
        sim_program_line(program, i, &file, &line);
    }
}

void fuzz_translation(const uint8_t *data, size_t size, translator *translate) {
    char *text = malloc(size + 1);
    struct sim_program *program;
    struct error error = {0};
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    const enum status status = translate(text, &program, &error);
    if (status == STATUS_OK) {
        if (!program->c || !*program->entry) {
            abort();
        }
        read_lines(program);
        sim_program_destroy(program);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n') || status == STATUS_NO_DEVICE) {
        abort(); // one line says what is wrong
    }
    error_clear(&error);
    free(text);
}
