# Draws a ladder of variants: bandwidth as bars above, counters as a table below, the yardsticks as lines.
# The chart's first row column is variant. Its values are speed (so that published rows are taken, too), the height of the
# bars, and the counters. Before it loads this file it sets
#   counters          the names of the table's rows, in the order of the counters, with '_' for a blank
#   published_columns which of them were published: one word, 0 or 1, for each
#   digits            the format of the table's numbers from 10 up ('%.0f')
# After the bars the data has the yardsticks: first the read limit, then the library.
marked = 'hollow bars'
load 'frame.gp'
load 'error-bars.gp'
load 'bar-values.gp'

n = words(x_names)
rows = words(counters)
named(text) = system("echo '".text."' | tr _ ' '")
all_rows = rows
do for [k=1:rows] { all_rows = all_rows + (published && word(published_columns, k) + 0 ? 1 : 0) }
is_bar(x) = x <= n
bar(x, y) = is_bar(x) ? y : NaN
counts = predicted ? 'predicted:1:' : 'measured:1:'
if (!exists("digits")) digits = '%.0f'
short(x) = x != x ? '' : x == 0 ? '0' : x < 9.95 && digits eq '%.0f' ? sprintf('%.1f', x) : x < 9999.5 ? sprintf(digits, x) : gprintf('%.0s%c', x)
left = rows ? 0.2 : 0.125
has_limit = x_max > n
has_library = x_max > n + 1

set lmargin at screen left
set rmargin at screen 0.97
set xrange [0.45:n + 0.55]
set grid noxtics ytics

# The ends of the bars are those of the speed, the first value, of which the height is a multiple.
height_of(x, speed, height, end) = bar(x, height * end / speed)
# A plot without a table has room for the bars' values. They stand clear of the yardsticks, whose lines go through all bars.
top = y2_max
read_limit = 0
library = 0
kinds = measured ? 'measured:1:' : 'predicted:1:'
look(x, height, end) = (top = end > top ? end : top, read_limit = x == n + 1 ? height : read_limit, library = x == n + 2 ? height : library)
if (!rows) { stats $data index kinds using (look($1, $3, height_of($1, $2, $3, top_of($2)))) nooutput }
value_at(x, y) = rows ? NaN : bar(x, over_both(read_limit, library, y))

set multiplot
plot_width = (0.97 - left) * 800
load 'names.gp'
set bmargin at screen (rows ? 0.42 : 0.08 + name_height) + foot
set boxwidth 0.7
set yrange [0 : 1.12 * top]
# The plot above a table is low, so that it has room for few tics.
decade = 10 ** floor(log10(1.12 * top))
if (rows) { set ytics decade * (1.12 * top < 2 * decade ? 0.5 : 1.12 * top < 5 * decade ? 1 : 2) }
set ylabel ylabel_text
array legend[7] = [entry(measured, 'measured'), entry(predicted && !measured, 'predicted'), entry(predicted && measured, 'predicted'), \
    entry(words(marks), 'not ok'), bar_kind, entry(has_limit, 'read limit'), entry(has_library, 'library')]
load 'legend.gp'
limit(x, y, step) = x == n + step ? y : NaN
plot $data index 'plain:1:' using 1:(bar($1, $3)) with boxes linecolor rgb colour[1] title legend[1], \
    $data index 'predicted:1:' using 1:(measured ? NaN : bar($1, $3)) with boxes linecolor rgb colour[1] \
        fillstyle solid 0.5 border title legend[2], \
    $data index 'predicted:1:' using ($1 - 0.42):(measured ? bar($1, $3) : NaN):(0.84):(0) with vectors nohead \
        linewidth 3 linecolor rgb colour[2] title legend[3], \
    $data index 'marked:1:' using 1:(bar($1, $3)) with boxes linewidth 2 linecolor rgb colour[1] \
        fillstyle empty border title legend[4], \
    for [kind in 'measured:1: predicted:1:'] $data index kind \
        using (0.45):(kind eq 'predicted:1:' && measured ? NaN : limit($1, $3, 1)):(n + 0.1):(0) \
        with vectors nohead linewidth 2 linecolor rgb ink notitle, \
    $data index 'measured:1:' using (0.45):(limit($1, $3, 2)):(n + 0.1):(0) with vectors nohead linewidth 2 \
        dashtype 2 linecolor rgb colour[3] notitle, \
    $data index 'measured:1:' using 1:(height_of($1, $2, $3, column(low_column))):(0):(height_of($1, $2, $3, column(high_column) - \
        column(low_column))) @error_bar title legend[5], \
    $data index kinds using 1:(value_at($1, height_of($1, $2, $3, top_of($2)))):(bar_text($3)) @bar_values, \
    NaN with lines linewidth 2 linecolor rgb ink title legend[6], \
    NaN with lines linewidth 2 dashtype 2 linecolor rgb colour[3] title legend[7]

if (rows) {
    do for [above=1:7] { unset label above }
    unset key
    unset border
    unset grid
    unset xtics
    unset ytics
    unset ylabel
    set tmargin at screen 0.26 + foot
    set bmargin at screen 0.05 + foot
    set yrange [-all_rows - 0.5:-0.5]
    line = 0
    do for [k=1:rows] {
        line = line + 1
        set label 20 + line named(word(counters, k)) at screen 0.02, first -line left font small textcolor rgb ink
        if (published && word(published_columns, k) + 0) {
            line = line + 1
            set label 20 + line 'published' at screen 0.045, first -line left font small textcolor rgb pale
        }
    }
    array at[rows]
    line = 0
    do for [k=1:rows] {
        line = line + 1
        at[k] = line
        line = line + (published && word(published_columns, k) + 0)
    }
    plot for [k=1:rows] $data index counts using 1:(bar($1, -at[k])):(short(column(k + 3))) with labels font small textcolor rgb ink, \
        for [k=1:rows] $data index 'published:1:' using 1:(word(published_columns, k) + 0 ? bar($1, -at[k] - 1) : NaN):(short(column(k + 3))) \
            with labels font small textcolor rgb pale
}
unset multiplot
