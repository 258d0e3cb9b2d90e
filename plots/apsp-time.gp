# The parts of a run's time by the size of the graph, with files and transfers.
# probe: apsp
# variants: register-tiled
# scope: device
# where: backend=cuda|hip|sim
# series: kernel
# groups: files=read|write matrix=init|pin copies=copy-in|copy-out padding=pad|unpad phase1 phase2 phase3 rounds=prepare|whole_round
# rows: kernel vertices
# sources: one
# points: 2
# values: time_ns_median
title = 'Parts of the time, by the size of the graph'
set xlabel 'vertices'
shares = 1
# The foot explains only parts that the picture has.
foot(name, text) = (sum [i=1:|series|] (series[i] eq name)) ? name.': '.text.'; ' : ''
if (measured) note = foot('files', 'read and written').foot('matrix', 'made from the edges, and pinned where wanted').'the parts follow one another'
load 'stack.gp'
