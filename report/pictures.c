#include "report/pictures.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/parts.h"
#include "util/child.h"
#include "util/path.h"

static const double AWK_LIMIT_S = 120;

// What all runs of awk share.
struct selection {
    const struct inputs *inputs;
    char *program, *lists; // plots/variants
};

// One run of awk: a chart, of one table's devices or, without `own`, of all.
struct job {
    const struct selection *selection;
    struct part chart;
    const struct table *own;
};

struct jobs {
    struct job *jobs;
    size_t count, capacity;
};

// The value of a key in a chart's comments, "# key: value", to be freed; NULL if it has none, or memory ran out.
static char *chart_key(const struct part *chart, const char *key) {
    char line[64];
    snprintf(line, sizeof line, "\n# %s: ", key);
    const char *found = memmem(chart->text, chart->length, line, strlen(line));
    return found ? strndup(found + strlen(line), strcspn(found + strlen(line), "\n")) : NULL;
}

static enum status add_job(struct jobs *jobs, struct job job, struct error *error) {
    if (jobs->count == jobs->capacity) {
        const size_t capacity = jobs->capacity ? 2 * jobs->capacity : 64;
        struct job *grown = realloc(jobs->jobs, capacity * sizeof *grown);
        if (!grown) {
            return error_set(error, STATUS_FAILED, "out of memory");
        }
        jobs->jobs = grown;
        jobs->capacity = capacity;
    }
    jobs->jobs[jobs->count++] = job;
    return STATUS_OK;
}

// The runs for one chart.
static enum status plan_chart(struct jobs *jobs, struct job job, const char *probe, const char *scope,
                              struct error *error) {
    const struct inputs *inputs = job.selection->inputs;
    size_t found = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < inputs->count && status == STATUS_OK; i++) {
        if (strcmp(table_probe(&inputs->tables[i]), probe) == 0) {
            found++;
            job.own = &inputs->tables[i];
            status = strstr(scope, "device") ? add_job(jobs, job, error) : STATUS_OK;
        }
    }
    job.own = NULL;
    return status == STATUS_OK && found && strstr(scope, "compare") ? add_job(jobs, job, error) : status;
}

// plots/ holds scripts, too, which charts load; those name no probe.
static enum status plan(struct jobs *jobs, const struct selection *selection, struct error *error) {
    struct job job = {.selection = selection};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && part_next(&job.chart, "plots/", ".gp")) {
        char *probe = chart_key(&job.chart, "probe"), *scope = chart_key(&job.chart, "scope");
        status = probe && scope ? plan_chart(jobs, job, probe, scope, error) : STATUS_OK;
        free(probe);
        free(scope);
    }
    return status;
}

// The programs of awk, one after the other; NULL if memory ran out.
static char *join_programs(void) {
    static const char *const folders[] = {"scripts/", "plots/select/", "report/"};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && file; i++) {
        struct part part = {0};
        while (part_next(&part, folders[i], ".awk")) {
            fwrite(part.text, 1, part.length, file);
        }
    }
    if (file && (fclose(file) != 0)) {
        free(text);
        text = NULL;
    }
    return text;
}

// ---- Running awk ----

enum {
    ARGUMENTS = 3 // "awk", the program, the published figures
};

// So that awk takes the name neither for an option nor for an assignment. Lost memory ends the child.
static char *plain_name(const char *path) {
    char *name = NULL;
    return *path == '/' || asprintf(&name, "./%s", path) < 0 ? strdup(path) : name;
}

// Makes the published figures of the chart standard input, from a file without a name.
static const char *open_published(const struct part *chart) {
    static const char STANDARD_INPUT[] = "/dev/stdin";
    char *name = chart_key(chart, "published"), path[128];
    if (!name) {
        return "";
    }
    snprintf(path, sizeof path, "results/published/%s", name);
    char *text = part_text(path);
    FILE *file = tmpfile();
    if (!text || !file || fputs(text, file) < 0 || fseek(file, 0, SEEK_SET) != 0 ||
        dup2(fileno(file), STDIN_FILENO) < 0) {
        _exit(1);
    }
    return STANDARD_INPUT;
}

static void set_environment(const struct job *job, const char *own, const char *published) {
    char *chart = strndup(job->chart.path, job->chart.path_length);
    char *spec = strndup(job->chart.text, job->chart.length);
    if (!chart || !spec) {
        _exit(1);
    }
    setenv("chart", chart, 1);
    setenv("spec", spec, 1);
    setenv("lists", job->selection->lists, 1);
    setenv("csv", own, 1);
    setenv("published", published, 1);
    setenv("LC_ALL", "C", 1);
}

// In the child: becomes awk, whose output goes to `results`. awk says what it leaves out, which a page does not tell.
static void run_awk(FILE *results, void *context) {
    const struct job *job = context;
    const struct inputs *inputs = job->selection->inputs;
    const char **arguments = calloc(ARGUMENTS + inputs->count + 1, sizeof *arguments);
    const char *own = "";
    size_t count = 0;
    if (!arguments) {
        _exit(1);
    }
    arguments[count++] = "awk";
    arguments[count++] = job->selection->program;
    char *probe = chart_key(&job->chart, "probe");
    for (size_t i = 0; i < inputs->count; i++) {
        if (strcmp(table_probe(&inputs->tables[i]), probe) == 0) {
            arguments[count] = plain_name(inputs->tables[i].path);
            own = &inputs->tables[i] == job->own ? arguments[count] : own;
            count++;
        }
    }
    const char *published = open_published(&job->chart);
    if (*published) {
        arguments[count] = published;
    }
    set_environment(job, own, published);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (dup2(fileno(results), STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0) {
        execvp("awk", (char **)(uintptr_t)arguments);
    }
    _exit(127);
}

static enum status run_job(char **text, struct job *job, struct error *error) {
    const struct child_task task = {run_awk, job, "awk, which selects a chart's rows,", AWK_LIMIT_S};
    char *bytes;
    size_t count;
    enum status status = child_run(&task, &bytes, &count, error);
    if (status == STATUS_OK) {
        *text = strndup(bytes ? bytes : "", count);
        status = *text ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
        free(bytes);
    }
    return status;
}

static enum status run_all(struct pictures *pictures, struct jobs *jobs, struct error *error) {
    enum status status = STATUS_OK;
    pictures->texts = calloc(jobs->count + 1, sizeof *pictures->texts);
    if (!pictures->texts) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    pictures->count = jobs->count;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < jobs->count; i++) {
        struct error own_error = {0};
        const enum status own_status = run_job(&pictures->texts[i], &jobs->jobs[i], &own_error);
#pragma omp critical
        if (own_status != STATUS_OK) {
            status = own_status;
            *error = own_error;
        }
    }
    return status;
}

enum status pictures_select(struct pictures *pictures, const struct inputs *inputs, struct error *error) {
    char awk[PATH_MAX];
    if (!path_find_program("awk", awk)) {
        return error_set(error, STATUS_FAILED,
                         "awk, which selects a chart's rows, is not here: install it, or mend PATH");
    }
    struct selection selection = {inputs, join_programs(), part_text("plots/variants")};
    struct jobs jobs = {0};
    enum status status = selection.program && selection.lists ? plan(&jobs, &selection, error)
                                                              : error_set(error, STATUS_FAILED, "out of memory");
    if (status == STATUS_OK) {
        status = run_all(pictures, &jobs, error);
    }
    free(selection.program);
    free(selection.lists);
    free(jobs.jobs);
    return status;
}

void pictures_clear(struct pictures *pictures) {
    for (size_t i = 0; i < pictures->count; i++) {
        free(pictures->texts[i]);
    }
    free(pictures->texts);
    *pictures = (struct pictures){0};
}
