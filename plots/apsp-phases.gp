# What the time of blocked Floyd-Warshall goes into: each kernel's share of a solution, variant beside variant.
# probe: apsp
# variants: baseline grid-2d padded coalesced shared-column shared-row tile-64 occupancy coarsened unrolled register-tiled int16
# scope: device
# where: backend=cuda|hip|sim kernel=pad|phase1|phase2|phase3|unpad
# series: kernel
# rows: step
# values: time_ns_median
title = 'All-pairs shortest paths: what the time goes into'
step_names = 'baseline grid-2d padded coalesced shared-column shared-row tile-64 occupancy coarsened unrolled register-tiled int16'
load 'frame.gp'

# First the sum of each variant's parts, then each part's share upon the one before.
n = |series|
steps = words(step_names)
kind = measured ? 'measured' : 'predicted'
block(i) = sprintf('%s:%d:', kind, i)
array total[steps]
array base[steps]
do for [k=1:steps] { total[k] = 0; base[k] = 0 }
set table $sums
plot for [i=1:n] $data index block(i) using 1:(x = int($1), total[x] = total[x] + $2)
unset table
low(x) = base[x]
raise(x, share) = (base[x] = base[x] + share)
set xrange [0.45:steps + 0.55]
set yrange [0:100]
set grid noxtics ytics
set ylabel 'share of the time (%)'
set xtics scale 0 ('' 1) rotate by 30 right font small
set for [k=1:steps] xtics add (word(step_names, k) k)
set key at screen 0.97, screen 0.9 top right horizontal maxrows 1 samplen 1.5 font small
set tmargin at screen 0.82
set bmargin at screen 0.2
plot for [i=1:n] $data index block(i) using 1:(0):($1 - 0.35):($1 + 0.35):(low(int($1))):(raise(int($1), 100 * $2 / total[int($1)])) \
    with boxxyerror linecolor rgb colour[i] title series[i]
