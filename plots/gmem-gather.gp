# Gathers and scatters by the window within which their indices are random, one line per variant. Each step down is a
# cache that no longer holds the window; the right end is random access to the whole buffer.
# probe: gmem
# variants: gather scatter gather-scatter
# scope: device
# same: width_bytes
# series: variant
# rows: window_bytes
# values: bandwidth_gb_s
title = 'Gathers and scatters by the locality of their indices'
set xlabel 'window within which indices are random (bytes)'
set ylabel 'bandwidth (GB/s, data read + written)'
show_peak = 1
set format x '2^{%L}'
load 'series.gp'
