# Our 4-byte copy and one that others published, in GB/s.
# probe: gmem
# variants: stride-copy
# scope: device
# where: offset=0 width_bytes=4
# series: width_bytes
# rows: stride
# values: bandwidth_gb_s bandwidth_low bandwidth_high
# published: stride-copy.csv
title = 'Strided copy of 4-byte elements, and a published one'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (GB/s, read + written)'
has_bars = 1
show_peak = 1
note = 'published: course report "exp7: CUDA optimisation", an NVIDIA GPU that it does not name'
load 'series.gp'
