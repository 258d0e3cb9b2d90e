# Every width and stride of a load is a cell, whose colour says how many times the cost of stride 1 it has, in cycles
# if it was measured and in passes if it was predicted. Pale cells are free of conflicts. The darkest colour is the
# highest cost in the chart, 32 if all lanes of a warp meet in one bank. From 4 bytes up odd strides are pale, because
# an odd number and 32 banks have no common divisor. Stride 0 is pale because all lanes read one word, which costs
# nothing. If there are few strides, the cell shows the number. Of several devices the first four are drawn, one above
# the other.
# probe: smem
# variants: load
# scope: device compare
# first: 3
# sources: one
# series: device
# rows: width_bytes stride
# column: degree_percent = 100*degree|relative(passes_per_request)
# picture: cells
# values: degree_percent
# relative: stride=1
# points: 3
title = 'Bank conflicts: the cost of a load against stride 1'
if (subtitle eq '') subtitle = 'loads from shared memory, device above device'
marked = 'framed cells'
load 'frame.gp'

# One panel per device, one above the other, four at most.
most = 4
n = |series| > most ? most : |series|
if (|series| > most) subtitle = sprintf('the first %d of %d devices', most, |series|)
kind(i) = strstrt(source[i], 'measured') ? 'measured' : 'predicted'
block(kind, i) = sprintf('%s:%d:', kind, i)
row(width) = log(width) / log(2)
degree(percent) = percent < 100 ? 1 : percent / 100
text(degree, dark) = has_numbers && (degree > 11) == dark ? sprintf('%.2g', degree) : ''
has_numbers = x_max - x_min <= 16
upper = 0.825
lower = 0.13 + foot
height = (upper - lower) / n
gap = n > 1 ? 0.045 : 0

set palette defined (0 '#FFF7BC', 1 '#FEC44F', 2 '#FE9929', 3 '#D9570A', 4 '#993404', 5 '#5C1A04', 6 '#1F0800')
doublings = ceil(log(y_max / 100) / log(2) - 0.05)
doublings = doublings > 1 ? doublings : 1
set cbrange [0:doublings]
set cbtics ('1' 0)
set for [k=1:doublings] cbtics add (sprintf('%.0f', 2.0**k) k)
set cblabel 'times the cost of stride 1' offset 1 textcolor rgb ink
set colorbox user origin screen 0.87, screen lower size screen 0.03, screen upper - lower - gap
set xrange [x_min - 0.5 : x_max + 0.5]
set yrange [-0.5:4.5]
# A panel of four is low, so that it has room for every second width, and for a short title.
set ytics ('1' 0, n < most ? '2' : '' 1, '4' 2, n < most ? '8' : '' 3, '16' 4)
if (has_numbers) { set xtics 1 } else { set xtics 8 }
set ylabel (n < most ? 'width (bytes)' : 'bytes')
unset grid
unset key
set rmargin at screen 0.85
set multiplot
do for [i=1:n] {
    set tmargin at screen upper - (i - 1) * height - gap
    set bmargin at screen upper - i * height + (i < n ? 0.01 : 0)
    if (n > 1) { set label 9 series[i].', '.kind(i) at graph 0, graph 1 left noenhanced offset 0, 0.7 textcolor rgb ink }
    set format x (i < n ? '' : '%g')
    if (i == n) { set xlabel 'stride (elements)' }
    plot $data index block(kind(i), i) using 2:(row($1)):($2 - 0.5):($2 + 0.5):(row($1) - 0.5):(row($1) + 0.5):(row(degree($3))) \
            with boxxyerror fillcolor palette fillstyle solid 1 border rgb '#FFFFFF', \
        $data index block('marked', i) using 2:(row($1)):($2 - 0.4):($2 + 0.4):(row($1) - 0.4):(row($1) + 0.4) \
            with boxxyerror linecolor rgb ink fillstyle empty border, \
        for [dark=0:1] $data index block(kind(i), i) using 2:(row($1)):(text(degree($3), dark)) \
            with labels font small textcolor rgb (dark ? '#FFFFFF' : ink)
    do for [above=1:7] { unset label above }
    unset colorbox
}
unset multiplot
