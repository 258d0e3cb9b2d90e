#include "util/texts.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 20
};

struct text_block {
    struct text_block *older;
    size_t size;
    char bytes[];
};

static struct text_block *add_block(struct texts *texts, size_t least) {
    const size_t size = least > BLOCK_BYTES ? least : BLOCK_BYTES;
    struct text_block *block = malloc(sizeof *block + size);
    if (block) {
        block->older = texts->newest;
        block->size = size;
        texts->newest = block;
        texts->used = 0;
    }
    return block;
}

const char *texts_keep(struct texts *texts, const char *text, size_t length) {
    struct text_block *block = texts->newest;
    if (!block || block->size - texts->used < length + 1) {
        block = add_block(texts, length + 1);
    }
    if (!block) {
        return NULL;
    }
    char *copy = block->bytes + texts->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    texts->used += length + 1;
    return copy;
}

void texts_clear(struct texts *texts) {
    for (struct text_block *block = texts->newest; block;) {
        struct text_block *older = block->older;
        free(block);
        block = older;
    }
    *texts = (struct texts){0};
}
