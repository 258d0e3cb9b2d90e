# Devices beside each other: the 4-byte copy against stride, in percent of each device's peak.
# probe: gmem
# variants: stride-copy
# scope: compare
# where: offset=0 width_bytes=4
# series: device
# rows: stride
# values: peak_pct
title = 'Strided copy of 4-byte elements, each against its own peak'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (% of peak)'
limit = 100
limit_name = 'peak'
below = 1
load 'series.gp'
