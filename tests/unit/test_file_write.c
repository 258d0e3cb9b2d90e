// Files that appear when they are complete: links, refusals, and signals that end the writer.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/file.h"

static char folder[] = "/tmp/bankshot-write.XXXXXX";

static int enter_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state) {
    (void)state;
    unlink("file");
    return chdir("/") || rmdir(folder); // fails if a file was left behind
}

// Writes the same file again and again, so that the signal arrives during a write. Exits with 100 if the first file
// could not be written. Runs before any parallel region of this process, because OpenMP's threads do not survive a
// fork.
static void write_for_ever(int started) {
    enum {
        BYTES = 128 << 20
    };
    const struct file_piece piece = {calloc(BYTES, 1), BYTES};
    while (file_write("file", &piece, 1, NULL) == STATUS_OK) {
        if (write(started, "", 1) != 1) {
            break;
        }
    }
    _exit(100);
}

static void test_signals_leave_nothing(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int started[2], status;
        char byte;
        assert_int_equal(pipe(started), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(signals[i], SIG_DFL); // a shell may ignore it
            write_for_ever(started[1]);
        }
        close(started[1]);
        assert_int_equal(read(started[0], &byte, 1), 1);
        usleep(5000);
        kill(child, signals[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        close(started[0]);
    }
    assert_int_equal(access("file", F_OK), 0);
}

static void test_links_stay(void **state) {
    (void)state;
    struct error error = {0};
    struct stat about;
    const struct file_piece piece = {"abc", 3};
    unlink("file");
    assert_int_equal(symlink("file", "link"), 0);
    for (int i = 0; i < 2; i++) { // a link to a missing file, and to an existing one
        assert_int_equal(file_write_check("link", &error), STATUS_OK);
        assert_int_equal(file_write("link", &piece, 1, &error), STATUS_OK);
        assert_int_equal(lstat("link", &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(lstat("file", &about), 0);
        assert_int_equal(about.st_size, 3);
    }
    unlink("link");
}

static void test_checks_at_the_start(void **state) {
    (void)state;
    static const char *const bad[] = {"missing/file", "/proc/file", "", "folder/", "folder", "file/below"};
    char name[300];
    struct error error = {0};
    fclose(fopen("file", "w"));
    mkdir("folder", 0700);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(file_write_check(bad[i], &error), STATUS_USAGE);
        assert_non_null(strstr(error.text, ": cannot be written: "));
    }
    assert_int_equal(file_write_check("missing/folder/file", &error), STATUS_USAGE);
    assert_string_equal(error.text,
                        "missing/folder/file: cannot be written: its folder is not there: mkdir -p missing/folder");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(file_write_check(name, &error), STATUS_USAGE);
    assert_int_equal(file_write_check(NULL, &error), STATUS_OK);
    assert_int_equal(file_write_check("/dev/null", &error), STATUS_OK);
    mkdir("-", 0700);
    assert_int_equal(file_write_check("-", &error), STATUS_OK); // standard output, whatever has this name
    rmdir("-");
    assert_int_equal(file_write_check("new", &error), STATUS_OK);
    assert_int_not_equal(access("new", F_OK), 0);
    assert_int_equal(file_write_check("file", &error), STATUS_OK);
    rmdir("folder");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals_leave_nothing),
        cmocka_unit_test(test_links_stay),
        cmocka_unit_test(test_checks_at_the_start),
    };
    return cmocka_run_group_tests_name("file_write", tests, enter_folder, remove_folder);
}
