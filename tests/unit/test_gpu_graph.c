// Graphs of launches on the CUDA and HIP backends, on a fake driver (tests/fakes/fake.h).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/gpu_fixture.h"

// A device with a second stream and events for the way there and back.
struct bench {
    struct device *device;
    struct kernel *kernel;
    struct stream *beside;
    struct event *there, *back;
    uint64_t words;
};

static struct bench set_up(const struct expected *expected) {
    struct bench b = {.device = open_numbered(expected, 0)};
    struct error error = {0};
    b.kernel = build(b.device, "add");
    b.words = allocate_words(b.device);
    assert_ok(device_stream_create(b.device, STREAM_FIRST, &b.beside, &error), &error);
    assert_ok(device_event_create(b.device, &b.there, &error), &error);
    assert_ok(device_event_create(b.device, &b.back, &error), &error);
    return b;
}

static void tear_down(struct bench *b) {
    device_event_destroy(b->device, b->there);
    device_event_destroy(b->device, b->back);
    device_stream_destroy(b->device, b->beside);
    device_discard(b->device, b->kernel);
    device_release(b->device, b->words);
    device_close(b->device);
}

// An addition in the default stream, one in the other stream, and one more after it.
static enum status work(struct bench *b, bool joins, struct error *error) {
    enum status status = launch_add(b->device, b->kernel, b->words, 4, error);
    if (status == STATUS_OK) {
        status = device_event_record(b->device, b->there, error);
    }
    if (status == STATUS_OK) {
        status = device_event_wait_in(b->device, b->beside, b->there, error);
    }
    if (status == STATUS_OK) {
        status = launch_add_in(b->device, b->beside, b->kernel, b->words, 13, error);
    }
    if (status == STATUS_OK && joins) {
        status = device_event_record_in(b->device, b->beside, b->back, error);
    }
    if (status == STATUS_OK && joins) {
        status = device_event_wait_in(b->device, NULL, b->back, error);
    }
    return status == STATUS_OK ? launch_add(b->device, b->kernel, b->words, 103, error) : status;
}

static struct launch_graph *record(struct bench *b, bool joins) {
    struct launch_graph *graph = NULL;
    struct error error = {0};
    assert_ok(device_capture_begin(b->device, &error), &error);
    assert_ok(work(b, joins, &error), &error);
    assert_int_equal(device_capture_end(b->device, &graph, &error), joins ? STATUS_OK : STATUS_FAILED);
    error_clear(&error);
    return graph;
}

// Recording does nothing yet. Each launch does all of it, after what came before in the stream; -3 is the constant.
static void test_does_recorded_work(void **state) {
    static const char *const orders[] = {NULL, "lazy", "3"};
    struct bench b = set_up(*state);
    struct error error = {0};
    uint32_t first = 0;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (orders[i]) {
            setenv("FAKE_ORDER", orders[i], 1);
        }
        struct launch_graph *graph = record(&b, true);
        assert_words(b.device, b.words, first);
        for (int launch = 0; launch < 2; launch++) {
            assert_ok(device_graph_launch(b.device, graph, &error), &error);
            first += 1 + 10 + 100;
        }
        assert_words(b.device, b.words, first);
        device_graph_destroy(b.device, graph);
        assert_ok(work(&b, true, &error), &error); // the streams and events work as before
        first += 1 + 10 + 100;
        assert_words(b.device, b.words, first);
    }
    unsetenv("FAKE_ORDER");
    device_graph_destroy(b.device, NULL);
    tear_down(&b);
}

static void test_refuses_what_cannot_be_recorded(void **state) {
    struct bench b = set_up(*state);
    struct error error = {0};
    struct launch_graph *graph = NULL;
    assert_null(record(&b, false)); // the default stream does not wait for the other one
    assert_ok(device_event_record_in(b.device, b.beside, b.back, &error), &error);
    assert_ok(device_capture_begin(b.device, &error), &error);
    assert_int_equal(device_event_wait_in(b.device, NULL, b.back, &error), STATUS_FAILED); // recorded before
    assert_int_equal(device_capture_end(b.device, &graph, &error), STATUS_FAILED);
    assert_null(graph);
    assert_ok(device_capture_begin(b.device, &error), &error);
    assert_int_equal(device_synchronize(b.device, &error), STATUS_FAILED); // nothing runs that could end
    assert_int_equal(device_capture_end(b.device, &graph, &error), STATUS_FAILED);
    assert_words(b.device, b.words, 0);
    tear_down(&b);
}

static void test_says_why_the_driver_refuses(void **state) {
    struct bench b = set_up(*state);
    struct error error = {0};
    struct launch_graph *graph = NULL;
    setenv("FAKE_FAIL", "graph", 1);
    assert_int_equal(device_capture_begin(b.device, &error), STATUS_FAILED);
    assert_contains(error.text, "beginning to record launches failed");
    unsetenv("FAKE_FAIL");
    assert_ok(device_capture_begin(b.device, &error), &error);
    assert_ok(work(&b, true, &error), &error);
    setenv("FAKE_FAIL", "graph", 1);
    assert_int_equal(device_capture_end(b.device, &graph, &error), STATUS_FAILED);
    assert_contains(error.text, "making a graph of launches failed");
    unsetenv("FAKE_FAIL");
    graph = record(&b, true);
    setenv("FAKE_FAIL", "graph", 1);
    assert_int_equal(device_graph_launch(b.device, graph, &error), STATUS_FAILED);
    assert_contains(error.text, "launching a graph failed");
    unsetenv("FAKE_FAIL");
    assert_words(b.device, b.words, 0);
    device_graph_destroy(b.device, graph);
    tear_down(&b);
}

// The CPU has no graphs.
static void test_knows_who_has_graphs(void **state) {
    struct device *device = open_numbered(*state, 0), *cpu = NULL;
    struct error error = {0};
    assert_ok(device_open("cpu", &cpu, &error), &error);
    assert_true(device_has_graphs(device));
    assert_false(device_has_graphs(cpu));
    device_close(device);
    device_close(cpu);
}

static int run(enum backend_kind kind, const struct expected *expected) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_does_recorded_work, (void *)(uintptr_t)expected),
        cmocka_unit_test_prestate(test_refuses_what_cannot_be_recorded, (void *)(uintptr_t)expected),
        cmocka_unit_test_prestate(test_says_why_the_driver_refuses, (void *)(uintptr_t)expected),
        cmocka_unit_test_prestate(test_knows_who_has_graphs, (void *)(uintptr_t)expected),
    };
    return backend_of(kind)->missing ? 0 : cmocka_run_group_tests_name(expected->name, tests, NULL, NULL);
}

int main(int argc, char **argv) {
    (void)argc;
    set_up_fakes(*argv);
    return run(BACKEND_CUDA, &cuda) + run(BACKEND_HIP, &hip);
}
