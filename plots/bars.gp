# Draws variants as bars, each with its value above. The chart's row column is variant, and its first value is the height.
# The chart sets title and ylabel_text before it loads this file. A second value is a bound, which limit_name names, drawn as a line
# across the bar, and so is a prediction of a measured bar.
marked = 'hollow bars'
load 'frame.gp'
load 'error-bars.gp'
load 'bar-values.gp'

n = words(x_names)
if (!exists("y2_max")) y2_max = 0
top = y1_max > y2_max ? y1_max : y2_max
set boxwidth 0.7
set xrange [0.45:n + 0.55]
set yrange [0 : 1.12 * top]
set grid noxtics ytics
set ylabel ylabel_text
plot_width = 670
load 'names.gp'
set bmargin at screen 0.08 + name_height + foot
both = measured && predicted
limited = y2_max > 0
array legend[6] = [entry(predicted && !both, 'predicted'), entry(measured, 'measured'), entry(words(marks), 'not ok'), \
    entry(both, 'predicted'), limited ? limit_name : '', bar_kind]
load 'legend.gp'
# The predictions are lines across the bars, which the values stand clear of.
array lines[n]
do for [i = 1:n] { lines[i] = 0 }
if (both) { stats $data index 'predicted:1:' using ($1 >= 1 ? (lines[int($1)] = $2) : NaN) nooutput }
above(x, y, limit) = x >= 1 && x <= n ? over_both(lines[int(x)], limited ? limit : 0, y) : y
plot $data index 'predicted:1:' using 1:(both ? NaN : $2) with boxes linecolor rgb colour[1] fillstyle solid 0.5 border title legend[1], \
    $data index 'plain:1:' using 1:2 with boxes linecolor rgb colour[1] title legend[2], \
    $data index 'marked:1:' using 1:2 with boxes linewidth 2 linecolor rgb colour[1] fillstyle empty border title legend[3], \
    $data index 'predicted:1:' using ($1 - 0.42):(both ? $2 : NaN):(0.84):(0) with vectors nohead linewidth 2 \
        linecolor rgb colour[2] title legend[4], \
    for [kind in both ? 'measured:1:' : 'measured:1: predicted:1:'] $data index kind \
        using 1:(above($1, top_of($2), limited ? $3 : 0)):(bar_text($2)) @bar_values, \
    $data index 'measured:1:' using ($1 - 0.42):(limited ? $3 : NaN):(0.84):(0) with vectors nohead linewidth 3 \
        linecolor rgb ink title legend[5], \
    $data index 'measured:1:' using 1:(column(low_column)):(0):(column(high_column) - column(low_column)) @error_bar \
        title legend[6]
