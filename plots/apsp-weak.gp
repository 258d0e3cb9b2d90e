# Weak scaling: the same against one device where the graph grows so that each has as many updates.
# probe: apsp
# variants: weak-scaling
# scope: device
# where: backend=cuda|hip|sim
# series: variant
# rows: devices
# values: relative(gop_s)
# same: ops/devices
# relative: devices=1
# points: 2
title = 'A graph that grows with the devices'
set xlabel 'devices'
set ylabel 'updates a second (% of one device)'
load 'scaling.gp'
