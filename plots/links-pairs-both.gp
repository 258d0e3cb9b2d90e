# The two directions of each pair of devices at once, added, with a matrix for each way to move bytes.
# probe: links
# variants: pair-*
# scope: device
# where: direction=both-ways
# series: variant
# rows: number(from) number(to)
# values: sum_gb_s
# same: footprint_bytes
title = 'Bandwidth between devices, both ways added, GB/s'
load 'matrix.gp'
