# Misaligned access: the useful share of the bytes moved, by the distance from alignment.
# probe: gmem
# variants: offset
# scope: device
# where: stride=1
# series: width_bytes
# rows: offset_bytes
# values: load_efficiency_pct
# counts: all
title = 'Misaligned loads: how much of the traffic is useful'
set xlabel 'offset from alignment (bytes)'
set ylabel 'load efficiency (%)'
log_x = 0
log_y = 0
limit = 100
limit_name = 'all useful'
set xtics 8
load 'series.gp'
