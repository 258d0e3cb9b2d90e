// Memory of simulated devices.
#include "sim/memory.h"
#include "tests/unit/sim_fixture.h"

static void memory_is_poisoned_and_bounded(void **state) {
    (void)state;
    struct error error = {0};
    struct device *device = open_sim("h200");
    uint64_t large, more;
    uint8_t bytes[4];
    uint64_t free_before = device->info.memory_free_bytes;
    must(device_allocate(device, 60ull << 30, &large, &error), &error);
    download(device, bytes, large + (59ull << 30) + 5, sizeof bytes);
    assert_memory_equal(bytes, "\xff\xff\xff\xff", 4);
    must(device_fill(device, large, 0x5a, 60ull << 30, &error), &error);
    download(device, bytes, large + (60ull << 30) - 4, sizeof bytes);
    assert_memory_equal(bytes, "ZZZZ", 4);
    must(device_copy_to_device(device, large + 100, "abc", 3, &error), &error);
    download(device, bytes, large + 100, sizeof bytes);
    assert_memory_equal(bytes, "abcZ", 4);
    assert_int_equal(device_allocate(device, 120ull << 30, &more, &error), STATUS_FAILED);
    assert_non_null(strstr(error.text, "out of memory"));
    assert_int_equal(device_copy_to_host(device, bytes, large - 1, 2, &error), STATUS_FAILED);
    device_release(device, large);
    must(device_allocate(device, 120ull << 30, &more, &error), &error);
    device_release(device, more);
    assert_int_equal(device->info.memory_free_bytes, free_before);
    assert_int_equal(device_copy_to_host(device, bytes, large, 2, &error), STATUS_FAILED);
    device_close(device);
}

// Where a buffer lies depends on the buffers that are there, not on those that were: else a row would depend on the
// rows before it.
static void a_buffer_takes_the_lowest_free_place(void **state) {
    (void)state;
    struct sim_memory memory = {.bytes = 1 << 30};
    struct error error = {0};
    uint64_t first, second, third, fourth;
    must(sim_memory_allocate(&memory, 3 << 20, &first, &error), &error);
    must(sim_memory_allocate(&memory, 1, &second, &error), &error);
    const uint64_t place = sim_memory_find(&memory, first, 1)->device_address;
    assert_int_equal(sim_memory_find(&memory, second, 1)->device_address, place + (4 << 20));
    sim_memory_release(&memory, first);
    must(sim_memory_allocate(&memory, 5 << 20, &third, &error), &error);
    assert_int_equal(sim_memory_find(&memory, third, 1)->device_address, place + (6 << 20));
    must(sim_memory_allocate(&memory, 4 << 20, &fourth, &error), &error);
    assert_int_equal(sim_memory_find(&memory, fourth, 1)->device_address, place);
    sim_memory_release_all(&memory);
}

// A page that becomes large keeps its content, and only one that follows filled memory becomes large.
static void large_pages_keep_their_content(void **state) {
    (void)state;
    enum {
        PAGES = 40,
        BYTES = PAGES * SIM_LARGE_PAGE
    };
    struct sim_memory memory = {.bytes = BYTES};
    struct error error = {0};
    uint64_t address;
    must(sim_memory_allocate(&memory, BYTES, &address, &error), &error);
    struct sim_buffer *buffer = &memory.buffers[0];
    unsigned char *bytes = (unsigned char *)(uintptr_t)address;
    assert_int_equal(sim_bitmap_create(&buffer->written, BYTES), STATUS_OK);
    bytes[SIM_LARGE_PAGE + 77] = 5;
    for (uint64_t at = 64; at < 2 * SIM_LARGE_PAGE; at += 64) {
        sim_memory_note_store(buffer, at, 1);
        bytes[at] = 1;
    }
    sim_memory_note_store(buffer, (PAGES - 1) * SIM_LARGE_PAGE, 1);
    assert_true(!buffer->large[0] && buffer->large[1] && !buffer->large[2] && !buffer->large[PAGES - 1]);
    assert_true(bytes[SIM_LARGE_PAGE + 77] == 5 && bytes[SIM_LARGE_PAGE] == 1 && bytes[SIM_LARGE_PAGE + 1] == 0xff);
    sim_memory_release_all(&memory);
}

static void several_devices(void **state) {
    (void)state;
    struct error error = {0};
    struct device *one = open_sim("h200"), *two = open_sim("h200"), *other = open_sim("mi210");
    uint32_t found[64];
    uint64_t a = allocate(one, 256), b = allocate(two, 256), c = allocate(other, 256);
    RUN(one, "tests/data/kernels/sim_faults.cu", "fine", one_block(64), POINTER(a));
    RUN(other, "tests/data/kernels/sim_faults.cu", "fine", one_block(32), POINTER(c));
    must(device_copy_to_peer_in(one, NULL, a, two, b, 256, &error), &error);
    download(two, found, b, sizeof found);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(found[i], i);
    }
    assert_int_equal(device_copy_to_peer_in(one, NULL, a, two, a, 256, &error), STATUS_FAILED);
    device_close(one);
    device_close(two);
    device_close(other);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_poisoned_and_bounded),
        cmocka_unit_test(a_buffer_takes_the_lowest_free_place),
        cmocka_unit_test(large_pages_keep_their_content),
        cmocka_unit_test(several_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
    return for_each_compiler(run_all);
}
