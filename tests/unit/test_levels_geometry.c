// levels' detectors on published curves, on generated ones, and on noise.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "levels/geometry/detect.h"
#include "tests/unit/published.h"
#include "util/random.h"

enum {
    POINTS_MAX = 2048
};

static bool size_is_right(const struct plateau *plateau, double size) {
    return fabs(plateau->size / size - 1) <= 0.15 || (plateau->low <= size && size <= plateau->high);
}

// ---- Published curves ----

struct published_point {
    char device[64];
    struct curve_point point;
};

static bool parse_point(char *fields[], size_t count, void *row) {
    struct published_point *point = row;
    if (count != 7) {
        return false;
    }
    snprintf(point->device, sizeof point->device, "%s", fields[0]);
    point->point = (struct curve_point){atof(fields[2]), atof(fields[4]), 0};
    return point->point.footprint > 0 && point->point.latency > 0;
}

static size_t curve_of(const char *device, struct curve_point curve[POINTS_MAX]) {
    static struct published_point points[POINTS_MAX];
    const size_t count =
        published_read("results/published/latency.csv", parse_point, points, sizeof points[0], POINTS_MAX);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(points[i].device, device) == 0) {
            curve[found++] = points[i].point;
        }
    }
    return found;
}

// Sizes in KiB. A100: each half of the L2 is near to half of the units. MI300X: the L2 of one XCD, and the Infinity
// Cache.
static void test_published_curves(void **state) {
    (void)state;
    static const struct {
        const char *device;
        double sizes[4];
    } parts[] = {
        {"NVIDIA V100", {128, 6144}},       {"NVIDIA A100 80 GB", {192, 20480, 40960}},
        {"NVIDIA A40", {128, 6144}},        {"AMD Instinct MI100", {16, 8192}},
        {"AMD Instinct MI210", {16, 8192}}, {"AMD Instinct MI300X", {32, 4096, 262144}},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct curve_point curve[POINTS_MAX];
        struct plateau plateaus[PLATEAUS_MAX];
        const size_t found = plateaus_find(curve, curve_of(parts[i].device, curve), plateaus);
        size_t expected = 0;
        for (; expected < 4 && parts[i].sizes[expected] > 0; expected++) {
            if (expected + 1 >= found || !size_is_right(&plateaus[expected], parts[i].sizes[expected])) {
                fail_msg("%s: no level of %g KiB, but %g (%g to %g)", parts[i].device, parts[i].sizes[expected],
                         plateaus[expected].size, plateaus[expected].low, plateaus[expected].high);
            }
            assert_true(plateaus[expected].confidence_pct > 99);
        }
        assert_int_equal(found, expected + 1); // memory, and no other level
        assert_true(plateaus[found - 1].size == 0);
    }
}

// ---- Generated curves ----

static uint64_t random_state;

static double uniform(double low, double high) {
    return low + (high - low) * (double)(mix64(random_state++) >> 11) * 0x1p-53;
}

static double gaussian(double sigma) {
    return sigma * sqrt(-2 * log(uniform(1e-12, 1))) * cos(uniform(0, 6.283185307179586));
}

struct made {
    double sizes[4];
    double latencies[5];
    double widths[4]; // of the rise, as a multiple of the size
    size_t levels;    // number of caches
    double drift;     // log latency over log footprint, as the TLB adds
    double noise;
};

static struct made make_geometry(void) {
    struct made made = {.levels = (size_t)uniform(1, 4.999), .drift = uniform(0, 0.05), .noise = uniform(0, 0.02)};
    double size = exp(uniform(log(8 << 10), log(64 << 10))), latency = uniform(4, 130);
    for (size_t i = 0; i < made.levels; i++) {
        made.sizes[i] = size;
        made.latencies[i] = latency;
        made.widths[i] = uniform(1.05, 1.9);
        size *= exp(uniform(log(6), log(40)));
        latency *= uniform(1.4, 6);
    }
    made.latencies[made.levels] = latency;
    return made;
}

static double made_latency(const struct made *made, double footprint) {
    double latency = made->latencies[0];
    for (size_t i = 0; i < made->levels; i++) {
        const double part = log(footprint / made->sizes[i]) / log(made->widths[i]);
        latency += fmin(fmax(part, 0), 1) * (made->latencies[i + 1] - made->latencies[i]);
    }
    return latency * pow(footprint / 1024, made->drift) * exp(gaussian(made->noise));
}

static size_t make_curve(const struct made *made, struct curve_point curve[POINTS_MAX]) {
    const double last = made->sizes[made->levels - 1] * 64, step = pow(2, 1 / uniform(6, 16));
    size_t count = 0;
    for (double footprint = 1024; footprint < last && count < POINTS_MAX; footprint *= step) {
        curve[count++] = (struct curve_point){footprint, made_latency(made, footprint), 0};
    }
    return count;
}

static void test_made_geometries(void **state) {
    (void)state;
    enum {
        GEOMETRIES = 1000
    };
    size_t levels = 0, found_levels = 0, invented = 0;
    random_state = 1;
    for (int i = 0; i < GEOMETRIES; i++) {
        const struct made made = make_geometry();
        struct curve_point curve[POINTS_MAX];
        struct plateau plateaus[PLATEAUS_MAX];
        const size_t found = plateaus_find(curve, make_curve(&made, curve), plateaus);
        size_t right = 0;
        for (size_t level = 0; level < made.levels; level++) {
            for (size_t k = 0; k + 1 < found; k++) {
                if (size_is_right(&plateaus[k], made.sizes[level])) {
                    right++;
                    break;
                }
            }
        }
        levels += made.levels;
        found_levels += right;
        invented += found > right + 1 ? found - 1 - right : 0;
    }
    print_message("%zu of %zu levels found, %zu invented\n", found_levels, levels, invented);
    assert_true(found_levels >= levels - levels / 100);
    assert_int_equal(invented, 0);
}

static void test_nothing_is_invented(void **state) {
    (void)state;
    random_state = 7;
    for (int i = 0; i < 1000; i++) {
        const double noise = i % 2 ? uniform(0, 0.05) : uniform(0.05, 1); // a plateau, and little but noise
        struct curve_point curve[POINTS_MAX];
        const size_t count = (size_t)uniform(8, 300);
        for (size_t k = 0; k < count; k++) {
            curve[k] = (struct curve_point){1024 * pow(2, 0.1 * (double)k), 100 * exp(gaussian(noise)), 0};
        }
        struct plateau plateaus[PLATEAUS_MAX];
        assert_int_equal(plateaus_find(curve, count, plateaus), 1);
        assert_true(plateaus[0].size == 0 && plateaus[0].latency > 0);
    }
}

static void test_few_points_tell_nothing(void **state) {
    (void)state;
    const struct curve_point curve[] = {{1024, 4, 0}, {2048, 4, 0}, {4096, 14, 0}, {8192, 14, 0}};
    struct plateau plateaus[PLATEAUS_MAX];
    assert_int_equal(plateaus_find(curve, 4, plateaus), 0);
    assert_int_equal(plateaus_find(curve, 0, plateaus), 0);
}

// ---- Disturbed curves ----

// A CPU with three caches, as a chase sees it.
static const struct made cpu_curve = {.sizes = {48 << 10, 1 << 20, 32 << 20},
                                      .latencies = {1, 3.6, 14, 150},
                                      .widths = {1.2, 1.5, 1.5},
                                      .levels = 3,
                                      .drift = 0.01,
                                      .noise = 0.005};

// Another program lengthens all chases of a stretch of the curve.
static void lengthen(struct curve_point *curve, size_t first, size_t count, double factor) {
    for (size_t i = first; i < first + count; i++) {
        curve[i].latency *= factor;
    }
}

static bool is_same(const struct plateau *a, const struct plateau *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (fabs(a[i].latency / b[i].latency - 1) > 0.1 || fabs(a[i].size - b[i].size) > 0.15 * b[i].size) {
            return false;
        }
    }
    return true;
}

// A burst anywhere but at the end of the curve leaves the findings as they are, or takes away their confidence. One at
// the end of a level that stays below the next level's latency looks like a level, so the probe repeats its chases.
static void test_bursts_are_no_levels(void **state) {
    (void)state;
    int wrong = 0, found = 0;
    enum {
        CURVES = 1000
    };
    random_state = 21;
    for (int i = 0; i < CURVES; i++) {
        struct curve_point curve[POINTS_MAX];
        struct plateau undisturbed[PLATEAUS_MAX], plateaus[PLATEAUS_MAX];
        const size_t count = make_curve(&cpu_curve, curve);
        const size_t expected = plateaus_find(curve, count, undisturbed);
        const size_t length = (size_t)uniform(2, 10), first = (size_t)uniform(0, (double)(count - length - 6));
        lengthen(curve, first, length, uniform(1.3, 8));
        const size_t levels = plateaus_find(curve, count, plateaus);
        bool sure = true;
        for (size_t k = 0; k < levels; k++) {
            sure = sure && plateaus[k].confidence_pct >= 50;
        }
        const bool same = levels == expected && is_same(plateaus, undisturbed, levels);
        found += same;
        wrong += sure && levels > expected;
    }
    print_message("%d of %d disturbed curves as undisturbed, %d with a level more\n", found, CURVES, wrong);
    assert_true(found >= CURVES * 9 / 10);
    assert_true(wrong <= CURVES / 50);
}

static void test_disturbed_points_are_named(void **state) {
    (void)state;
    struct curve_point curve[POINTS_MAX];
    bool disturbed[POINTS_MAX];
    random_state = 22;
    const size_t count = make_curve(&cpu_curve, curve);
    assert_int_equal(plateaus_disturbed(curve, count, disturbed), 0);
    lengthen(curve, 10, 4, 3);
    assert_int_equal(plateaus_disturbed(curve, count, disturbed), 4);
    assert_true(disturbed[10] && disturbed[13] && !disturbed[9] && !disturbed[14]);
}

// Where the rises are lost in noise, the nearest level must not be called memory.
static void test_an_unexplained_curve_has_no_memory(void **state) {
    (void)state;
    random_state = 23;
    for (int i = 0; i < 300; i++) {
        struct made noisy = cpu_curve;
        struct curve_point curve[POINTS_MAX];
        struct plateau plateaus[PLATEAUS_MAX];
        noisy.noise = uniform(0.2, 0.8);
        const size_t found = plateaus_find(curve, make_curve(&noisy, curve), plateaus);
        if (found > 0 && plateaus[found - 1].confidence_pct >= 50 && plateaus[found - 1].latency < 50) {
            fail_msg("memory of %g ns at a noise of %g", plateaus[found - 1].latency, noisy.noise);
        }
    }
}

// Points whose own launches differ by more than the rise between two levels tell no level.
static void test_spread_of_points_counts(void **state) {
    (void)state;
    struct curve_point curve[POINTS_MAX];
    struct plateau plateaus[PLATEAUS_MAX];
    const struct made made = {.sizes = {48 << 10}, .latencies = {10, 40}, .widths = {1.2}, .levels = 1};
    const size_t count = make_curve(&made, curve);
    assert_int_equal(plateaus_find(curve, count, plateaus), 2);
    for (size_t i = 0; i < count; i++) {
        curve[i].spread = 0.4;
    }
    assert_int_equal(plateaus_find(curve, count, plateaus), 1);
    assert_true(plateaus[0].confidence_pct == 0);
}

// Two caches of the same latency are one level, and it is the larger one's.
static void test_equal_latencies_are_one_level(void **state) {
    (void)state;
    const struct made made = {.sizes = {48 << 10, 1 << 20, 32 << 20},
                              .latencies = {1, 14, 14, 150},
                              .widths = {1.2, 1.5, 1.2},
                              .levels = 3,
                              .noise = 0.005};
    const struct caches caches = {
        {{"L1", 48 << 10, 64, 1, 1, 12}, {"L2", 1 << 20, 64, 1, 1, 16}, {"L3", 32 << 20, 64, 2, 2, 16}}, 3};
    struct curve_point curve[POINTS_MAX];
    struct plateau plateaus[PLATEAUS_MAX];
    random_state = 24;
    assert_int_equal(plateaus_find(curve, make_curve(&made, curve), plateaus), 3);
    assert_int_equal(geometry_match(&caches, &plateaus[0], 0, 2), 0);
    assert_int_equal(geometry_match(&caches, &plateaus[1], 1, 2), 2);
}

// A virtual machine may hide its caches.
static void test_undocumented_caches_match_nothing(void **state) {
    (void)state;
    const struct caches none = {0};
    const struct plateau plateau = {.size = 48 << 10, .low = 46 << 10, .high = 50 << 10};
    assert_int_equal(geometry_match(&none, &plateau, 0, 2), SIZE_MAX);
    assert_int_equal(geometry_compare_size(&plateau, 0), FINDING_NOT_KNOWN);
}

// ---- Conclusions from plateaus and pairs ----

static void test_sizes_are_compared(void **state) {
    (void)state;
    const struct plateau plateau = {.size = 100, .low = 95, .high = 140};
    assert_int_equal(geometry_compare_size(&plateau, 114), FINDING_AGREES); // within 15 %
    assert_int_equal(geometry_compare_size(&plateau, 139), FINDING_AGREES); // in the interval
    assert_int_equal(geometry_compare_size(&plateau, 141), FINDING_DIFFERS);
    assert_int_equal(geometry_compare_size(&plateau, 80), FINDING_DIFFERS);
    assert_int_equal(geometry_compare_size(&plateau, 0), FINDING_NOT_KNOWN);
    const struct plateau gradual = {.size = 435085, .low = 370816, .high = 1482880};
    assert_int_equal(geometry_compare_size(&gradual, 1 << 20), FINDING_DIFFERS);
    assert_true(geometry_is_gradual(&gradual) && !geometry_is_gradual(&plateau));
}

// Nothing exceeds a peak.
static void test_bandwidths_are_compared(void **state) {
    (void)state;
    assert_int_equal(geometry_compare_bandwidth(4570, 4800), FINDING_AGREES);
    assert_int_equal(geometry_compare_bandwidth(4000, 4800), FINDING_DIFFERS);
    assert_int_equal(geometry_compare_bandwidth(4801, 4800), FINDING_DIFFERS);
    assert_int_equal(geometry_compare_bandwidth(4570, 0), FINDING_NOT_KNOWN);
}

static void test_plateaus_find_their_cache(void **state) {
    (void)state;
    const struct caches caches = {{{"L1", 128, 64, 1, 0, 0}, {"L2", 4096, 64, 0, 0, 0}}, 2};
    const struct plateau small = {.size = 125, .low = 120, .high = 130};
    const struct plateau other = {.size = 1000, .low = 900, .high = 1100};
    assert_int_equal(geometry_match(&caches, &small, 0, 3), 0);
    assert_int_equal(geometry_match(&caches, &other, 1, 2), 1);        // differs from the second of two
    assert_int_equal(geometry_match(&caches, &other, 1, 3), SIZE_MAX); // with three caches the match is unknown
}

static void test_granularity(void **state) {
    (void)state;
    const double distances[] = {8, 16, 32, 64, 128};
    const double seconds[] = {32, 32, 280, 281, 280}; // next to an H200's L1
    double confidence;
    assert_true(geometry_granularity(distances, seconds, 5, 32, 280, &confidence) == 32);
    assert_true(confidence > 99);
    const double served[] = {32, 32, 32, 32, 33};
    assert_true(geometry_granularity(distances, served, 5, 32, 280, &confidence) == 0);
    const double unclear[] = {32, 32, 170, 150, 280};
    geometry_granularity(distances, unclear, 5, 32, 280, &confidence);
    assert_true(confidence < 50);
}

// ---- Ways, sharing, page reach ----

enum {
    WAYS_POINTS = 27
};
static const double set_elements[WAYS_POINTS] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 28, 32, 40, 48};

// Lines of one set in a turn: those beyond the ways push others out, all of them (LRU) or a share of them.
static double set_latency(double elements, double ways, bool lru, double near, double hit, double miss, double noise) {
    const double missing = elements <= ways ? 0 : lru ? 1 : fmin(1, 2 * (elements - ways) / elements + 0.25);
    const double hits = elements <= ways / 2 ? near : hit; // a nearer cache may still answer
    return (hits + missing * (miss - hits)) * exp(gaussian(noise));
}

static void test_made_ways(void **state) {
    (void)state;
    static const double all_ways[] = {2, 4, 6, 8, 10, 12, 16, 20};
    int right = 0, wrong = 0;
    enum {
        SETS = 1000
    };
    random_state = 11;
    for (int i = 0; i < SETS; i++) {
        const double ways = all_ways[(size_t)uniform(0, 7.999)], hit = uniform(4, 300), miss = hit * uniform(1.8, 6);
        const double noise = uniform(0, 0.02), near = hit * uniform(0.3, 1);
        double latencies[WAYS_POINTS], confidence;
        for (size_t k = 0; k < WAYS_POINTS; k++) {
            latencies[k] = set_latency(set_elements[k], ways, i % 2 == 0, near, hit, miss, noise);
        }
        const double found = geometry_ways(set_elements, latencies, WAYS_POINTS, hit, miss, &confidence);
        right += found == ways && confidence >= 50;
        wrong += found != ways && found > 0 && confidence >= 50;
    }
    print_message("%d of %d ways found, %d wrong\n", right, SETS, wrong);
    assert_true(right >= SETS / 100 * 99);
    assert_int_equal(wrong, 0);
}

// Where addresses are hashed, lines that are far apart fill all sets: all hit, or more miss by chance as there are
// more.
static void test_no_ways_are_invented(void **state) {
    (void)state;
    random_state = 12;
    for (int i = 0; i < 1000; i++) {
        const double hit = uniform(4, 300), miss = hit * uniform(1.8, 6), scatter = uniform(0, 0.15);
        const double drift = i % 2 ? uniform(0, 0.6) : 0;
        double latencies[WAYS_POINTS], confidence;
        for (size_t k = 0; k < WAYS_POINTS; k++) {
            latencies[k] = (hit + drift * set_elements[k] / 48 * (miss - hit)) * exp(gaussian(scatter));
        }
        const double found = geometry_ways(set_elements, latencies, WAYS_POINTS, hit, miss, &confidence);
        assert_true(found == 0 || confidence < 50);
    }
}

static void test_lines(void **state) {
    static const double distances[] = {256, 128, 64, 32};
    static const double of_128[] = {281, 525, 683, 600}, of_64[] = {4, 4, 4.2, 14}, noisy[] = {4, 14, 4, 4};
    double confidence;
    (void)state;
    assert_true(geometry_unskipped(distances, of_128, 4, 525, 683, &confidence) == 64); // the nearest share a fetch
    assert_true(confidence > 90);
    assert_true(geometry_unskipped(distances, of_64, 4, 4, 14, &confidence) == 32);
    assert_true(confidence > 90);
    geometry_unskipped(distances, noisy, 4, 4, 14, &confidence); // nearer elements hit again
    assert_true(confidence == 0);
    assert_true(geometry_unskipped(distances, of_64, 3, 4, 14, &confidence) == 0); // all skip lines
    static const double missed[] = {5.1, 5.2, 5, 5.1};
    assert_true(geometry_unskipped(distances, missed, 4, 3.6, 5.1, &confidence) == 0); // none does
    assert_true(confidence == 0);
}

static void test_sharing(void **state) {
    (void)state;
    double confidence;
    assert_false(geometry_is_shared(10, 10.2, 30, &confidence));
    assert_true(confidence > 90);
    assert_true(geometry_is_shared(10, 25, 30, &confidence));
    assert_true(confidence > 99);
    geometry_is_shared(10, 15.5, 30, &confidence); // near the limit
    assert_true(confidence < 50);
    geometry_is_shared(30, 40, 20, &confidence); // what must be slower is not
    assert_true(confidence == 0);
}

static void test_sharing_units(void **state) {
    // Of an H200: a unit's own L1, units of the same part of the L2, and of the other part.
    static const double latencies[] = {32.0, 269.6, 276.0, 283.1, 288.2, 300.2, 355.7, 362.7, 369.1, 374.8, 386.5};
    enum {
        UNITS = sizeof latencies / sizeof latencies[0]
    };
    static const double cloud[] = {30, 35, 40, 45, 50, 55, 60};
    double confidence;
    (void)state;
    assert_int_equal(geometry_sharers(latencies, UNITS, 32, 272.6, &confidence), 1);
    assert_true(confidence > 99);
    assert_int_equal(geometry_sharers(latencies + 1, UNITS - 1, 272.6, 517.6, &confidence), 5);
    assert_true(confidence > 95);
    assert_int_equal(geometry_sharers(latencies, UNITS, 517.6, 676.5, &confidence), UNITS);
    assert_true(confidence > 90);
    geometry_sharers(cloud, 7, 32, 80, &confidence); // no two groups
    assert_true(confidence < 50);
    geometry_sharers(latencies, UNITS, 30, 20, &confidence); // what must be slower is not
    assert_true(confidence == 0);
}

static void test_confidence_of_a_median(void **state) {
    (void)state;
    assert_true(geometry_confidence(0.001, 10) > 99.9);
    assert_true(geometry_confidence(0.5, 10) < 50);
    assert_true(geometry_confidence(0.1, 100) > geometry_confidence(0.1, 10));
}

// On a CPU the shortest sample counts, if others confirm it.
static void test_confidence_of_the_shortest(void **state) {
    (void)state;
    double alike[] = {100, 101, 102, 103, 100, 101, 102, 103}, alone[] = {50, 100, 101, 102, 103, 104, 105, 106};
    double few[] = {40000000, 40010000, 40020000};
    const struct statistics confirmed = statistics_of(alike, 8), single = statistics_of(alone, 8);
    const struct statistics waited = statistics_of(few, 3);
    assert_true(geometry_confidence_of_shortest(&confirmed, 8, 0) > 99);
    assert_true(geometry_confidence_of_shortest(&confirmed, 8, NAN) > 99);
    assert_true(geometry_confidence_of_shortest(&single, 8, 0) == 0);
    assert_true(geometry_confidence_of_shortest(&waited, 3, 0) < 90);  // three samples prove little
    assert_true(geometry_confidence_of_shortest(&waited, 3, 97) < 10); // and nothing if the threads waited
}

static void test_no_level_is_slower_than_the_next(void **state) {
    (void)state;
    assert_true(geometry_is_slower(0.64, 17.7));
    assert_false(geometry_is_slower(9615, 4657));
    assert_false(geometry_is_slower(8200, 8387)); // within what measurements differ by
    assert_false(geometry_is_slower(0, 17.7));    // not measured
    assert_false(geometry_is_slower(0.64, 0));
}

static void test_scatter_takes_confidence(void **state) {
    (void)state;
    assert_true(geometry_clear_pct(90, 4, 14, 0) == 90);
    assert_true(geometry_clear_pct(90, 4, 14, 2.5) == 45);
    assert_true(geometry_clear_pct(90, 4, 14, 9) == 0);
    assert_true(geometry_clear_pct(90, 14, 4, 0) == 0);
}

// Entries of one page size each: what a level of the TLB adds shows as a rise like a cache's.
static void test_made_page_reaches(void **state) {
    (void)state;
    enum {
        TLBS = 1000
    };
    int right = 0, invented = 0;
    random_state = 13;
    for (int i = 0; i < TLBS; i++) {
        const double first = round(exp(uniform(log(32), log(128)))), second = round(first * uniform(10, 40));
        const double hit = uniform(4, 6), walk = uniform(15, 40), noise = uniform(0, 0.01), page = 4096;
        struct curve_point curve[POINTS_MAX];
        struct plateau plateaus[PLATEAUS_MAX];
        size_t count = 0;
        for (double elements = 16; elements <= 16384; elements = round(elements * exp2(0.25) + 0.5)) {
            const double over = fmin(fmax((elements - first) / (0.3 * first), 0), 1) * 7 +
                                fmin(fmax((elements - second) / (0.5 * second), 0), 1) * walk;
            curve[count++] = (struct curve_point){elements * page, (hit + over) * exp(gaussian(noise)), 0};
        }
        const size_t found = plateaus_find(curve, count, plateaus);
        right += found == 3 && size_is_right(&plateaus[0], first * page) && size_is_right(&plateaus[1], second * page);
        invented += found > 3;
    }
    print_message("%d of %d page reaches found, %d invented\n", right, TLBS, invented);
    assert_true(right >= TLBS / 100 * 99);
    assert_int_equal(invented, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_curves),
        cmocka_unit_test(test_made_geometries),
        cmocka_unit_test(test_nothing_is_invented),
        cmocka_unit_test(test_few_points_tell_nothing),
        cmocka_unit_test(test_bursts_are_no_levels),
        cmocka_unit_test(test_disturbed_points_are_named),
        cmocka_unit_test(test_an_unexplained_curve_has_no_memory),
        cmocka_unit_test(test_spread_of_points_counts),
        cmocka_unit_test(test_equal_latencies_are_one_level),
        cmocka_unit_test(test_undocumented_caches_match_nothing),
        cmocka_unit_test(test_sizes_are_compared),
        cmocka_unit_test(test_bandwidths_are_compared),
        cmocka_unit_test(test_plateaus_find_their_cache),
        cmocka_unit_test(test_granularity),
        cmocka_unit_test(test_made_ways),
        cmocka_unit_test(test_no_ways_are_invented),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_sharing_units),
        cmocka_unit_test(test_confidence_of_a_median),
        cmocka_unit_test(test_confidence_of_the_shortest),
        cmocka_unit_test(test_no_level_is_slower_than_the_next),
        cmocka_unit_test(test_scatter_takes_confidence),
        cmocka_unit_test(test_made_page_reaches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
