# Strong scaling: the rate at which several devices solve one graph, relative to one of them.
# probe: apsp
# variants: multi-device
# scope: device
# where: backend=cuda|hip|sim
# series: vertices
# rows: devices
# values: relative(gop_s)
# relative: devices=1
# points: 2
title = 'One graph, more devices'
set xlabel 'devices'
set ylabel 'updates per second (% of one device)'
unit = ' vertices'
load 'scaling.gp'
