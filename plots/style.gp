# One look for every chart: 800x600, large sans-serif type, colours of Okabe and Ito that colour-blind people tell
# apart, each with a different shape of point. format is 'svg' or 'png'.
if (!exists("format")) format = 'svg'
if (format eq 'svg') set terminal svg size 800,600 enhanced font 'sans-serif,16' background '#ffffff'
if (format eq 'png' && strstrt(GPVAL_TERMINALS, 'pngcairo')) \
    set terminal pngcairo size 800,600 enhanced font 'sans-serif,12' background '#ffffff' pointscale 1.3
if (format eq 'png' && !strstrt(GPVAL_TERMINALS, 'pngcairo')) \
    set terminal png truecolor size 800,600 enhanced font 'sans,12' background '#ffffff'
set encoding utf8
set key noenhanced

array colour[8] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#999999']
array shape[8] = [7, 5, 9, 11, 13, 15, 7, 5] # a filled point; the number before it is the same point, hollow
ink = '#222222'
pale = '#666666'
# The terminals count type, lines of a legend and points differently.
big = format eq 'svg' ? 22 : 16.5
row_spacing = format eq 'svg' ? 1.15 : 1.5
dot = format eq 'svg' ? 0.8 : 1.2
small = format eq 'svg' ? ',14' : ',10.5'

set border 3 linewidth 1.5 linecolor rgb ink
set tics nomirror out scale 0.6
set grid linetype 1 linewidth 0.7 linecolor rgb '#DDDDDD'
set style fill solid 1 noborder
set format '%g'
if (format eq 'svg') { set xlabel offset 0, 0.5; set ylabel offset 1, 0 }
