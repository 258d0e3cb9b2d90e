# The softmax of each row, in Triton. Its PTX is in softmax_triton.ptx, so that neither Triton nor a GPU is needed:
#   build/lanes --ptx tools/lanes/examples/softmax_triton.ptx ... shows what each line of this file costs.
# To compile it again: pip install triton; python3 tools/lanes/examples/softmax_triton.py >tools/lanes/examples/softmax_triton.ptx
import re

import triton
import triton.language as tl


@triton.jit
def softmax(out, rows, columns, WIDTH: tl.constexpr):
    place = tl.program_id(0) * columns + tl.arange(0, WIDTH)
    x = tl.load(rows + place)
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + place, power / tl.sum(power, axis=0))


if __name__ == "__main__":
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    types = {"out": "*fp32", "rows": "*fp32", "columns": "i32", "WIDTH": "constexpr"}
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(3)}
    source = ASTSource(fn=softmax, signature=types, constexprs={(3,): 1024}, attrs=aligned)
    text = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]
    # The debugger's sections and the folders of this machine are of no use elsewhere.
    text = re.sub(r'(\.file\s+\d+ ").*/', r"\1tools/lanes/examples/", text[: text.index("\t.section")])
    print(text.rstrip())
