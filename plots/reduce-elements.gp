# Bandwidth against the number of elements: small sums cost the launch, large ones the memory.
# probe: reduce
# variants: read-limit vector single-pass redux library
# scope: device
# where: backend=cuda|hip|sim
# series: variant
# rows: elements
# same: type
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Reduction: bandwidth by array size'
set xlabel 'elements'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
if (predicted) note = 'predictions leave out what a launch costs, and caches'
has_bars = 1
show_peak = 1
load 'series.gp'
