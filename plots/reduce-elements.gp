# Bandwidth against the number of elements: small sums cost the launch, large ones the memory.
# probe: reduce
# variants: read-limit vector single-pass redux library
# scope: device
# where: type=int32 backend=cuda|hip|sim
# series: variant
# rows: elements
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Reduction: how many numbers it takes'
set xlabel 'elements (int32)'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
has_bars = 1
show_peak = 1
load 'series.gp'
