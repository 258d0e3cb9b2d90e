# What the time of a run goes into by the size of the graph, files and transfers too.
# probe: apsp
# variants: register-tiled
# scope: device
# where: backend=cuda|hip|sim kernel=read|init|pin|copy-in|pad|phase1|phase2|phase3|unpad|copy-out|write
# series: work
# order: files matrix copies padding phase1 phase2 phase3
# rows: work_rank vertices
# values: time_ns_median
title = 'What the time goes into, by the size of the graph'
set xlabel 'vertices'
shares = 1
note = 'files: read and written; matrix: made of the edges, pinned; the parts follow one another'
load 'stack.gp'
