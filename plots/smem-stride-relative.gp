# Loads from shared memory in percent of each width's own stride 1, which can be compared with the published table of
# a GPU that its authors do not name.
# probe: smem
# variants: load
# scope: device
# where: width_bytes=2|4|8 stride=1|2|4|8|16|32|64
# series: width_bytes
# rows: stride
# values: relative(bandwidth_gb_s)
# relative: stride=1
# published: shared-stride.csv
title = 'Strided loads from shared memory, relative to stride 1'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (% of stride 1)'
note = 'published: course report "exp7: CUDA optimisation", an NVIDIA GPU that it does not name'
load 'series.gp'
