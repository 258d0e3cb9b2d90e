# Bandwidth of all compute units together by a footprint that each has for itself. It shows L1; the lines behind are
# published curves.
# probe: levels
# variants: unit-bandwidth unit-bandwidth-write unit-bandwidth-copy
# scope: device
# series: variant
# rows: footprint_bytes
# values: bandwidth_gb_s
# curves: working-set.csv footprint_kib_per_unit*1024 bandwidth_gb_s
title = 'Bandwidth of the device by the footprint of each unit'
set xlabel 'footprint of a unit (bytes)'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
do for [i=1:|series|] { series[i] = series[i] eq 'unit-bandwidth' ? 'read' : series[i][strlen('unit-bandwidth-') + 1:*] }
curves_note = 'published: RRZE-HPC gpu-benches'
load 'published-devices.gp'
if (exists("curve")) { y_min = y_min / 3 }
load 'series.gp'
