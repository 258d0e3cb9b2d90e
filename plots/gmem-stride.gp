# Copy in global memory: bandwidth by stride, one line per width.
# probe: gmem
# variants: stride-copy
# scope: device
# where: offset=0
# series: width_bytes
# rows: stride
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Strided copy in global memory'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (GB/s, read + written)'
has_bars = 1
show_peak = 1
load 'series.gp'
