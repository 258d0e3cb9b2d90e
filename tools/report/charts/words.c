#include "tools/report/charts/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/charts/columns.h"
#include "util/error.h"

// 67108864 as "64 Mi", the way in which the programs take sizes.
char *size_in_binary(double amount) {
    static const char *const units[] = {"", " Ki", " Mi", " Gi", " Ti"};
    size_t unit = 0;
    while (amount >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        amount /= 1024;
        unit++;
    }
    return memory_format("%.4g%s", amount, units[unit]);
}

char *cut_text(const char *text, size_t longest) {
    const size_t length = strlen(text);
    if (length <= longest) {
        return memory_text(text, length);
    }
    size_t end = longest - 3;
    for (size_t i = end; i > 0; i--) {
        if (text[i - 1] == ' ') {
            end = i - 1 - (i > 1 && text[i - 2] == ',');
            break;
        }
    }
    return memory_format("%.*s...", (int)end, text);
}

char *sources_text(const struct selection *selection, long series) {
    bool has[SOURCES] = {false};
    for (size_t i = 0; i < selection->picked_count; i++) {
        const struct item *item = selection->picked[i];
        if (series < 0 || item->series == (size_t)series) {
            has[item_origin(selection, item)] = true;
        }
    }
    return memory_format("%s%s%s", has[MEASURED] ? "measured" : "", has[MEASURED] && has[PREDICTED] ? " and " : "",
                         has[PREDICTED] ? "predicted" : "");
}

char *series_title(const struct selection *selection, const char *name) {
    const char *series = selection->chart->series;
    for (size_t i = 0; i < selection->part_count && strcmp(series, "device") == 0; i++) {
        if (strcmp(selection->parts[i].id, name) == 0) {
            name = selection->parts[i].title;
            break;
        }
    }
    const bool is_width = strcmp(series, "width_bytes") == 0 || strcmp(series, "fetch_bytes") == 0;
    return memory_format("%s%s", name, !is_width ? "" : strcmp(name, "1") == 0 ? " byte" : " bytes");
}

// ---- Settings ----

// The values of a setting in a picture's own rows.
struct extent {
    const char *least, *most;
    bool differ;
    size_t count;
};

static struct extent extent_of(struct selection *selection, size_t column) {
    struct extent extent = {0};
    const char *first = "";
    for (size_t i = 0; i < selection->picked_count; i++) {
        const struct item *item = selection->picked[i];
        const char *value = item->source == PUBLISHED ? "" : item_value(selection, item, column);
        if (*value) {
            extent.least = extent.count == 0 || atof(value) < atof(extent.least) ? value : extent.least;
            extent.most = extent.count == 0 || atof(value) > atof(extent.most) ? value : extent.most;
            extent.differ = extent.differ || (extent.count > 0 && strcmp(value, first) != 0);
            first = value;
            extent.count++;
        }
    }
    return extent;
}

// "1 Ki to 64 Mi elements", "2048 vertices", "transfers of 16 MiB".
static char *size_text(const char *name, const struct extent *extent) {
    const bool is_elements = strcmp(name, "elements") == 0;
    const bool differ = strcmp(extent->least, extent->most) != 0;
    if (strcmp(name, "devices") == 0 && strcmp(extent->most, "1") == 0) {
        return NULL;
    }
    char *least = is_elements ? size_in_binary(atof(extent->least)) : memory_format("%s", extent->least);
    char *most = is_elements ? size_in_binary(atof(extent->most)) : memory_format("%s", extent->most);
    char *text = memory_format("%s%s%s %s", differ ? least : "", differ ? " to " : "", most, name);
    free(least);
    free(most);
    return text;
}

static char *transfer_text(const struct extent *extent) {
    char *size = size_in_binary(atof(extent->most)), *text = NULL;
    if (strcmp(extent->least, extent->most) == 0) {
        text = memory_format("transfers of %sB", size);
    }
    free(size);
    return text;
}

static bool is_any(const char *text, const char *names) {
    struct words words = words_split(names, " ");
    const bool found = words_have(&words, text);
    words_clear(&words);
    return found;
}

// Sizes that differ are a range; another setting is named only if all rows that have it have the same, and a type only
// if all rows have it. NULL: nothing is to be said.
static char *setting_text(struct selection *selection, size_t column) {
    const char *name = column_name(selection, column);
    const struct extent extent = extent_of(selection, column);
    const char *most = extent.most;
    if (extent.count == 0 || (strcmp(name, "type") == 0 && extent.count < selection->own_count)) {
        return NULL;
    }
    if (strcmp(name, "footprint_bytes") == 0) {
        return transfer_text(&extent);
    }
    if (is_any(name, "vertices elements devices")) {
        return size_text(name, &extent);
    }
    if (extent.differ || is_any(name, "offset op direction") ||
        (strcmp(name, "group") == 0 && strcmp(most, "1") == 0)) {
        return NULL;
    }
    return strcmp(name, "type") == 0 ? memory_format("%s", most)
           : strcmp(name, "width_bytes") == 0
               ? memory_format("%s byte%s an element", most, strcmp(most, "1") == 0 ? "" : "s")
           : strcmp(name, "edges") == 0 ? memory_format("%s edges", most)
           : strcmp(name, "tile") == 0  ? memory_format("tiles of %sx%s", most, most)
           : strcmp(name, "block") == 0 ? memory_format("blocks of %s%s", most, strchr(most, 'x') ? "" : " threads")
                                        : memory_format("%s %s", name, most);
}

// Joins the texts, which it frees.
static char *join(char *text, const char *separator, char *more) {
    char *joined = memory_format("%s%s%s", text, *text ? separator : "", more);
    free(text);
    free(more);
    return joined;
}

char *settings_text(struct selection *selection) {
    char *text = memory_format("%s", "");
    for (size_t i = 0; i < selection->setting_count; i++) {
        char *one = setting_text(selection, selection->settings[i]);
        text = one ? join(text, ", ", one) : text;
    }
    return text;
}

// ---- What is left out ----

static const char *folder_of(const char *path, size_t *length) {
    const char *end = strrchr(path, '/'), *start = end;
    while (start && start > path && start[-1] != '/') {
        start--;
    }
    *length = end ? (size_t)(end - start) : strlen(path);
    return end ? start : path;
}

static char *dropped_folder(const struct drop *reason) {
    size_t length;
    const char *folder = folder_of(reason->values.texts[0], &length);
    return memory_format(" of %.*s%s", (int)length, folder, reason->values.count > 1 ? " and others" : "");
}

// The values because of which rows are left out, or their number.
static char *dropped_values(const struct drop *reason) {
    static const size_t MOST = 4;
    char *text = memory_format("%s", "");
    if (reason->values.count > MOST) {
        free(text);
        return memory_format(" with %zu other values of %s", reason->values.count, reason->column);
    }
    for (size_t i = 0; i < reason->values.count; i++) {
        const char *value = reason->values.texts[i];
        const bool is_size = strcmp(reason->column, "elements") == 0;
        text = join(text, ", ", is_size ? size_in_binary(atof(value)) : memory_format("%s", value));
    }
    return join(memory_format(" with %s", reason->column), " ", text);
}

static char *drop_text(const struct drop *reason) {
    const char *rows = reason->count == reason->predicted ? "predicted row" : "row";
    char *why = strcmp(reason->column, "repeated") == 0 ? memory_format(" that a later one repeats")
                : strcmp(reason->column, "source") == 0 ? memory_format("%s", "")
                : strcmp(reason->column, "file") == 0   ? dropped_folder(reason)
                : strpbrk(reason->column, "*/")         ? memory_format(" with other %s", reason->column)
                                                        : dropped_values(reason);
    char *text = memory_format("%zu %s%s%s", reason->count, rows, reason->count > 1 ? "s" : "", why);
    free(why);
    return text;
}

char *left_out_text(struct selection *selection) {
    char *text = memory_format("%s", "");
    for (size_t i = 0; i < selection->drop_count; i++) {
        text = join(text, "; ", drop_text(&selection->drops[i]));
    }
    return text;
}
