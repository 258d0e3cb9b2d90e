#include "sim/ptx/parse/type.h"

#include <stdio.h>
#include <string.h>

#define INTEGER(name_, class_, bits_, number_)                                                                         \
    {                                                                                                                  \
        .name = name_, .class = class_, .bytes = bits_ / 8, .lanes = 1, .number = number_, .bits = "uint" #bits_ "_t", \
        .from = "", .to = ""                                                                                           \
    }
#define INTEGERS(bits_)                                                                                                \
    INTEGER("u" #bits_, PTX_CLASS_UNSIGNED, bits_, "uint" #bits_ "_t"),                                                \
        INTEGER("s" #bits_, PTX_CLASS_SIGNED, bits_, "int" #bits_ "_t"),                                               \
        INTEGER("b" #bits_, PTX_CLASS_BITS, bits_, "uint" #bits_ "_t")
#define FLOAT(name_, class_, bits_, number_)                                                                           \
    {                                                                                                                  \
        .name = name_, .class = class_, .bytes = bits_ / 8, .lanes = 1, .number = number_, .bits = "uint" #bits_ "_t", \
        .from = "from_" name_, .to = "to_" name_, .format = "format_" name_                                            \
    }
#define PACKED(name_, class_, number_, from_, to_)                                                                     \
    {                                                                                                                  \
        .name = name_, .class = class_, .bytes = 4, .lanes = 2, .number = number_, .bits = "uint16_t", .from = from_,  \
        .to = to_                                                                                                      \
    }

static const struct ptx_type types[] = {
    INTEGERS(8),
    INTEGERS(16),
    INTEGERS(32),
    INTEGERS(64),
    INTEGER("b128", PTX_CLASS_BITS, 128, "uint128_t"),
    FLOAT("f32", PTX_CLASS_FLOAT, 32, "float"),
    FLOAT("f64", PTX_CLASS_FLOAT, 64, "double"),
    FLOAT("f16", PTX_CLASS_HALF, 16, "double"),
    FLOAT("bf16", PTX_CLASS_HALF, 16, "double"),
    PACKED("f16x2", PTX_CLASS_HALF, "double", "from_f16", "to_f16"),
    PACKED("bf16x2", PTX_CLASS_HALF, "double", "from_bf16", "to_bf16"),
    PACKED("u16x2", PTX_CLASS_UNSIGNED, "uint16_t", "", ""),
    PACKED("s16x2", PTX_CLASS_SIGNED, "int16_t", "", ""),
    FLOAT("tf32", PTX_CLASS_TINY, 32, "double"),
    FLOAT("e4m3", PTX_CLASS_TINY, 8, "double"),
    FLOAT("e5m2", PTX_CLASS_TINY, 8, "double"),
    {.name = "e4m3x2",
     .class = PTX_CLASS_TINY,
     .bytes = 2,
     .lanes = 2,
     .number = "double",
     .bits = "uint8_t",
     .from = "from_e4m3",
     .to = "to_e4m3",
     .format = "format_e4m3"},
    {.name = "e5m2x2",
     .class = PTX_CLASS_TINY,
     .bytes = 2,
     .lanes = 2,
     .number = "double",
     .bits = "uint8_t",
     .from = "from_e5m2",
     .to = "to_e5m2",
     .format = "format_e5m2"},
    {.name = "pred",
     .class = PTX_CLASS_PREDICATE,
     .bytes = 1,
     .lanes = 1,
     .number = "_Bool",
     .bits = "_Bool",
     .from = "",
     .to = ""},
};

const struct ptx_type *ptx_type_find(struct ptx_text name) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (ptx_text_is(name, types[i].name)) {
            return &types[i];
        }
    }
    return NULL;
}

const struct ptx_type *ptx_type_named(const char *name) {
    return ptx_type_find((struct ptx_text){name, strlen(name)});
}

const struct ptx_type *ptx_type_element(const struct ptx_type *type) {
    const char *x2 = strstr(type->name, "x2");
    return x2 ? ptx_type_find((struct ptx_text){type->name, (size_t)(x2 - type->name)}) : type;
}

const struct ptx_type *ptx_type_of(enum ptx_class class, uint32_t bytes) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].class == class && types[i].bytes == bytes && types[i].lanes == 1) {
            return &types[i];
        }
    }
    return NULL;
}
