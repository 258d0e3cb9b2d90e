// NCCL and RCCL, which have the same interface. Processes send each other files: broadcast N of a group is the file N
// in the folder that the group's id names.
#include "tests/fakes/fake.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    UNHANDLED = 1,
    INVALID_USAGE = 5,
    REMOTE = 6,
    INT32 = 2,
    ID_BYTES = 128
};

struct id {
    char folder[ID_BYTES];
};

struct communicator {
    struct id id;
    int member, count, device;
    uint64_t broadcasts, under_way;
    int fault;
    bool aborted;
};

struct broadcast {
    struct communicator *communicator;
    char *words;
    size_t bytes;
    uint64_t number;
    bool sends, fails, dies;
};

static void path_of(const struct communicator *c, const char *kind, uint64_t number, char path[ID_BYTES + 64]) {
    snprintf(path, ID_BYTES + 64, "%s/%s%llu", c->id.folder, kind, (unsigned long long)number);
}

// The file appears when it is complete.
static void write_file(const struct communicator *c, const char *kind, uint64_t number, const void *from,
                       size_t bytes) {
    char path[ID_BYTES + 64], unfinished[ID_BYTES + 64];
    path_of(c, kind, number, path);
    path_of(c, "unfinished", number, unfinished);
    FILE *file = fopen(unfinished, "w");
    if (!file || fwrite(from, 1, bytes, file) != bytes || fclose(file) != 0 || rename(unfinished, path) != 0) {
        fprintf(stderr, "fake NCCL: %s cannot be written\n", path);
        abort();
    }
}

static bool read_file(const struct communicator *c, const char *kind, uint64_t number, void *to, size_t bytes) {
    char path[ID_BYTES + 64];
    path_of(c, kind, number, path);
    FILE *file = fopen(path, "r");
    if (!file) {
        return false;
    }
    const bool read = fread(to, 1, bytes, file) == bytes;
    fclose(file);
    return read;
}

int fake_nccl_version(int *version) __asm__("ncclGetVersion");
int fake_nccl_version(int *version) {
    *version = fake_setting("FAKE_NCCL_VERSION", 22809);
    return FAKE_SUCCESS;
}

const char *fake_nccl_error(int result) __asm__("ncclGetErrorString");
const char *fake_nccl_error(int result) {
    return result == INVALID_USAGE ? "invalid usage" : result == REMOTE ? "remote error" : "unhandled cuda error";
}

int fake_nccl_id(struct id *id) __asm__("ncclGetUniqueId");
int fake_nccl_id(struct id *id) {
    const char *folder = getenv("TMPDIR");
    snprintf(id->folder, sizeof id->folder, "%s/bankshot-fake-nccl.XXXXXX", folder ? folder : "/tmp");
    return mkdtemp(id->folder) ? FAKE_SUCCESS : UNHANDLED;
}

// As with NCCL, no two members may be on one device.
int fake_nccl_join(struct communicator **joined, int count, struct id id, int member) __asm__("ncclCommInitRank");
int fake_nccl_join(struct communicator **joined, int count, struct id id, int member) {
    struct communicator *c = calloc(1, sizeof *c);
    int devices[DEVICES_MAX], result = FAKE_SUCCESS;
    if (!c || count > DEVICES_MAX || fake_fails("join")) {
        free(c);
        return UNHANDLED;
    }
    *c = (struct communicator){.id = id, .member = member, .count = count, .device = fake_current};
    write_file(c, "member", (uint64_t)member, &fake_current, sizeof fake_current);
    for (int i = 0; i < count; i++) {
        while (!read_file(c, "member", (uint64_t)i, &devices[i], sizeof devices[i])) {
            usleep(100);
        }
        for (int other = 0; other < i; other++) {
            result = devices[other] == devices[i] ? INVALID_USAGE : result;
        }
    }
    if (result != FAKE_SUCCESS) {
        free(c);
        c = NULL;
    }
    *joined = c;
    return result;
}

// ---- Broadcasts ----

// An aborted group stays until its broadcasts have left their streams.
static void release(struct communicator *c) {
    if (c->under_way == 0) {
        free(c);
    }
}

static bool is_ready(void *context) {
    const struct broadcast *b = context;
    char path[ID_BYTES + 64];
    path_of(b->communicator, "", b->number, path);
    return b->sends || b->communicator->aborted || access(path, R_OK) == 0;
}

// The process dies while the others wait for what it sends. A file in its working folder tells when.
static void die(const struct communicator *c) {
    write_file(c, "killed", c->broadcasts, &c->member, sizeof c->member);
    raise(SIGKILL);
}

static void transfer(void *context) {
    struct broadcast *b = context;
    struct communicator *c = b->communicator;
    if (b->dies) {
        die(c);
    }
    if (c->aborted) {
        // nothing is sent or received
    } else if (b->fails) {
        c->fault = REMOTE;
    } else if (b->sends) {
        write_file(c, "", b->number, b->words, b->bytes);
    } else if (!read_file(c, "", b->number, b->words, b->bytes)) {
        fprintf(stderr, "fake NCCL: members broadcast different sizes\n");
        abort();
    }
    c->under_way--;
    free(b);
    if (c->aborted) {
        release(c);
    }
}

int fake_nccl_broadcast(const void *from, char *to, size_t count, int type, int root, struct communicator *c,
                        struct fake_stream *stream) __asm__("ncclBroadcast");
int fake_nccl_broadcast(const void *from, char *to, size_t count, int type, int root, struct communicator *c,
                        struct fake_stream *stream) {
    const size_t bytes = count * sizeof(int32_t);
    if (from != to || type != INT32 || stream->device != c->device || fake_current != c->device ||
        !fake_owned(to, bytes, c->device) || root < 0 || root >= c->count) {
        return INVALID_USAGE;
    }
    if (fake_fails("broadcast")) {
        return UNHANDLED;
    }
    struct broadcast *b = malloc(sizeof *b);
    if (!b) {
        return UNHANDLED;
    }
    const bool sends = c->member == root;
    *b = (struct broadcast){c, to, bytes, ++c->broadcasts, sends, fake_fails("remote"), sends && fake_fails("kill")};
    c->under_way++;
    return fake_enqueue(stream, (struct work){CALL, .is_ready = is_ready, .call = transfer, .context = b});
}

int fake_nccl_fault(const struct communicator *c, int *fault) __asm__("ncclCommGetAsyncError");
int fake_nccl_fault(const struct communicator *c, int *fault) {
    *fault = c->fault;
    return FAKE_SUCCESS;
}

// ---- The end ----

static void remove_files(const struct communicator *c) {
    DIR *folder = opendir(c->id.folder);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder) {
        closedir(folder);
    }
    rmdir(c->id.folder);
}

static int leave(struct communicator *c) {
    if (c->member == 0) {
        remove_files(c);
    }
    release(c);
    return FAKE_SUCCESS;
}

int fake_nccl_destroy(struct communicator *c) __asm__("ncclCommDestroy");
int fake_nccl_destroy(struct communicator *c) {
    fake_finish_all();
    return leave(c);
}

int fake_nccl_abort(struct communicator *c) __asm__("ncclCommAbort");
int fake_nccl_abort(struct communicator *c) {
    c->aborted = true;
    return leave(c);
}
