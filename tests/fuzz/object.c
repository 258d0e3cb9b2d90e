// A fuzzer of AMD's code objects, which LLVM's tools disassemble and lanes translates and runs. Each must run, or be
// refused with one line. The program, with the launch of the corpus's kernels, is the command in
// FUZZ_LANES; its --gpu follows from the file.
//   make build/tests/fuzz_object     with any compiler, and then every seventh of the changes:
//   FUZZ_LANES='build/lanes --block 64 --arg ...' build/tests/fuzz_object --every 7 FILE.co...
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/mutate.h"

enum {
    WORDS = 64,
    COMMAND_BYTES = 1024,
    LINE_BYTES = 2048,
    MACHINE = 48,     // where an ELF file of AMD's says for which GPU it is (LLVM, "User Guide for AMDGPU Backend")
    SECONDS_MAX = 300 // for one file, on a machine that runs other programs
};

extern char **environ;

static void fail(const char *path, const char *what, int value) {
    fprintf(stderr, "%s: %s %d\n", path, what, value);
    abort(); // the file stays, to be looked at
}

static const char *gpu_of(const uint8_t *data, size_t size) {
    const unsigned machine = size > MACHINE ? data[MACHINE] : 0;
    return machine == 0x4c ? "mi300x" : machine == 0x41 ? "rx7900xtx" : "mi210";
}

// Returns the status of lanes, whose standard error goes to the file.
static int run_lanes(const char *path, const char *gpu, int log) {
    char command[COMMAND_BYTES], asm_option[] = "--asm", gpu_option[] = "--gpu", *words[WORDS];
    const char *given = getenv("FUZZ_LANES");
    size_t count = 0;
    snprintf(command, sizeof command, "%s", given ? given : "build/lanes --block 64");
    for (char *word = strtok(command, " "); word && count < WORDS - 5; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    char *const rest[] = {asm_option, (char *)(uintptr_t)path, gpu_option, (char *)(uintptr_t)gpu, NULL};
    memcpy(words + count, rest, sizeof rest);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
    pid_t child;
    int status = -1;
    alarm(SECONDS_MAX); // which ends this program
    if (posix_spawnp(&child, words[0], &actions, NULL, words, environ) != 0 || waitpid(child, &status, 0) != child) {
        fail(path, "lanes cannot be run, or ended with status", status);
    }
    alarm(0);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

// A line must say why, unless the status is 0. FUZZ_VERBOSE shows each.
static void judge(const char *path, int status, const char *log) {
    const size_t lines = *log ? 1 : 0, length = strcspn(log, "\n");
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 2) {
        fail(path, "lanes crashed, or has an unknown status:", status);
    }
    const int code = WEXITSTATUS(status);
    if (lines != (code ? 1 : 0) || (lines && strcmp(log + length, "\n") != 0)) {
        fprintf(stderr, "%s", log);
        fail(path, "not one line for status", code);
    }
    if (strstr(log, "ended its process by signal")) {
        fprintf(stderr, "%s", log);
        fail(path, "the translated kernel crashed, status", code);
    }
    if (getenv("FUZZ_VERBOSE")) {
        printf("%d %s", code, lines ? log : "it ran\n");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[] = "/tmp/bankshot-fuzz.XXXXXX", log[LINE_BYTES] = "";
    const int file = mkstemp(path);
    FILE *errors = tmpfile();
    if (file < 0 || !errors || write(file, data, size) != (ssize_t)size) {
        abort();
    }
    close(file);
    const int status = run_lanes(path, gpu_of(data, size), fileno(errors));
    rewind(errors);
    log[fread(log, 1, sizeof log - 1, errors)] = '\0';
    fclose(errors);
    judge(path, status, log);
    unlink(path);
    return 0;
}
