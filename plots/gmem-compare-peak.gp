# The 4-byte copy by stride on all devices, in percent of each device's own peak, which compares designs: the line
# bends at 32-byte sectors on NVIDIA but only at the longer lines elsewhere, so that a large stride leaves less there.
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
