#include "sim/ptx/element.h"

#include <string.h>

const struct ptx_element *ptx_element_part(const struct ptx_statement *statement, size_t n) {
    static const struct ptx_element elements[] = {{"f16", "ELEMENT_F16", 2},   {"bf16", "ELEMENT_BF16", 2},
                                                  {"tf32", "ELEMENT_TF32", 1}, {"e4m3", "ELEMENT_E4M3", 4},
                                                  {"e5m2", "ELEMENT_E5M2", 4}, {"s8", "ELEMENT_S8", 4},
                                                  {"u8", "ELEMENT_U8", 4}};
    const struct ptx_type *type = ptx_type_part(statement, n);
    for (size_t i = 0; i < sizeof elements / sizeof *elements && type; i++) {
        if (strcmp(elements[i].name, type->name) == 0) {
            return &elements[i];
        }
    }
    return NULL;
}

void ptx_write_words(struct ptx_writer *writer, const char *field, const struct ptx_operand *list,
                     const struct ptx_type *type, uint32_t most) {
    if (!list || list->kind != PTX_OPERAND_LIST || ptx_count_operands(list->items) > most) {
        ptx_refuse(writer, "a list of registers is expected as operand %s: give a PTX file that ptxas accepts", field);
        return;
    }
    fprintf(writer->out, ".%s = {", field);
    for (const struct ptx_operand *item = list->items; item; item = item->next) {
        ptx_write_number(writer, item, type);
        fputs(", ", writer->out);
    }
    fputs("}, ", writer->out);
}

void ptx_write_sums(struct ptx_writer *writer, const char *field, const struct ptx_type *type) {
    fprintf(writer->out, ".%s = {'%c', %d}, ", field,
            type->class == PTX_CLASS_SIGNED ? 'i'
            : type->bytes == 2              ? 'h'
                                            : 'f',
            ptx_has_part(writer->statement, "satfinite"));
}
