# Four ways to transpose a matrix, with the bandwidth above and the bank conflicts of one launch below. `naive` has no
# tile in shared memory, so it has no conflicts to count, and pays with strided stores. `shared` has a tile of 32
# columns, each of which (of 4-byte elements) lies in one bank. `padded` has 33 columns and `swizzled` permutes them by
# XOR. Both count 0 conflicts, but for the few of `padded` at 2 bytes. Pale bars and black edges are predicted. Only the
# simulator counts conflicts; without its rows the lower half says `not counted`.
# probe: smem
# variants: transpose-*
# scope: device
# series: width_bytes
# rows: variant
# picture: columns
# values: bandwidth_gb_s bank_conflicts
title = 'Transposes and their bank conflicts'
marked = 'hollow bars'
load 'frame.gp'
load 'error-bars.gp'

# Measured bars are full, predicted ones pale where there are no measured ones, else an edge; marked ones are hollow.
n = |series|
thin = 0.8 / n
at(step, i) = step + (i - (n + 1) / 2.0) * thin
block(kind, i) = sprintf('%s:%d:', kind, i)
is_predicted(i) = source[i] eq 'predicted'
counts(i) = strstrt(source[i], 'predicted') ? 'predicted' : 'measured'
short(x) = x < 1000 ? sprintf('%.0f', x) : gprintf('%.0s%c', x)

set boxwidth 0.9 * thin
steps = words(x_names)
set xrange [0.45:steps + 0.55]
set grid noxtics ytics
set rmargin at screen 0.76
set multiplot

set tmargin at screen 0.825
set bmargin at screen 0.46
set xtics scale 0 ('' 1)
set ylabel 'bandwidth (GB/s)'
set yrange [0 : 1.05 * y1_max]
set key at screen 0.775, screen 0.825 top left vertical maxcols 1 Left reverse samplen 1.5 spacing row_spacing
plot for [i=1:n] $data index block('plain', i) using (at($1, i)):2 with boxes linecolor rgb colour[i] notitle, \
    for [i=1:n] $data index block('predicted', i) using (at($1, i)):(is_predicted(i) ? $2 : NaN) \
        with boxes linecolor rgb colour[i] fillstyle solid 0.5 border notitle, \
    for [i=1:n] $data index block('predicted', i) using (at($1, i) - 0.45 * thin):(is_predicted(i) ? NaN : $2):(0.9 * thin):(0) \
        with vectors nohead linewidth 3 linecolor rgb ink notitle, \
    for [i=1:n] $data index block('marked', i) using (at($1, i)):2 \
        with boxes linewidth 2 linecolor rgb colour[i] fillstyle empty border notitle, \
    for [i=1:n] $data index block('measured', i) using (at($1, i)):(column(low_column)):(0):(column(high_column) - column(low_column)) \
        @error_bar notitle, \
    for [i=1:n] NaN with boxes linecolor rgb colour[i] fillstyle solid (is_predicted(i) ? 0.5 : 1) border title series[i], \
    NaN with lines linewidth 3 linecolor rgb ink title entry(measured && predicted, 'predicted'), \
    NaN with boxes linewidth 2 linecolor rgb ink fillstyle empty border title entry(words(marks), 'not ok')

do for [above=1:7] { unset label above }
unset key
set tmargin at screen 0.4
set bmargin at screen 0.12 + foot
remark(name) = name eq 'naive' ? 'no tile to count' : name eq 'shared' ? '32 columns' : name eq 'padded' ? '33 columns' : \
    name eq 'swizzled' ? 'XOR' : ''
set for [k=1:steps] xtics add (sprintf("%s\n%s", word(x_names, k), remark(word(x_names, k))) k)
set ylabel predicted ? "bank conflicts\n(simulated)" : 'bank conflicts'
unset ytics
if (!exists("y2_max")) { set label 9 'not counted' at graph 0.5, 0.5 center textcolor rgb pale }
set yrange [0 : exists("y2_max") && y2_max > 0 ? 1.25 * y2_max : 1]
plot for [kind in 'predicted measured'] for [i=1:n] $data index block(kind, i) using (at($1, i)):3 \
        with boxes linecolor rgb colour[i], \
    for [i=1:n] $data index block(counts(i), i) using (at($1, i)):3:(short($3)) \
        with labels font small offset 0, 0.6 textcolor rgb ink
unset multiplot
