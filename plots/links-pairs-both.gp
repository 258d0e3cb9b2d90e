# All pairs of devices: the sum of both directions at once, with a matrix for each variant that can move the bytes.
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
