// The program around a fuzzer without libFuzzer: it tries each file of the command line unchanged, truncated at every
// byte, and with every byte changed, like a fuzzer's first steps. With --every N as the first arguments it tries every
// Nth of these; a number that has no factor in common with 6 leaves some of each kind.
#include "tests/fuzz/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZE_MAX_BYTES = 16384
};

struct share {
    size_t every, met, tried;
};

static void try(struct share *share, const uint8_t *data, size_t size) {
    if (share->met++ % share->every == 0) {
        share->tried++;
        LLVMFuzzerTestOneInput(data, size);
    }
}

static void mutate(struct share *share, uint8_t *data, size_t size) {
    static const uint8_t changes[] = {0x01, 0x80, 0xff, '0' ^ '-', '0' ^ '9'};
    try(share, data, size);
    for (size_t i = 0; i < size; i++) {
        try(share, data, i);
        for (size_t change = 0; change < sizeof changes; change++) {
            data[i] ^= changes[change];
            try(share, data, size);
            data[i] ^= changes[change];
        }
    }
}

int main(int argc, char **argv) {
    struct share share = {.every = 1};
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--every") == 0) {
        share.every = strtoul(argv[2], NULL, 10) > 0 ? strtoul(argv[2], NULL, 10) : 1;
        first = 3;
    }
    for (int i = first; i < argc; i++) {
        uint8_t data[SIZE_MAX_BYTES];
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 2;
        }
        mutate(&share, data, fread(data, 1, sizeof data, file));
        fclose(file);
        printf("ok %d - %s\n", i - first + 1, argv[i]);
    }
    printf("%zu files tried\n", share.tried);
    return 0;
}
