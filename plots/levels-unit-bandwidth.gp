# Bandwidth of the whole device by the footprint that each compute unit has for itself, with published curves behind.
# probe: levels
# variants: unit-bandwidth unit-bandwidth-write unit-bandwidth-copy
# scope: device
# series: variant
# rows: footprint_bytes
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Bandwidth of the device by the footprint of each unit'
set xlabel 'footprint of a unit (bytes)'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
has_bars = 1
do for [i=1:|series|] { series[i] = series[i] eq 'unit-bandwidth' ? 'read' : series[i][strlen('unit-bandwidth-') + 1:*] }
published_table = 'working-set.csv'
published_values = '$2 * 1024, $3'
if (!of_cpu) { load 'published-devices.gp'; y_min = y_min / 3 }
load 'series.gp'
