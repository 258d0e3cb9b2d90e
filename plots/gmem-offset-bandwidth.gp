# What a misaligned copy costs in time, in percent of the aligned copy of the same run. It costs far less than the
# traffic suggests if a cache still holds the sector that two neighbouring warps share.
# probe: gmem
# variants: offset
# scope: device
# where: stride=1
# series: width_bytes
# rows: offset_bytes
# values: relative(bandwidth_gb_s)
# relative: offset=0
title = 'Misaligned copy, relative to the aligned one'
set xlabel 'offset from alignment (bytes)'
set ylabel 'bandwidth (% of aligned)'
log_x = 0
log_y = 0
from_zero = 0
limit = 100
limit_name = 'aligned'
set xtics 8
load 'series.gp'
