# Draws stacked bars: what each part adds to a whole, with one colour per series, upwards in the order of a run. A chart's
# rows are kernel and the column of the bars; its first value is a time in nanoseconds, and all rows have one source. The chart
# sets title, and may set this, before it loads this file:
if (!exists("shares")) shares = 0          # parts in percent of their bar, the time above it
marked = 'some parts'
load 'frame.gp'

n = |series|
kind = measured ? 'measured' : 'predicted'
block(i) = sprintf('%s:%d:', kind, i)

# A part has the same colour in all charts: its index in style.gp's list.
colours = 'init=1 pin=7 copy-in=3 pad=4 phase1=2 phase2=6 phase3=1 exchange=7 unpad=5 copy-out=6 files=8 matrix=5 copies=3 padding=4 rounds=7 '
colour_at(name) = strstrt(colours, name.'=') + strlen(name) + 1
colour_of(i) = strstrt(colours, series[i].'=') ? int(substr(colours, colour_at(series[i]), colour_at(series[i]))) : i

# Bars stand side by side.
bars = words(x_values)
bar_of(x) = sum [b=1:bars] (word(x_values, b) == x ? b : 0)

# First sums up each bar, then puts each part on those below it.
array total[bars]
array base[bars]
do for [b=1:bars] { total[b] = 0; base[b] = 0 }
set table $sums
plot for [i=1:n] $data index block(i) using 2:(b = bar_of($2), total[b] = total[b] + $3)
unset table
highest = 0
do for [b=1:bars] { highest = total[b] > highest ? total[b] : highest }
ns_per_unit = highest < 1e3 ? 1 : highest < 1e6 ? 1e3 : highest < 1e9 ? 1e6 : 1e9
unit(ns) = ns < 1e3 ? 'ns' : ns < 1e6 ? 'µs' : ns < 1e9 ? 'ms' : 's'
in_unit(amount) = sprintf(amount < 9.95 ? '%.2g' : '%.0f', amount)
duration(ns) = sprintf('%s %s', in_unit(ns / (ns < 1e3 ? 1 : ns < 1e6 ? 1e3 : ns < 1e9 ? 1e6 : 1e9)), unit(ns))
height(x, ns) = shares ? 100 * ns / total[bar_of(x)] : ns / ns_per_unit
low(x) = base[bar_of(x)]
raise(x, ns) = (base[bar_of(x)] = base[bar_of(x)] + height(x, ns))

set xrange [0.45:bars + 0.55]
set yrange [0 : shares ? 107 : 1.1 * highest / ns_per_unit]
set grid noxtics ytics
set ylabel shares ? 'share of the sum above the bar (%)' : sprintf('time (%s)', unit(highest))
plot_width = 670
load 'names.gp'
set key at screen 0.97, screen legend_top top right horizontal maxcols (n > 5 ? (n + 1) / 2 : n) samplen 1.2 font small
set tmargin at screen (n > 5 ? 0.755 : 0.785)
set bmargin at screen (slanted ? 0.08 + name_height : 0.13) + foot
do for [b=1:bars] {
    set label duration(total[b]) at first b, first (shares ? 100 : total[b] / ns_per_unit) center offset 0, 0.6 font small \
        textcolor rgb ink
}
wide = bars > 2 ? 0.35 : 0.15 * bars
plot for [i=1:n] $data index block(i) \
        using (bar_of($2)):(0):(bar_of($2) - wide):(bar_of($2) + wide):(low($2)):(raise($2, $3)) \
        with boxxyerror linecolor rgb colour[colour_of(i)] title series[i]
