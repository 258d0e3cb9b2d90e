# The 4-byte copy by stride on all devices, NVIDIA first, then AMD, then the CPU. Devices of one name count as one;
# the chart takes the file with the most measured rows of them, or the first of several such files.
# probe: gmem
# variants: stride-copy
# scope: compare
# first: 9
# where: offset=0 width_bytes=4
# series: device
# rows: stride
# values: bandwidth_gb_s
title = 'Strided copy of 4-byte elements, by device'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (GB/s)'
note = 'bandwidth: bytes read and written'
show_peak = 1
below = 1
load 'series.gp'
