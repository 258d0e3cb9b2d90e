# Bandwidth of all compute units together by a footprint that they share. It shows the levels behind L1; the lines
# behind are published curves.
# probe: levels
# variants: bandwidth bandwidth-follow bandwidth-write bandwidth-copy
# scope: device
# series: variant
# rows: footprint_bytes
# values: bandwidth_gb_s
# curves: l2-bandwidth.csv footprint_kib*1024 bandwidth_gb_s
title = 'Bandwidth by the footprint that all units share'
set xlabel 'footprint (bytes)'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
do for [i=1:|series|] { series[i] = series[i] eq 'bandwidth' ? 'read' : series[i][strlen('bandwidth-') + 1:*] }
curves_note = 'published: RRZE-HPC gpu-benches'
load 'published-devices.gp'
if (exists("curve")) { y_min = y_min / 3 }
load 'series.gp'
