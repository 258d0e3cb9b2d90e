# All devices: bandwidth of the 4-byte copy by stride.
# probe: gmem
# variants: stride-copy
# scope: compare
# where: offset=0 width_bytes=4
# series: device
# rows: stride
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Strided copy of 4-byte elements, by device'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (GB/s)'
note = 'bandwidth: bytes read and written'
has_bars = 1
show_peak = 1
below = 1
load 'series.gp'
