// What AMD's arithmetic instructions compute: a table, one line for each that differs.
#ifndef SIM_AMDGCN_INSTRUCTIONS_H
#define SIM_AMDGCN_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

// The signature is "result[,result]:source,source,...", of the types
//   u32 i32 f32 u64 i64 f64 u16 i16 f16 and so on    numbers
//   u# i# f#                                         those of the width that ends the name
//   m    a bit for each lane
//   pu16 pi16 pf16 pf32 pu32                         two numbers, for each of which the statement is executed
// The statement is C: results are d and e, sources a, b and c. A result that begins with "+" is also a source. A vector
// statement is executed for lane l; a scalar one may set scc and EXEC_AS(d).
struct gcn_instruction {
    const char *names; // without the encodings' suffixes, alternatives separated by '|'
    const char *signature, *statement;
    const char *source; // AMD's documents of the instruction set, and their sections
};

// Whether it computes once for a wave.
bool gcn_is_scalar(const char *name);

// The width that ends a name, 16, 32 or 64; 0: it ends otherwise.
uint32_t gcn_width(const char *name);

// NULL if there is none.
const struct gcn_instruction *gcn_instruction_find(const char *name);

// A comparison, such as v_cmp_lt_u32: an expression of its sources, and their type. False if it is none.
struct gcn_comparison {
    char type[8];
    const char *expression;
    bool sets_exec;   // v_cmpx
    bool by_constant; // s_cmpk: the second source has 16 bits
};
bool gcn_comparison_find(const char *name, struct gcn_comparison *comparison);

// Instructions that leave nothing to do here, such as hints and waits for what is done at once.
bool gcn_is_idle(const char *name);

#endif
