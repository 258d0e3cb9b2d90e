# Draws lines over a sweep, with one colour per series: measured rows as points with a bar (bar_kind says of what), hollow where their
# verdict is not ok, predicted rows as a line, published ones as a dashed line with crosses. The values of an x that is not a number
# get positions side by side.
# A chart sets title and may set these before it loads this file:
if (!exists("log_x")) log_x = 1             # logarithmic axes
if (!exists("log_y")) log_y = 1
if (!exists("from_zero")) from_zero = 1     # a y axis that is not logarithmic begins at 0, else near the data
if (!exists("show_peak")) show_peak = 0     # draw the device's peak, in GB/s
if (!exists("limit")) limit = NaN           # a level to draw, and
if (!exists("limit_name")) limit_name = ''  # its name in the legend
if (!exists("below")) below = 0             # legend below the plot: for long names
if (!exists("behind")) behind = ''          # what is plotted behind everything else, ending in a comma, and
if (!exists("behind_names")) behind_names = '' # its names in the legend, beginning with one

if (below) subtitle = (subtitle eq '' ? '' : subtitle.'; ').(measured && predicted ? 'points: measured, lines: predicted' : measured ? 'measured' : 'predicted')

marked = 'hollow points'
load 'frame.gp'

if (x_names ne x_values) {
    log_x = 0
    plot_width = below ? 670 : 490
    load 'names.gp'
}
base = x_names eq x_values ? 0.13 : 0.08 + name_height
set bmargin at screen base + foot

# Axes: room around the data, more of it above the peak for its label.
n = |series|
block(kind, i) = sprintf('%s:%d:', kind, i)
is_finite(value) = value == value
speed(value) = sprintf(value < 100 ? '%.3g GB/s' : '%.0f GB/s', value)
top = y_max
if (show_peak) do for [i=1:n] { top = is_finite(peak[i]) && peak[i] > top ? peak[i] : top }
top = is_finite(limit) && limit > top ? limit : top
factor = x_max > x_min ? 1.15 : 2
margin = x_max > x_min ? 0.03 * (x_max - x_min) : 1
if (log_x) { set logscale x 2; set xrange [x_min / factor : x_max * factor] }
if (x_names ne x_values) margin = 0.55
if (!log_x) set xrange [x_min - margin : x_max + margin]
least = (y_min > 0 ? y_min : top / 1000) / 1.4
if (log_y) { set logscale y 10; set yrange [least : top * 1.5] }
bottom = from_zero ? 0 : y_min
room = 0.12 * (top - bottom > 1 ? top - bottom : 1)
if (!log_y) set yrange [from_zero ? 0 : bottom - room : top + room]
if ((log_y ? top * 1.5 : top + room) >= 100000) set lmargin at screen 0.14 # tics of six digits
if (log_y) set for [k=-3:8] ytics add (sprintf('%g', 10.0**k) 10.0**k, sprintf('%g', 2 * 10.0**k) 2 * 10.0**k, \
    sprintf('%g', 5 * 10.0**k) 5 * 10.0**k)

# Levels. One device's peak is named on its line, at the right end unless points lie there and none do at the left; several devices'
# are named in the legend.
across(x) = log_x ? log(x * factor / x_min) / log(x_max / x_min * factor ** 2) : (x - x_min + margin) / (x_max - x_min + 2 * margin)
upward(y) = log_y ? log(y / least) / log(1.5 * top / least) : y / (top + room)
near_peak(y) = upward(y) > upward(peak[1]) - 0.03 && upward(y) < upward(peak[1]) + 0.09
right_points = 0
left_points = 0
count_near(x, y) = near_peak(y) ? (across(x) > 0.65 ? (right_points = right_points + 1) : across(x) < 0.35 ? (left_points = left_points + 1) : 0) : 0
if (show_peak && !below && is_finite(peak[1])) {
    set table $near
    plot for [i=1:n] for [kind in 'measured predicted'] $data index block(kind, i) using 1:(count_near($1, $2))
    unset table
}
peak_is_right = !right_points || left_points > 0
if (is_finite(limit)) set arrow from graph 0, first limit to graph 1, first limit nohead dashtype 2 linewidth 2 linecolor rgb ink
if (show_peak) do for [i=1:n] {
    if (is_finite(peak[i]) && (below || i == 1)) {
        set arrow from graph 0, first peak[i] to graph 1, first peak[i] nohead dashtype 2 linewidth 2 \
            linecolor rgb (below ? colour[i] : ink)
        if (!below) {
            if (peak_is_right) { set label 'peak '.speed(peak[i]) at graph 0.985, first peak[i] right offset 0, 0.6 textcolor rgb ink }
            if (!peak_is_right) { set label 'peak '.speed(peak[i]) at graph 0.015, first peak[i] left offset 0, 0.6 textcolor rgb ink }
        }
    }
}

# The legend explains the bars if one of them is longer than its point.
length(low, high) = log_y ? log(high / low) / log(1.5 * top / least) : (high - low) / top
longest_bar = 0
longer(bar) = (longest_bar = bar > longest_bar ? bar : longest_bar)
if (bar_kind ne '') {
    set table $lengths
    plot for [i=1:n] $data index block('measured', i) using 1:(longer(length(column(low_column), column(high_column))))
    unset table
}
shows_bars = longest_bar > 0.03

# Each series has smaller points than the one before, so that a point under another can be seen.
sizes = '1.5 1 0.85 0.75 0.67 0.6 0.55 0.5'
size(i) = (n > 1 ? word(sizes, i) : 1.1) * dot

# The legend is outside the plot.
longest_name = 26
short(text) = below || strlen(text) <= longest_name ? text : text[1:longest_name - 2].'...'
name(i) = short(series[i]).(below ? ', '.source[i].(show_peak && is_finite(peak[i]) ? ', peak '.speed(peak[i]) : '') : '')
is_points(i) = source[i] eq 'measured'
has_points(i) = strstrt(source[i], 'measured') > 0
has_kinds = !below && (measured && predicted || series[1] eq '')
has_limit = is_finite(limit)
lines = n + 2 * has_kinds + shows_bars + has_limit + published + (words(marks) > 0)
if (below) {
    # There is room for seven rows. More of them move together, because those that do not fit into the plot's height
    # would begin a second column, beyond the picture.
    legend_height = 0.27 / 7 * (lines < 7 ? lines : 7)
    set bmargin at screen base + 0.02 + legend_height + foot
    set key at screen 0.11, screen legend_height + foot top left vertical maxcols 1 Left reverse samplen 2 \
        spacing 0.8 * row_spacing * (lines > 7 ? 7.0 / lines : 1)
} else {
    # A legend with long names takes room from the plot.
    letters = 15
    do for [i=1:n] { letters = strlen(series[i]) > letters ? strlen(series[i]) : letters }
    legend_left = 0.76 - 0.016 * ((letters > longest_name ? longest_name : letters) - 15)
    set rmargin at screen legend_left - 0.015
    # Rows that do not fit into the plot's height would begin a second column, beyond the picture.
    rows_fit = (format eq 'svg' ? 15 : 11.2) * (0.825 - base - foot) / 0.695
    legend_rows = lines + (exists('published_list') ? 1 + words(published_list) : 0)
    set key at screen legend_left, screen 0.825 top left vertical maxcols 1 Left reverse samplen 1.8 \
        spacing row_spacing * (legend_rows > rows_fit ? rows_fit / (1.0 * legend_rows) : 1)
}

plot @behind for [i=1:n] $data index block('published', i) using 1:2 with linespoints linewidth 2.5 dashtype 3 \
        linecolor rgb (n == 1 ? pale : colour[i]) pointtype 2 pointsize 1.1 * dot notitle, \
    for [i=1:n] $data index block('predicted', i) using 1:2 with linespoints linewidth 2.5 \
        linecolor rgb colour[i] pointtype 7 pointsize 0.4 * dot notitle, \
    for [i=1:n] $data index block('measured', i) using 1:(column(low_column)):(0):(column(high_column) - column(low_column)) \
        with vectors heads size screen 0.005,90 linewidth 1.5 linecolor rgb colour[i] notitle, \
    for [i=1:n] $data index block('plain', i) using 1:2 with points linecolor rgb colour[i] \
        pointtype shape[i] pointsize size(i) notitle, \
    for [i=1:n] $data index block('marked', i) using 1:2 with points linewidth 2 \
        linecolor rgb colour[i] pointtype shape[i] - 1 pointsize 1.2 * size(i) notitle, \
    for [i=1:n] NaN with linespoints linewidth 2.5 linecolor rgb colour[i] pointtype (has_points(i) ? shape[i] : 7) \
        pointsize (has_points(i) ? size(i) : 0.4 * dot) title entry(!is_points(i), name(i)), \
    for [i=1:n] NaN with points linecolor rgb colour[i] pointtype shape[i] pointsize size(i) title entry(is_points(i), name(i)), \
    NaN with points pointtype 7 pointsize 1.1 * dot linecolor rgb ink title entry(has_kinds && measured, 'measured'), \
    NaN with points pointtype '|' linecolor rgb ink title entry(shows_bars, bar_kind), \
    NaN with lines linewidth 2.5 linecolor rgb ink title entry(has_kinds && predicted, 'predicted'), \
    NaN with lines linewidth 2 dashtype 2 linecolor rgb ink title entry(has_limit, limit_name), \
    NaN with linespoints linewidth 2.5 dashtype 3 linecolor rgb pale pointtype 2 pointsize 1.1 * dot title entry(published, 'published'), \
    NaN with points linewidth 2 linecolor rgb ink pointtype 6 pointsize 1.3 * dot title entry(words(marks), 'not ok') \
    @behind_names
