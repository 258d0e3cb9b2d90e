# Our 4-byte copy by stride and one from a course report, each in percent of its own stride 1. The report does not
# name its GPU, so only this can show whether both follow the same law.
# probe: gmem
# variants: stride-copy
# scope: device
# where: offset=0 width_bytes=4
# series: width_bytes
# rows: stride
# values: relative(bandwidth_gb_s)
# relative: stride=1
# published: stride-copy.csv
title = 'Strided copy, relative to stride 1, and a published one'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (% of stride 1)'
note = 'published: course report "exp7: CUDA optimisation", an NVIDIA GPU that it does not name'
load 'series.gp'
