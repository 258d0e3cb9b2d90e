// A fuzzer of kernels' sources. Whatever the text is, it must become the texts that compilers get, of CUDA C++ as of
// the C dialect, and its declarations must be whole.
//   make build/tests/fuzz_user          the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_user && build/tests/fuzz_user -max_total_time=120 CORPUS tools/lanes/examples
#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "sim/compile/text.h"
#include "sim/compile/user/source.h"

static const char file_name[] = "/none/fuzz.cu"; // no file that it includes lies beside it

static void check(bool right) {
    if (!right) {
        abort();
    }
}

// They are in order, and none reaches into another.
static void check_declarations(const char *text) {
    struct user_declarations all;
    user_declarations_find(text, &all);
    size_t end = 0;
    for (size_t i = 0; i < all.count; i++) {
        const struct user_declaration *own = &all.list[i];
        check(own->first >= end && own->end > own->first && own->end <= all.tokens.count &&
              own->space < all.space_count);
        check(user_declaration_at(&all, all.tokens.list[own->first].begin) == own);
        end = own->end;
        if (own->is_kernel && own->name.begin) {
            char *names = user_parameter_names(&all, own);
            check(names != NULL);
            free(names);
        }
    }
    user_kernel_named(&all, "space::gemm<float, 32>");
    user_declarations_clear(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct user_headers all = {.all = true}, few = {.all = false};
    char *text = malloc(size + 1);
    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    char *const made[] = {user_splice(file_name, text, &all), user_splice(file_name, text, &few),
                          sim_source_text(file_name, text, 4096, true)};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        check(made[i] != NULL);
        check_declarations(made[i]);
        user_place_find(made[i], file_name, strlen(file_name), 3);
        free(made[i]);
    }
    free(text);
    return 0;
}
