# The parts of a whole run of `register-tiled` by the size of the graph (`--vertices 1024:16384:*2`), with files and
# transfers if they were measured. Each bar is one run: its parts in percent of their sum, which stands above it,
# rounded. Files and transfers grow as n^2, but phase 3 as n^3, so its share grows to the right. `rounds` are those of
# small graphs, where one launch runs all phases of a round. In the run that is drawn the parts follow one another. In a
# solution the pivot's phases run at the same time as phase 3, so it takes less time than their sum.
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
if (measured) note = foot('files', 'read, written').foot('matrix', 'from edges, pinned if wanted').foot('rounds', 'a launch each').'the parts in turn'
load 'stack.gp'
