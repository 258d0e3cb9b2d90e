// The compiler itself says which declarations of a file it does not understand for a GPU: those of the host. They are
// left out, and it compiles the file again. Declarations for the device follow only if the host's are all understood,
// because an error in one may be due to an error before it.
#include "sim/compile/user/compile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compile/user/source.h"
#include "sim/process.h"
#include "util/clock.h"

// ---- The compiler's messages ----

// One message: `file:12:5: error: text` of clang, `file(12): error: text` of NVIDIA's.
struct message {
    const char *file;
    size_t file_length;
    unsigned line, column; // column 0: unknown
    const char *text;      // from "error" on
    bool is_error, restarts;
};

static bool read_place(const char *line, size_t length, struct message *message) {
    for (const char *at = line; at < line + length; at++) {
        const bool edg = *at == '(';
        char *end;
        if ((!edg && *at != ':') || !isdigit((unsigned char)at[1])) {
            continue;
        }
        *message = (struct message){.file = line, .file_length = (size_t)(at - line)};
        message->line = (unsigned)strtoul(at + 1, &end, 10);
        if (!edg && *end == ':' && isdigit((unsigned char)end[1])) {
            message->column = (unsigned)strtoul(end + 1, &end, 10);
        }
        if (!strncmp(end, edg ? "): " : ": ", edg ? 3 : 2)) {
            message->text = end + (edg ? 3 : 2);
            return true;
        }
    }
    return false;
}

// Reads the next message from *log on; false if there is none.
static bool next_message(const char **log, struct message *message) {
    while (**log) {
        const char *line = *log;
        const size_t length = strcspn(line, "\n");
        *log = line + length + (line[length] == '\n');
        if (!read_place(line, length, message)) {
            continue;
        }
        const char *text = message->text;
        message->is_error =
            !strncmp(text, "error", 5) || !strncmp(text, "fatal error", 11) || !strncmp(text, "catastrophic error", 18);
        message->restarts = strstr(text, "parsing restarts here") && strstr(text, "parsing restarts here") < *log;
        return true;
    }
    return false;
}

// ---- What is left out ----

struct file {
    const struct user_compiler *compiler;
    char *text;
    struct user_declarations declarations;
    const struct user_declaration *kernel; // NULL: unknown, or each one of the file
    const char *entry;
};

static bool is_wanted(const struct file *file, const struct user_declaration *declaration) {
    return declaration->is_kernel &&
           (!file->entry || (file->kernel && user_token_equals(&declaration->name, &file->kernel->name)));
}

// Blanks the declaration, but not the directives in it, since they may belong to others.
static void blank(struct file *file, struct user_declaration *declaration) {
    declaration->dropped = true;
    for (size_t i = declaration->first; i < declaration->end; i++) {
        const struct user_token *token = &file->declarations.tokens.list[i];
        char *at = file->text + (token->begin - file->text);
        for (; token->kind != USER_DIRECTIVE && at < token->end; at++) {
            *at = *at == '\n' ? '\n' : ' ';
        }
    }
}

// The declaration of an error; NULL if it is in none, as in a header of the compiler's.
static struct user_declaration *declaration_of(const struct file *file, const struct message *message) {
    const char *line = user_place_find(file->text, message->file, message->file_length, message->line);
    const size_t length = line ? strcspn(line, "\n") : 0;
    return line ? user_declaration_at(&file->declarations,
                                      line + (message->column && message->column <= length ? message->column - 1 : 0))
                : NULL;
}

// Leaves out the declarations, the host's or others, that have errors, up to the place from which on the compiler only
// guesses. False if there are none.
static bool leave_out(struct file *file, const char *log, bool of_host) {
    bool any = false;
    struct message message;
    while (next_message(&log, &message) && !(any && message.restarts)) {
        struct user_declaration *found = message.is_error ? declaration_of(file, &message) : NULL;
        const bool is_host = found && !found->is_device && !found->is_kernel;
        if (found && !found->dropped && is_host == of_host && !is_wanted(file, found)) {
            blank(file, found);
            any = true;
        }
    }
    return any;
}

// ---- The file ----

static void write_space(FILE *out, const struct user_declarations *all, size_t space) {
    if (space) {
        write_space(out, all, all->spaces[space].parent);
        const struct user_token *name = &all->spaces[space].name;
        if (name->begin) {
            fprintf(out, "%.*s::", (int)(name->end - name->begin), name->begin);
        }
    }
}

// The kernel's whole name.
static void write_name(FILE *out, const struct file *file) {
    const char *entry = file->entry;
    const bool has_space = entry && strstr(entry, "::") && strstr(entry, "::") < entry + strcspn(entry, "<");
    if (file->kernel && !has_space) {
        write_space(out, &file->declarations, file->kernel->space);
    }
    if (entry) {
        fputs(entry, out);
    } else {
        fprintf(out, "%.*s", (int)(file->kernel->name.end - file->kernel->name.begin), file->kernel->name.begin);
    }
}

// The text for the compiler. The caller frees it.
static char *whole_text(const struct file *file) {
    const struct user_compiler *compiler = file->compiler;
    const bool is_instance = file->entry && strchr(file->entry, '<');
    struct written text;
    FILE *out = memory_stream(&text);
    fprintf(out, "%s%s\n", compiler->before ? compiler->before : "", file->text);
    if (is_instance || (file->kernel && file->kernel->is_static)) { // nothing else may name the kernel
        const char *hole = strstr(compiler->instantiate, "%s");
        fprintf(out, "\n#line 1 \"--entry\"\n%.*s", (int)(hole - compiler->instantiate), compiler->instantiate);
        write_name(out, file);
        fprintf(out, "%s\n", hole + 2);
    }
    return memory_stream_end(&text);
}

static enum status compile_once(const struct file *file, char **code, struct error *error) {
    char *text = whole_text(file);
    const enum status status = file->compiler->compile(file->compiler, text, code, error);
    free(text);
    return status;
}

// The first error in the user's file, as "file:12: error: text"; false if there is none.
static bool describe(const struct file *file, struct error *error) {
    const char *log = error->log ? error->log : "";
    struct message message;
    while (next_message(&log, &message)) {
        const bool is_own = !strncmp(message.file, "--entry", message.file_length) ||
                            user_place_find(file->text, message.file, message.file_length, message.line);
        if (message.is_error && is_own) {
            char text[sizeof error->text];
            snprintf(text, sizeof text, "%.*s:%u: %.*s", (int)message.file_length, message.file, message.line,
                     (int)strcspn(message.text, "\n"), message.text);
            error_set(error, STATUS_FAILED, "%s", text);
            return true;
        }
    }
    return false;
}

// Whether the error may be due to a declaration that is left out.
static bool lacks_something(const struct error *error) {
    static const char *const words[] = {"undeclared",        "undefined", "unknown type",
                                        "no template named", "no member", "no matching function"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(error->text, words[i])) {
            return true;
        }
    }
    return false;
}

static void move_error(struct error *to, struct error *from) {
    error_clear(to);
    *to = *from;
    *from = (struct error){0};
}

// Compiles until only what the kernel needs has errors. The error is the first one that is not the host's.
static enum status compile_rounds(struct file *file, char **code, struct error *error) {
    const double deadline = clock_s() + scratch_compiler_seconds();
    struct error first = {0}, now = {0};
    enum status status = compile_once(file, code, &now);
    while (status == STATUS_FAILED && now.log && clock_s() < deadline) {
        bool going_on = leave_out(file, now.log, true);
        if (!going_on) {
            going_on = leave_out(file, now.log, false);
            if (going_on && !*first.text) {
                move_error(&first, &now);
            }
        }
        if (!going_on) {
            break;
        }
        error_clear(&now);
        status = compile_once(file, code, &now);
    }
    if (status != STATUS_OK) {
        const bool is_own = describe(file, &now), has_first = *first.text && describe(file, &first);
        move_error(error, is_own && has_first && lacks_something(&now) ? &first : &now);
    }
    error_clear(&first);
    error_clear(&now);
    return status;
}

// ---- The kernel ----

static void list_kernels(const struct user_declarations *all, char *names, size_t size) {
    *names = '\0';
    for (size_t i = 0; i < all->count; i++) {
        const struct user_declaration *own = &all->list[i];
        const size_t length = strlen(names);
        char name[256];
        snprintf(name, sizeof name, "%.*s", own->name.begin ? (int)(own->name.end - own->name.begin) : 0,
                 own->name.begin ? own->name.begin : "");
        if (own->is_kernel && own->name.begin && user_kernel_named(all, name) == own) {
            snprintf(names + length, size - length, "%s%s", length ? ", " : "", name);
        }
    }
}

static enum status find_kernel(struct file *file, struct error *error) {
    const struct user_declarations *all = &file->declarations;
    const struct user_declaration *kernel = user_kernel_named(all, file->entry);
    char names[512];
    list_kernels(all, names, sizeof names);
    file->kernel = kernel;
    if (!kernel) { // a macro may make it
        return STATUS_OK;
    }
    const int length = (int)(kernel->name.end - kernel->name.begin);
    if (!file->entry && strchr(names, ',')) {
        return error_set(error, STATUS_USAGE, "%s: several kernels in the file: name one of %s",
                         file->compiler->request->source->file_name, names);
    }
    if (kernel->is_template && !(file->entry && strchr(file->entry, '<'))) {
        const char *head = all->tokens.list[kernel->first].begin;
        return error_set(error, STATUS_USAGE,
                         "%s: kernel %.*s is a template, %.*s: name its arguments, as in --entry '%.*s<...>'",
                         file->compiler->request->source->file_name, length, kernel->name.begin,
                         (int)strcspn(head, "\n"), head, length, kernel->name.begin);
    }
    return STATUS_OK;
}

enum status user_compile(const struct user_compiler *compiler, struct gpu_text *code, struct error *error) {
    const struct kernel_request *request = compiler->request;
    struct file file = {.compiler = compiler, .entry = request->entry};
    *code = (struct gpu_text){0};
    file.text = user_splice(request->source->file_name, request->source->text, &compiler->headers);
    user_declarations_find(file.text, &file.declarations);
    enum status status = find_kernel(&file, error);
    THEN(status, compile_rounds(&file, &code->instructions, error));
    if (status == STATUS_OK && file.kernel) {
        code->parameters = user_parameter_names(&file.declarations, file.kernel);
    }
    user_declarations_clear(&file.declarations);
    free(file.text);
    return status;
}
