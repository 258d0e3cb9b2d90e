// The program around a fuzzer without libFuzzer: it tries each file of the command line unchanged, truncated at every
// byte, and with every byte changed, like a fuzzer's first steps.
#include "tests/fuzz/mutate.h"

#include <stdio.h>

enum {
    SIZE_MAX_BYTES = 4096
};

static void mutate(uint8_t *data, size_t size) {
    static const uint8_t changes[] = {0x01, 0x80, 0xff, '0' ^ '-', '0' ^ '9'};
    LLVMFuzzerTestOneInput(data, size);
    for (size_t i = 0; i < size; i++) {
        LLVMFuzzerTestOneInput(data, i);
        for (size_t change = 0; change < sizeof changes; change++) {
            data[i] ^= changes[change];
            LLVMFuzzerTestOneInput(data, size);
            data[i] ^= changes[change];
        }
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        uint8_t data[SIZE_MAX_BYTES];
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 2;
        }
        mutate(data, fread(data, 1, sizeof data, file));
        fclose(file);
        printf("ok %d - %s\n", i, argv[i]);
    }
    return 0;
}
