# Gathers and scatters: bandwidth by the bytes within which indices are random, one line per variant.
# probe: gmem
# variants: gather scatter gather-scatter
# scope: device
# same: width_bytes
# series: variant
# rows: window_bytes
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Gathers and scatters by the locality of their indices'
set xlabel 'window within which indices are random (bytes)'
set ylabel 'bandwidth (GB/s, data read + written)'
has_bars = 1
show_peak = 1
set format x '2^{%L}'
load 'series.gp'
