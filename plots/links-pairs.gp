# Bandwidth between devices, one direction alone: a matrix for each way to move bytes, from the row to the column, for
# the largest transfers that all pairs have. Equal cells mean that all pairs have links of the same kind; blocks of
# darker cells are devices that share a switch or NVLink.
# probe: links
# variants: pair-*
# scope: device
# where: direction=one-way
# series: variant
# rows: number(from) number(to)
# values: one_way_gb_s
# same: footprint_bytes
title = 'Bandwidth between devices, one way, GB/s'
load 'matrix.gp'
