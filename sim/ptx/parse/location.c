#include "sim/ptx/parse/location.h"

#include <string.h>

void ptx_parse_file(struct ptx_reader *reader) {
    const uint64_t number = ptx_expect_integer(reader, "a file's number");
    if (reader->token.kind != PTX_TOKEN_STRING) {
        ptx_fail_here(reader, "a file's name");
    } else if (number >= PTX_FILES) {
        ptx_fail(reader, STATUS_USAGE, "a file's number above %d: give a PTX file", PTX_FILES - 1);
    } else {
        reader->tree->files[number] = reader->token.text;
        ptx_advance(reader);
    }
    while (ptx_take_mark(reader, ',')) { // time and size
        ptx_expect_integer(reader, "a number");
    }
}

static struct ptx_place parse_place(struct ptx_reader *reader) {
    struct ptx_place place = {.file = (uint32_t)ptx_expect_integer(reader, "a file's number"),
                              .line = (uint32_t)ptx_expect_integer(reader, "a line"),
                              .column = (uint32_t)ptx_expect_integer(reader, "a column")};
    place.file = place.file < PTX_FILES ? place.file : 0;
    return place;
}

// The last place with this file, line and column.
static uint32_t find_place(const struct ptx_tree *tree, const struct ptx_place *place) {
    for (uint32_t i = tree->location_count; i-- > 1;) {
        const struct ptx_place *other = &tree->places[i];
        if (other->file == place->file && other->line == place->line && other->column == place->column) {
            return i;
        }
    }
    return 0;
}

static uint32_t add_place(struct ptx_reader *reader, struct ptx_place place) {
    struct ptx_tree *tree = reader->tree;
    if (tree->location_count == reader->location_room) {
        const uint32_t room = reader->location_room ? 2 * reader->location_room : 256;
        struct ptx_place *grown = ptx_take_memory(reader, room * sizeof *grown);
        if (!grown) {
            return 0;
        }
        if (tree->location_count) {
            memcpy(grown, tree->places, tree->location_count * sizeof *grown);
        }
        tree->places = grown;
        reader->location_room = room;
    }
    tree->places[tree->location_count] = place;
    return tree->location_count++;
}

// .loc 1 16 9, function_name $L__info_string0, inlined_at 1 33 12
void ptx_parse_location(struct ptx_reader *reader) {
    const uint32_t assembly = reader->token.assembly;
    struct ptx_place place = parse_place(reader);
    while (ptx_take_mark(reader, ',')) {
        const struct ptx_text word = ptx_expect_word(reader, "function_name or inlined_at");
        if (ptx_text_is(word, "inlined_at")) {
            const struct ptx_place call = parse_place(reader);
            const uint32_t known = find_place(reader->tree, &call);
            place.inlined_at = (known ? known : add_place(reader, call)) + 1;
        } else {
            ptx_expect_word(reader, "a name");
            if (ptx_take_mark(reader, '+')) {
                ptx_expect_integer(reader, "an offset");
            }
        }
    }
    // LLVM counts the lines of inline assembly as if they were the source's, so only a block's first place is right.
    if (!assembly || assembly != reader->assembly) {
        reader->place = add_place(reader, place);
        reader->assembly = assembly;
    }
}

uint32_t ptx_first_location(struct ptx_reader *reader) {
    return add_place(reader, (struct ptx_place){0});
}
