// The simulator's changes to a kernel's source before it is compiled, and texts of C that are written by templates.
#ifndef SIM_COMPILE_TEXT_H
#define SIM_COMPILE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Returns the kernel file as C11, with lines and columns kept: `extern "C"` is blanked out, `extern __shared__ T
// name[]` becomes a name for the launch's dynamic shared memory, of which there are at most dynamic_bytes; `static` is
// removed from kernels; for gcc, `#pragma unroll` becomes gcc's own. The caller frees the text.
char *sim_source_text(const char *file_name, const char *text, uint32_t dynamic_bytes, bool gcc);

// The text after a comment, string or character constant that begins here; text itself if none does.
const char *sim_text_opaque_end(const char *text);

// Writes a line directive, with quotes and backslashes of the name escaped.
void sim_text_line(FILE *out, unsigned line, const char *file_name);

// Writes what stands for a $, from `at` on; returns the template's text behind it.
typedef const char *sim_template_word(void *writer, const char *at, va_list *arguments);

// Writes a template of C. As in printf, %s stands for a text, %u for a number of 32 bits, %d for an int, %ld and %lu
// for numbers of 64 bits.
void sim_text_write(FILE *out, const char *format, va_list *arguments, sim_template_word *word, void *writer);

#endif
