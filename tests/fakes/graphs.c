// Graphs of launches: streams record work, and do it at each launch of the graph.
#include "tests/fakes/fake.h"

#include <stdlib.h>
#include <string.h>

enum {
    STREAMS_MAX = 8,
    EVENTS_MAX = 1024
};

// How much of each stream's work comes before a point.
struct order {
    uint64_t before[STREAMS_MAX];
};

struct node {
    size_t stream; // number of the stream that recorded it
    struct work work;
    struct node *next;
};

struct fake_graph {
    uint64_t id, launches;
    struct node *first, *last;
    struct fake_stream *recording[STREAMS_MAX]; // the first one began
    struct fake_stream *doing[STREAMS_MAX];     // each stands for one of these; the first is the one of the launch
    struct order now[STREAMS_MAX];
    size_t stream_count;
    struct fake_event *events[EVENTS_MAX];
    struct order recorded[EVENTS_MAX];
    size_t event_count;
    bool failed;
};

static struct fake_graph *current; // that is being recorded

int fake_stream_create(struct fake_stream **stream, unsigned flags) NAMED("cuStreamCreate", "hipStreamCreateWithFlags");
int fake_stream_destroy(struct fake_stream *stream) NAMED("cuStreamDestroy_v2", "hipStreamDestroy");

static size_t number_of(const struct fake_stream *stream) {
    size_t number = 0;
    while (current->recording[number] != stream) {
        number++;
    }
    return number;
}

static int append(size_t stream, struct work work) {
    struct node *node = calloc(1, sizeof *node);
    if (!node) {
        return FAKE_OUT_OF_MEMORY;
    }
    *node = (struct node){.stream = stream, .work = work};
    *(current->first ? &current->last->next : &current->first) = node;
    current->last = node;
    return FAKE_SUCCESS;
}

static void add_stream(struct fake_stream *stream) {
    stream->graph = current;
    current->recording[current->stream_count++] = stream;
}

int fake_record_fault(struct fake_stream *stream) {
    stream->graph->failed = true;
    return FAKE_INVALID_VALUE;
}

int fake_record_work(struct fake_stream *stream, struct work work) {
    const size_t number = number_of(stream);
    current->now[number].before[number]++;
    return append(number, work);
}

int fake_record_event(struct fake_stream *stream, struct fake_event *event) {
    const size_t number = number_of(stream);
    struct fake_event *own = calloc(1, sizeof *own);
    if (!own || current->event_count == EVENTS_MAX) {
        free(own);
        return fake_record_fault(stream);
    }
    own->device = event->device;
    event->graph = current->id;
    event->number = current->event_count++;
    current->events[event->number] = own;
    current->recorded[event->number] = current->now[number];
    return append(number, (struct work){RECORD, .event = own});
}

int fake_record_wait(struct fake_stream *stream, struct fake_event *event) {
    if (!current || event->graph != current->id) {
        return stream->graph ? fake_record_fault(stream) : FAKE_INVALID_VALUE;
    }
    if (!stream->graph && current->stream_count < STREAMS_MAX) {
        add_stream(stream);
    }
    const size_t number = number_of(stream);
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        const uint64_t before = current->recorded[event->number].before[i];
        uint64_t *known = &current->now[number].before[i];
        *known = before > *known ? before : *known;
    }
    return append(number, (struct work){WAIT, .event = current->events[event->number]});
}

int fake_capture_begin(struct fake_stream *stream, int mode) NAMED("cuStreamBeginCapture_v2", "hipStreamBeginCapture");
int fake_capture_begin(struct fake_stream *stream, int mode) {
    static uint64_t id;
    if (fake_usable() != FAKE_SUCCESS || current || mode != 1 || fake_fails("graph")) {
        return fake_usable() != FAKE_SUCCESS ? (int)fake_usable() : FAKE_INVALID_VALUE;
    }
    current = calloc(1, sizeof *current);
    if (!current) {
        return FAKE_OUT_OF_MEMORY;
    }
    current->id = ++id;
    add_stream(stream);
    return FAKE_SUCCESS;
}

static void destroy(struct fake_graph *graph) {
    fake_finish_all();
    for (size_t i = 1; i < graph->stream_count; i++) {
        if (graph->doing[i]) {
            fake_stream_destroy(graph->doing[i]);
        }
    }
    for (size_t i = 0; i < graph->event_count; i++) {
        free(graph->events[i]);
    }
    for (struct node *node = graph->first, *next; node; node = next) {
        next = node->next;
        free(node);
    }
    free(graph);
}

// Whether the work of every stream comes before the end of the first one.
static bool is_joined(const struct fake_graph *graph) {
    bool joined = true;
    for (size_t i = 1; i < graph->stream_count; i++) {
        joined = joined && graph->now[0].before[i] == graph->now[i].before[i];
    }
    return joined;
}

int fake_capture_end(struct fake_stream *stream, struct fake_graph **made)
    NAMED("cuStreamEndCapture", "hipStreamEndCapture");
int fake_capture_end(struct fake_stream *stream, struct fake_graph **made) {
    struct fake_graph *graph = current;
    *made = NULL;
    if (!graph || stream != graph->recording[0]) {
        return FAKE_INVALID_VALUE;
    }
    for (size_t i = 0; i < graph->stream_count; i++) {
        graph->recording[i]->graph = NULL;
    }
    current = NULL;
    if (fake_fails("graph") || graph->failed || !is_joined(graph)) {
        destroy(graph);
        return FAKE_INVALID_VALUE;
    }
    *made = graph;
    return FAKE_SUCCESS;
}

// The executable graph takes everything over.
int fake_instantiate(struct fake_graph **executable, struct fake_graph *graph, unsigned long long flags)
    NAMED("cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags");
int fake_instantiate(struct fake_graph **executable, struct fake_graph *graph, unsigned long long flags) {
    struct fake_graph *made = flags != 8 || fake_fails("graph") ? NULL : calloc(1, sizeof *made);
    *executable = made;
    if (!made) {
        return FAKE_OUT_OF_MEMORY;
    }
    *made = *graph;
    memset(graph, 0, sizeof *graph);
    int result = FAKE_SUCCESS;
    for (size_t i = 1; i < made->stream_count && result == FAKE_SUCCESS; i++) {
        result = fake_stream_create(&made->doing[i], 0);
    }
    return result;
}

int fake_graph_launch(struct fake_graph *graph, struct fake_stream *stream) NAMED("cuGraphLaunch", "hipGraphLaunch");
int fake_graph_launch(struct fake_graph *graph, struct fake_stream *stream) {
    int result = fake_fails("graph") ? FAKE_INVALID_VALUE : (int)fake_usable();
    graph->doing[0] = stream;
    graph->launches++;
    for (const struct node *node = graph->first; node && result == FAKE_SUCCESS; node = node->next) {
        struct work work = node->work;
        if (work.kind == RECORD || work.kind == WAIT) {
            work.record = graph->launches;
        }
        if (work.kind == RECORD) {
            work.event->asked = graph->launches;
        }
        result = fake_enqueue(graph->doing[node->stream], work);
    }
    return result;
}

int fake_graph_destroy(struct fake_graph *graph) NAMED("cuGraphDestroy", "hipGraphDestroy");
int fake_graph_destroy(struct fake_graph *graph) {
    destroy(graph);
    return FAKE_SUCCESS;
}

int fake_executable_destroy(struct fake_graph *executable) NAMED("cuGraphExecDestroy", "hipGraphExecDestroy");
int fake_executable_destroy(struct fake_graph *executable) {
    destroy(executable);
    return FAKE_SUCCESS;
}
