// What is said about a picture in words.
#ifndef TOOLS_REPORT_CHARTS_WORDS_H
#define TOOLS_REPORT_CHARTS_WORDS_H

#include "tools/report/charts/selection.h"

// What is said about the picture, to be freed.
char *settings_text(struct selection *selection);
char *left_out_text(struct selection *selection);
char *sources_text(const struct selection *selection, long series);
char *series_title(const struct selection *selection, const char *name);
char *size_in_binary(double amount);

// The text, cut after a word to at most `longest` characters; to be freed.
char *cut_text(const char *text, size_t longest);

#endif
