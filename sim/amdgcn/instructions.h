// What AMD's arithmetic instructions compute: a table, one line for each that differs.
#ifndef SIM_AMDGCN_INSTRUCTIONS_H
#define SIM_AMDGCN_INSTRUCTIONS_H

#include <stdbool.h>

enum gcn_unit {
    GCN_SCALAR,
    GCN_VECTOR
};

// The signature is "result[,result]:source,source,...", of the types
//   u32 i32 f32 u64 i64 f64 u16 i16 f16 and so on    numbers
//   m    a bit for each lane
//   pu16 pi16 pf16 pf32 pu32                         two numbers, for each of which the statement is executed
// The statement is C: results are d and e, sources a, b and c. A result that begins with "+" is also a source. A vector
// statement is executed for lane l; a scalar one may set scc and EXEC_MASK.
struct gcn_instruction {
    const char *names; // without the encodings' suffixes, alternatives separated by '|'
    enum gcn_unit unit;
    const char *signature, *statement;
    const char *source; // AMD's documents of the instruction set, and their sections
    bool sets_exec;
};

// NULL if there is none.
const struct gcn_instruction *gcn_instruction_find(const char *name);

// A comparison of lanes, v_cmp_lt_u32 or v_cmpx_lt_u32: its statement and the type of its sources. False if it is none.
struct gcn_comparison {
    char type[8];
    const char *statement;
    bool sets_exec;
};
bool gcn_comparison_find(const char *name, struct gcn_comparison *comparison);

// Instructions that leave nothing to do here, such as hints and waits for what is done at once.
bool gcn_is_idle(const char *name);

#endif
