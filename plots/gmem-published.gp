# Our 4-byte copy by stride and one from a course report. The report does not name its GPU, so the two may be of
# different devices.
# probe: gmem
# variants: stride-copy
# scope: device
# where: backend=cuda|hip|sim offset=0 width_bytes=4
# series: width_bytes
# rows: stride
# values: bandwidth_gb_s
# published: stride-copy.csv
title = 'Strided copy of 4-byte elements, and a published one'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (GB/s, read + written)'
show_peak = 1
note = 'published: course report "exp7: CUDA optimisation", an NVIDIA GPU that it does not name'
load 'series.gp'
