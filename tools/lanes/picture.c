// A request as a picture: a row for each pass or 128 bytes, with holes where a bank or a sector is unused. As an SVG
// file it is 800 x 600, for a slide.

#include "tools/lanes/picture.h"

#include <math.h>
#include <string.h>

#include "util/text.h"

// ---- A panel's cost in words ----

static const char *certainty_meaning(const char *certainty) {
    return strcmp(certainty, "open") == 0    ? "open, not confirmed on this part"
           : strcmp(certainty, "guess") == 0 ? "a guess, from a related part"
                                             : certainty;
}

static const char *plural(uint32_t count) {
    return count == 1 ? "" : "s";
}

void panel_summary(const struct panel *panel, char lines[SUMMARY_LINES][SUMMARY_WIDTH]) {
    const struct cost *cost = &panel->cost;
    char used[16] = "-";
    if (!isnan(cost->efficiency_pct)) {
        snprintf(used, sizeof used, "%.1f %%", cost->efficiency_pct);
    }
    if (cost->space == SPACE_SHARED) {
        char row[24] = "";
        if (cost->row_passes > 1) {
            snprintf(row, sizeof row, ", %u a row", cost->row_passes);
        }
        snprintf(lines[0], SUMMARY_WIDTH, "%u pass%s%s, %u bank conflict%s", cost->shared.passes,
                 cost->shared.passes == 1 ? "" : "es", row, cost->shared.conflicts, plural(cost->shared.conflicts));
        snprintf(lines[1], SUMMARY_WIDTH, "shared efficiency %s", used);
        snprintf(lines[2], SUMMARY_WIDTH, "rule: %s", certainty_meaning(cost->certainty));
        return;
    }
    snprintf(lines[0], SUMMARY_WIDTH, "%u sector%s of %u bytes, %u line%s", cost->global.sectors,
             plural(cost->global.sectors), cost->sector_bytes, cost->global.lines, plural(cost->global.lines));
    snprintf(lines[1], SUMMARY_WIDTH, "efficiency %s", used);
    snprintf(lines[2], SUMMARY_WIDTH, "%u distinct byte%s requested", cost->unique_bytes, plural(cost->unique_bytes));
}

// ---- In the terminal ----

enum {
    LABEL_WIDTH = 6,
    TEXT_WIDTH = LABEL_WIDTH + 1 + GRID_COLUMNS_MAX,
    TEXT_LINES = 4 + GRID_ROWS_MAX + SUMMARY_LINES,
    TERMINAL_WIDTH = 80
};

// The signs that some panels have, which the legend below them explains.
struct signs {
    bool lane, several, unused, extra;
    char first_group, last_group; // letters; 0: there is none
};

// A panel as lines of text, none of which is longer than its width.
struct text {
    size_t width, count;
    char lines[TEXT_LINES][TEXT_WIDTH + 1];
};

static const char lane_symbols[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@$";

static char cell_symbol(const struct grid_row *row, uint32_t column) {
    uint64_t lanes = row->lanes[column];
    if (lanes & (lanes - 1)) {
        return '*';
    }
    if (lanes) {
        return lane_symbols[__builtin_ctzll(lanes)];
    }
    return row->paid >> column & 1 ? '.' : ' ';
}

// Column numbers above the columns, one in eight.
static void write_ruler(char *line, const struct grid *grid) {
    int used = snprintf(line, TEXT_WIDTH + 1, "%*s 0 %-6s", LABEL_WIDTH, grid->row_title, grid->column_title);
    for (uint32_t column = 8; column < grid->column_count; column += 8) {
        used += snprintf(line + used, TEXT_WIDTH + 1 - (size_t)used, column + 8 < grid->column_count ? "%-8u" : "%u",
                         column * grid->column_unit);
    }
}

static void add_signs(struct signs *signs, const struct grid_row *row, const char *cells, enum space space) {
    signs->lane = signs->lane || strpbrk(cells, lane_symbols);
    signs->several = signs->several || strchr(cells, '*');
    signs->unused = signs->unused || strchr(cells, '.');
    signs->extra = signs->extra || row->extra;
    if (space == SPACE_SHARED) {
        const char group = row->label[0];
        signs->first_group = signs->first_group && signs->first_group < group ? signs->first_group : group;
        signs->last_group = signs->last_group > group ? signs->last_group : group;
    }
}

// Returns where the cells begin.
static const char *write_row(char *line, const struct grid *grid, const struct grid_row *row) {
    int used = snprintf(line, TEXT_WIDTH + 1, "%*s%c", LABEL_WIDTH, row->label, row->extra ? '!' : ' ');
    for (uint32_t column = 0; column < grid->column_count; column++) {
        line[used + (int)column] = cell_symbol(row, column);
    }
    line[used + (int)grid->column_count] = '\0';
    return line + used;
}

static void make_text(struct text *text, const struct panel *panel, struct signs *signs) {
    struct grid grid;
    grid_make(&grid, panel->gpu, panel->cost.space, &panel->request);
    text->width = LABEL_WIDTH + 1 + grid.column_count;
    text->count = 0;
    snprintf(text->lines[text->count++], text->width + 1, "%s", panel->gpu->title);
    snprintf(text->lines[text->count++], text->width + 1, "%s %s, %u byte%s, %u of %u lanes",
             space_name(panel->cost.space), request_name(&panel->request), panel->request.width_bytes,
             panel->request.width_bytes == 1 ? "" : "s", panel->cost.active_lanes, panel->gpu->warp_width);
    write_ruler(text->lines[text->count++], &grid);
    for (uint32_t i = 0; i < grid.row_count; i++) {
        const char *cells = write_row(text->lines[text->count++], &grid, &grid.rows[i]);
        add_signs(signs, &grid.rows[i], cells, panel->cost.space);
    }

    text->lines[text->count++][0] = '\0';
    char summary[SUMMARY_LINES][SUMMARY_WIDTH];
    panel_summary(panel, summary);
    for (size_t i = 0; i < SUMMARY_LINES; i++) {
        snprintf(text->lines[text->count++], text->width + 1, "%s", summary[i]);
    }
}

// Prints an entry if its sign occurs, in a new line if it does not fit. Returns the column behind it.
static size_t print_entry(FILE *file, size_t column, bool occurs, const char *entry) {
    static const char gap[] = "   ";
    const size_t length = strlen(entry);
    if (!occurs) {
        return column;
    }
    const bool fits = column + strlen(gap) + length <= TERMINAL_WIDTH;
    fprintf(file, "%s%s", column > 0 && fits ? gap : "\n", entry);
    return column > 0 && fits ? column + strlen(gap) + length : length;
}

static void name_groups(char to[40], const struct signs *signs) {
    static const char meaning[] = "lanes served together";
    const char first = signs->first_group, last = signs->last_group;
    if (first == last) {
        snprintf(to, 40, "%c: %s", first, meaning);
    } else {
        snprintf(to, 40, "%c%s%c: %s", first, last > first + 1 ? " to " : ", ", last, meaning);
    }
}

static void print_legend(FILE *file, const struct panel *panels, size_t count, const struct signs *signs) {
    uint32_t last = 0;
    for (size_t i = 0; i < count; i++) {
        last = panels[i].gpu->warp_width > last ? panels[i].gpu->warp_width : last;
    }
    const bool shared = panels->cost.space == SPACE_SHARED;
    char lanes[40], groups[40];
    snprintf(lanes, sizeof lanes, "0-9 a-%s: lanes 0 to %u", last > 32 ? "z A-Z @ $" : "v", last - 1);
    name_groups(groups, signs);
    size_t column = print_entry(file, 0, signs->lane, lanes);
    column = print_entry(file, column, signs->several, "*: several lanes");
    column = print_entry(file, column, signs->unused, shared ? ".: idle bank" : ".: moved, not requested");
    column = print_entry(file, column, signs->first_group, groups);
    column = print_entry(file, column, signs->extra, "!: one more pass, for a bank conflict");
    fputs(column > 0 ? "\n" : "", file);
}

// Prints two texts side by side. The shorter one is padded with blank lines.
static void print_beside(FILE *file, const struct text *left, const struct text *right) {
    for (size_t i = 0; i < left->count || i < right->count; i++) {
        const char *second = i < right->count ? right->lines[i] : "";
        fprintf(file, "%-*s%s%s\n", *second ? (int)left->width : 0, i < left->count ? left->lines[i] : "",
                *second ? " " : "", second);
    }
}

void picture_print(FILE *file, const struct panel *panels, size_t count) {
    struct text texts[PANELS_MAX];
    struct signs signs = {0};
    for (size_t i = 0; i < count; i++) {
        make_text(&texts[i], &panels[i], &signs);
    }
    static const struct text nothing = {0};
    if (count == 2 && texts[0].width + 1 + texts[1].width <= TERMINAL_WIDTH) {
        print_beside(file, &texts[0], &texts[1]);
    } else {
        for (size_t i = 0; i < count; i++) {
            print_beside(file, &texts[i], &nothing);
        }
    }
    print_legend(file, panels, count, &signs);
}

// ---- As SVG ----

static const double picture_width = 800, picture_height = 600, margin = 16;
static const double labels = 52, heading = 72, footing = 96; // space to the left of, above and below the cells

// What a cell shows, in the order of the legend.
enum kind {
    ONE_LANE,
    SEVERAL_LANES,
    NOT_USED,
    EXTRA_PASS,
    KINDS
};
static const char *const colors[KINDS] = {"#4477aa", "#228833", "#dddddd", "#cc3311"};

struct frame {
    double x, width;       // of the panel
    double cell_x, cell_y; // where the cells begin
    double cell_width, cell_height;
};

static void write_text(FILE *file, double x, double y, double size, const char *anchor, const char *text) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\">", x, y, size, anchor);
    markup_text(file, text);
    fputs("</text>\n", file);
}

static enum kind kind_of(const struct grid_row *cells, uint32_t column) {
    const uint64_t lanes = cells->lanes[column];
    return !lanes ? NOT_USED : cells->extra ? EXTRA_PASS : lanes & (lanes - 1) ? SEVERAL_LANES : ONE_LANE;
}

static void write_cell(FILE *file, const struct frame *frame, const struct grid_row *cells, uint32_t row,
                       uint32_t column) {
    double x = frame->cell_x + column * frame->cell_width, y = frame->cell_y + row * frame->cell_height;
    uint64_t lanes = cells->lanes[column];
    fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y,
            frame->cell_width * 0.92, frame->cell_height * 0.92, colors[kind_of(cells, column)]);
    double size = fmin(frame->cell_width * 0.7, frame->cell_height * 0.8);
    if (lanes && size >= 6) {
        fprintf(
            file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"middle\" fill=\"white\">%d</text>\n",
            x + frame->cell_width * 0.46, y + frame->cell_height * 0.46 + size * 0.36, size, __builtin_ctzll(lanes));
    }
}

static void write_axes(FILE *file, const struct frame *frame, const struct grid *grid) {
    char number[16];
    for (uint32_t column = 0; column < grid->column_count; column += 8) {
        snprintf(number, sizeof number, "%s%s%u", column ? "" : grid->column_title, column ? "" : " ",
                 column * grid->column_unit);
        write_text(file, frame->cell_x + column * frame->cell_width, frame->cell_y - 6, 12, "start", number);
    }
    write_text(file, frame->cell_x - 6, frame->cell_y - 6, 12, "end", grid->row_title);
    double size = fmin(12, frame->cell_height * 0.9);
    uint32_t step = size < 7 ? 4 : 1;
    for (uint32_t row = 0; row < grid->row_count; row += step) {
        write_text(file, frame->cell_x - 6, frame->cell_y + (row + 0.5) * frame->cell_height + 3, size < 7 ? 9 : size,
                   "end", grid->rows[row].label);
    }
}

// Notes in `shown` which kinds of cells the panel has.
static void write_panel(FILE *file, const struct panel *panel, double x, double width, bool shown[KINDS]) {
    struct grid grid;
    grid_make(&grid, panel->gpu, panel->cost.space, &panel->request);
    struct frame frame = {.x = x, .width = width, .cell_x = x + labels, .cell_y = heading};
    frame.cell_width = (width - labels) / grid.column_count;
    frame.cell_height = fmin(24, (picture_height - heading - footing) / (grid.row_count ? grid.row_count : 1));

    char what[SUMMARY_WIDTH];
    snprintf(what, sizeof what, "%s %s, %u bytes per lane", space_name(panel->cost.space),
             request_name(&panel->request), panel->request.width_bytes);
    write_text(file, x, 24, 17, "start", panel->gpu->title);
    write_text(file, x, 44, 13, "start", what);
    write_axes(file, &frame, &grid);
    for (uint32_t row = 0; row < grid.row_count; row++) {
        for (uint32_t column = 0; column < grid.column_count; column++) {
            if (grid.rows[row].lanes[column] || grid.rows[row].paid >> column & 1) {
                write_cell(file, &frame, &grid.rows[row], row, column);
                shown[kind_of(&grid.rows[row], column)] = true;
            }
        }
    }

    char summary[SUMMARY_LINES][SUMMARY_WIDTH];
    panel_summary(panel, summary);
    double below = frame.cell_y + grid.row_count * frame.cell_height;
    for (uint32_t i = 0; i < SUMMARY_LINES; i++) {
        write_text(file, x, below + 20 + 18.0 * i, i == 0 ? 17 : 13, "start", summary[i]);
    }
}

static void write_legend(FILE *file, const struct panel *panel, const bool shown[KINDS]) {
    static const double key_width = 18, letter_width = 6.4, gap = 20;
    const char *const meanings[KINDS] = {
        [ONE_LANE] = "one lane",
        [SEVERAL_LANES] = "several lanes, number of the first",
        [NOT_USED] = panel->cost.space == SPACE_SHARED ? "idle bank" : "moved, not requested",
        [EXTRA_PASS] = "one more pass, for a bank conflict",
    };
    double x = margin;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (shown[kind]) {
            fprintf(file, "<rect x=\"%.1f\" y=\"%g\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x,
                    picture_height - 22, colors[kind]);
            write_text(file, x + key_width, picture_height - 12, 12, "start", meanings[kind]);
            x += key_width + letter_width * (double)strlen(meanings[kind]) + gap;
        }
    }
}

void svg_write(FILE *file, const struct panel *panels, size_t count, const char *caption) {
    const double above = caption ? 28 : 0, height = picture_height + above;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
            "font-family=\"sans-serif\">\n<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n",
            picture_width, height, picture_width, height, picture_width, height);
    if (caption) {
        write_text(file, margin, 22, 13, "start", caption);
        fprintf(file, "<g transform=\"translate(0 %g)\">\n", above);
    }
    bool shown[KINDS] = {false};
    double width = (picture_width - margin * (double)(count + 1)) / (double)count;
    for (size_t i = 0; i < count; i++) {
        write_panel(file, &panels[i], margin + (double)i * (width + margin), width, shown);
    }
    write_legend(file, panels, shown);
    fputs(caption ? "</g>\n</svg>\n" : "</svg>\n", file);
}
