// What geometry states of a level or of the TLB, each in a source of its name.
#ifndef LEVELS_GEOMETRY_STATEMENTS_H
#define LEVELS_GEOMETRY_STATEMENTS_H

#include "levels/geometry/run.h"

// ---- Statements about one level ----

enum status geometry_emit_size(struct geometry *geometry, const struct geometry_level *level, struct error *error);
enum status geometry_emit_line(struct geometry *geometry, const struct geometry_level *level, struct error *error);
enum status geometry_emit_fetch(struct geometry *geometry, const struct geometry_level *level, struct error *error);
enum status geometry_emit_ways(struct geometry *geometry, const struct geometry_level *level, struct error *error);
enum status geometry_emit_sharing(struct geometry *geometry, const struct geometry_level *level, struct error *error);
// The last level is memory.
enum status geometry_emit_bandwidth(struct geometry *geometry, const struct geometry_level *level, struct error *error);

// ---- Statements about the TLB ----

enum status geometry_emit_reach(struct geometry *geometry, struct error *error);

#endif
