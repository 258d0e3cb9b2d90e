# The rate of several devices that solve one graph, in percent of one of them, below the line of ideal scaling.
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
