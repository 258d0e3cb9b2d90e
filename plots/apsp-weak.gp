# The rate of several devices in percent of one, for a graph that grows so that each device does as many updates,
# below the line of ideal scaling.
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
set ylabel 'updates per second (% of one device)'
load 'scaling.gp'
