# Loads from shared memory: bandwidth by stride, one line per width, with a published table. It shows powers of two only, because
# between them the bandwidth jumps from stride to stride, which smem-conflicts.gp shows better.
# probe: smem
# variants: load
# scope: device
# where: width_bytes=2|4|8 stride=1|2|4|8|16|32|64
# series: width_bytes
# rows: stride
# values: bandwidth_gb_s bandwidth_low bandwidth_high
# published: shared-stride.csv
title = 'Strided loads from shared memory'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (GB/s, whole device)'
has_bars = 1
show_peak = 1
note = 'published: course report "exp7: CUDA optimisation", an NVIDIA GPU that it does not name'
load 'series.gp'
