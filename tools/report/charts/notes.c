#include "tools/report/charts/notes.h"

#include <stdlib.h>

#include "util/error.h"

void notes_add(struct notes *notes, const struct chart *chart, char *text) {
    notes->notes = memory_room(notes->notes, notes->count, sizeof *notes->notes);
    notes->notes[notes->count++] = (struct note){memory_format("%s", chart->name), text};
}

void notes_clear(struct notes *notes) {
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->notes[i].chart);
        free(notes->notes[i].text);
    }
    free(notes->notes);
    *notes = (struct notes){0};
}
