// The same picture as an SVG file of 800 x 600, for a slide.
#include "tools/lanes/svg.h"

#include <string.h>

#include "tools/lanes/grid.h"

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

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static void write_text(FILE *file, double x, double y, double size, const char *anchor, const char *text) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, size, anchor,
            text);
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
    double size = smaller(frame->cell_width * 0.7, frame->cell_height * 0.8);
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
    double size = smaller(12, frame->cell_height * 0.9);
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
    frame.cell_height = smaller(24, (picture_height - heading - footing) / (grid.row_count ? grid.row_count : 1));

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

void svg_write(FILE *file, const struct panel *panels, size_t count) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
            "font-family=\"sans-serif\">\n<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n",
            picture_width, picture_height, picture_width, picture_height, picture_width, picture_height);
    bool shown[KINDS] = {false};
    double width = (picture_width - margin * (double)(count + 1)) / (double)count;
    for (size_t i = 0; i < count; i++) {
        write_panel(file, &panels[i], margin + (double)i * (width + margin), width, shown);
    }
    write_legend(file, panels, shown);
    fputs("</svg>\n", file);
}
