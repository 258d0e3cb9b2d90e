# The kernel of a course report (`--variant course`) in percent of each width's own stride 1, with the table that the
# report published.
# probe: smem
# variants: course
# scope: device
# where: width_bytes=2|4|8
# series: width_bytes
# rows: stride
# values: relative(bandwidth_gb_s)
# relative: stride=1
# published: shared-stride.csv
title = 'A course kernel on shared memory, relative to stride 1'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (% of stride 1)'
note = 'published: course report "exp7: CUDA optimisation", an NVIDIA GPU that it does not name'
load 'series.gp'
