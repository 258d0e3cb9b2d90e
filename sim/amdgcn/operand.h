// The operands of an instruction of AMDGPU assembly, and the modifiers behind them.
#ifndef SIM_AMDGCN_OPERAND_H
#define SIM_AMDGCN_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GCN_OPERANDS = 8,
    GCN_MODIFIERS = 12,
    GCN_ACCUMULATOR = 512, // the number of a[0] among vector registers
    GCN_SHUFFLED = 1024    // of the row that DPP has taken from other lanes
};

enum gcn_operand_kind {
    GCN_NONE,
    GCN_S,       // scalar registers, from `first`
    GCN_V,       // vector registers, from `first`
    GCN_NUMBER,  // an integer
    GCN_LITERAL, // 32 bits
    GCN_REAL,    // a floating-point number
    GCN_WINDOW,  // a generic address's window, `first`: 0 shared, 1 private
    GCN_SCC,
    GCN_OFF,
    GCN_WORDS // anything else: a label, a symbol, hwreg(...)
};

struct gcn_operand {
    enum gcn_operand_kind kind;
    uint32_t first, count; // registers
    int64_t number;
    double real;
    bool negative, absolute, extended; // modifiers of the value
    char *words;
};

struct gcn_modifier {
    const char *name, *value; // value "": a flag
};

struct gcn_operands {
    struct gcn_operand operand[GCN_OPERANDS];
    uint32_t count;
    struct gcn_modifier modifier[GCN_MODIFIERS];
    uint32_t modifier_count;
};

// Reads them; changes the text, into which they point. Returns what is wrong, or NULL.
const char *gcn_operands_read(char *text, struct gcn_operands *operands);

// NULL if it is not there.
const char *gcn_modifier(const struct gcn_operands *operands, const char *name);

// Of "[1,0,1]", element n; `otherwise` if the modifier is not there.
uint32_t gcn_modifier_element(const struct gcn_operands *operands, const char *name, uint32_t n, uint32_t otherwise);
int64_t gcn_modifier_number(const struct gcn_operands *operands, const char *name, int64_t otherwise);

#endif
