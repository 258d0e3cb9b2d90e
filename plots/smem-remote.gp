# Bytes that a unit moves in a clock to or from the shared memory of the next block of its cluster, by stride.
# probe: smem
# variants: remote-load remote-store remote-atomic-add
# file: smem-clusters
# scope: device
# where: width_bytes=4 distance=1
# same: cluster
# series: variant
# rows: stride
# values: bytes_per_clock
title = "Another block's shared memory by stride"
set xlabel 'stride (elements)'
set ylabel 'bytes a clock and unit'
load 'series.gp'
