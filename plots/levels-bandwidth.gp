# Bandwidth against the footprint that all compute units share.
# probe: levels
# variants: bandwidth bandwidth-write bandwidth-copy
# scope: device
# series: variant
# rows: footprint_bytes
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Bandwidth by the footprint that all units share'
set xlabel 'footprint (bytes)'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
has_bars = 1
load 'series.gp'
