# Draws variants as bars, each with its value above. The chart's row column is variant, and its first value is the height.
# The chart sets title and ylabel_text before it loads this file. A second value is a bound, drawn as a line across the bar,
# and so is a prediction of a measured bar.
load 'frame.gp'
load 'error-bars.gp'

n = words(x_names)
if (!exists("y2_max")) y2_max = 0
short(y) = sprintf(y < 9.95 ? '%.2g' : y < 99.5 ? '%.3g' : '%.0f', y)
set boxwidth 0.7
set xrange [0.45:n + 0.55]
set yrange [0 : 1.12 * (y1_max > y2_max ? y1_max : y2_max)]
set grid noxtics ytics
set ylabel ylabel_text
plot_width = 670
load 'names.gp'
set bmargin at screen 0.08 + name_height + foot
set key at screen 0.97, screen legend_top top right horizontal maxrows 1 samplen 1.5 font small
set tmargin at screen 0.79
both = measured && predicted
array lines[n]
do for [i = 1:n] { lines[i] = 0 }
if (both) { stats $data index 'predicted:1:' using ($1 >= 1 ? (lines[int($1)] = $2) : NaN) nooutput }
# A label stands on the bar, or on the line of its prediction if that would cross it.
above(x, y) = both && x >= 1 && lines[int(x)] > y - 0.01 * y1_max && lines[int(x)] < y + 0.08 * (y1_max > y2_max ? y1_max : y2_max) ? lines[int(x)] : y
plot $data index 'predicted:1:' using 1:(both ? NaN : $2) with boxes linecolor rgb colour[1] fillstyle solid 0.5 border \
        title entry(predicted && !both, 'predicted'), \
    $data index 'plain:1:' using 1:2 with boxes linecolor rgb colour[1] title entry(measured, 'measured'), \
    $data index 'marked:1:' using 1:2 with boxes linewidth 2 linecolor rgb colour[1] fillstyle empty border \
        title (words(marks) ? 'hollow: '.marks : ''), \
    $data index 'predicted:1:' using ($1 - 0.42):(both ? $2 : NaN):(0.84):(0) with vectors nohead linewidth 2 \
        linecolor rgb colour[2] title entry(both, 'predicted'), \
    for [kind in both ? 'measured:1:' : 'measured:1: predicted:1:'] $data index kind using 1:(above($1, top_of($2))):(short($2)) with labels font small \
        offset 0, 0.6 textcolor rgb ink notitle, \
    $data index 'measured:1:' using ($1 - 0.42):(y2_max > 0 ? $3 : NaN):(0.84):(0) with vectors nohead linewidth 3 \
        linecolor rgb ink title entry(y2_max > 0, 'add-min instructions alone'), \
    $data index 'measured:1:' using 1:(column(low_column)):(0):(column(high_column) - column(low_column)) @error_bar \
        title entry(bar_kind ne '', bar_kind)
