// A text file as a NUL-terminated string in the program, so that a kernel needs no file when it runs.
// Paths are relative to the folder in which the compiler runs, the repository's root.
#ifndef UTIL_EMBED_H
#define UTIL_EMBED_H

#define EMBED_FILE(symbol, path)                                                                                       \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global " #symbol "\n"                                                                                    \
            ".type " #symbol ", %object\n" #symbol ":\n"                                                               \
            ".incbin \"" path "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".size " #symbol ", . - " #symbol "\n"                                                                     \
            ".popsection\n");                                                                                          \
    extern const char symbol[]

#endif
