# How much of the traffic of a contiguous load is useful if the load starts some bytes away from an aligned address,
# by the model's count of sectors. A request that does not start on a sector's boundary touches one sector more, which
# weighs most for narrow elements, whose requests touch few sectors.
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
