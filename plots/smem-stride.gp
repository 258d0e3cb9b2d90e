# Bandwidth of loads from shared memory for 2, 4 and 8 bytes, at strides that are powers of two; between them it jumps
# from stride to stride, which `smem-conflicts` shows. Each doubling puts twice as many lanes on one bank. Stride 2
# costs two-byte loads nothing, because two of them share a bank's word. 8-byte loads run in two halves of 16 lanes,
# so their worst case is 16 lanes on one bank, and strides 16 and 32 cost the same.
# probe: smem
# variants: load
# scope: device
# where: width_bytes=2|4|8 stride=1|2|4|8|16|32|64
# series: width_bytes
# rows: stride
# values: bandwidth_gb_s
# published: shared-stride.csv
title = 'Strided loads from shared memory'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (GB/s, whole device)'
show_peak = 1
note = 'published: course report "exp7: CUDA optimisation", an NVIDIA GPU that it does not name'
load 'series.gp'
