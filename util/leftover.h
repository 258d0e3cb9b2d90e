// Files that nobody wants when the process is killed half-way.
#ifndef UTIL_LEFTOVER_H
#define UTIL_LEFTOVER_H

// A signal that ends the process (from the terminal, a batch system, a limit) first removes the file of this name,
// until it is forgotten. The text stays the caller's and may change meanwhile, so that mkstemp's template can be given
// before the file is there. Of more names than there is room for the last ones stay behind. A file beyond the limit of
// its size is from then on an error of write, and no signal.
void leftover_add(const char *path);
void leftover_forget(const char *path);

#endif
