# Draws a matrix for each of the first four series. The first two numbers of the data are row and column, and each cell shows the
# third one as a colour and in figures. A chart sets title.
marked = 'framed cells'
load 'frame.gp'

n = |series| > 4 ? 4 : |series|
across = n > 1 ? 2 : 1
down = (n + across - 1) / across
block(kind, i) = sprintf('%s:%d:', kind, i)
figure(value, dark) = (value > 0.55 * y_max) == dark ? sprintf(value < 100 ? '%.3g' : '%.0f', value) : ''

set palette defined (0 '#FFF7BC', 1 '#FEC44F', 2 '#FE9929', 3 '#D9570A', 4 '#993404', 5 '#5C1A04')
set cbrange [0:y_max]
set xrange [x_min - 0.5 : x_max + 0.5]
set yrange [x_max + 0.5 : x_min - 0.5]
set xtics 1 scale 0
set ytics 1 scale 0
unset grid
unset key
left = 0.1
right = 0.84
upper = 0.8
lower = 0.12 + foot
width = (right - left) / across
height = (upper - lower) / down
set colorbox user origin screen 0.88, screen lower size screen 0.025, screen upper - lower
set label 8 'GB/s' at screen 0.88, screen upper + 0.022 left textcolor rgb ink
set multiplot
do for [i=1:n] {
    at_x = (i - 1) % across
    at_y = (i - 1) / across
    set lmargin at screen left + at_x * width
    set rmargin at screen left + (at_x + 1) * width - 0.05
    set tmargin at screen upper - at_y * height
    set bmargin at screen upper - (at_y + 1) * height + 0.075
    set label 9 series[i] at graph 0, graph 1 left noenhanced offset 0, 0.7 textcolor rgb ink
    if (i + across > n) { set xlabel 'to device'; set format x '%g' } else { unset xlabel; set format x '' }
    if (at_x == 0) { set ylabel 'from device'; set format y '%g' } else { unset ylabel; set format y '' }
    plot $data index block('measured', i) using 2:1:($2 - 0.5):($2 + 0.5):($1 - 0.5):($1 + 0.5):3 \
            with boxxyerror fillcolor palette fillstyle solid 1 border rgb '#FFFFFF', \
        $data index block('marked', i) using 2:1:($2 - 0.42):($2 + 0.42):($1 - 0.42):($1 + 0.42) \
            with boxxyerror linecolor rgb ink fillstyle empty border, \
        for [dark=0:1] $data index block('measured', i) using 2:1:(figure($3, dark)) \
            with labels textcolor rgb (dark ? '#FFFFFF' : ink)
    do for [above in "1 2 3 4 5 6 7 8"] { unset label int(above) }
    unset colorbox
}
unset multiplot
