# Latency of a load from the shared memory of another block by its distance in the cluster. At distance 0 it is the
# block's own, by the path that leads to all.
# probe: smem
# variants: remote-latency
# file: smem-clusters
# scope: device
# where: stride=1 width_bytes=4
# series: cluster
# rows: distance
# values: cycles_per_request
title = "Latency of another block's shared memory"
set xlabel 'distance (ranks in the cluster)'
set ylabel 'latency (clock cycles)'
do for [i=1:|series|] { series[i] = 'clusters of '.series[i] }
log_x = 0
log_y = 0
load 'series.gp'
