# Bandwidth by the footprint that all compute units share, with published curves behind.
# probe: levels
# variants: bandwidth bandwidth-follow bandwidth-write bandwidth-copy
# scope: device
# series: variant
# rows: footprint_bytes
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Bandwidth by the footprint that all units share'
set xlabel 'footprint (bytes)'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
has_bars = 1
do for [i=1:|series|] { series[i] = series[i] eq 'bandwidth' ? 'read' : series[i][strlen('bandwidth-') + 1:*] }
published_table = 'l2-bandwidth.csv'
published_values = '$2 * 1024, $3'
if (!of_cpu) { load 'published-devices.gp'; y_min = y_min / 3 }
load 'series.gp'
