# All devices: the 4-byte copy by stride, in percent of each device's peak.
# probe: gmem
# variants: stride-copy
# scope: compare
# where: offset=0 width_bytes=4
# series: device
# rows: stride
# values: peak_pct
title = 'Strided copy of 4-byte elements, relative to each peak'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (% of peak)'
limit = 100
limit_name = 'peak'
below = 1
load 'series.gp'
