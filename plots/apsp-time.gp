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
if (measured) note = 'files: read and written; matrix: made from the edges, pinned; the parts follow one another'
load 'stack.gp'
