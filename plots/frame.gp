# Draws what surrounds every plot: the title, below it the device, the source of the figures and what all rows have in common;
# at the foot a note, the verdicts of the rows that are not ok, and what is left out. A chart whose legend does not name these
# verdicts sets marked, what their bars or cells are called. A legend above the plot begins at legend_top.
set label 1 sprintf('{/:Bold=%g %s}', big, title) at screen 0.02, 0.955 left textcolor rgb ink
set label 2 subtitle at screen 0.02, 0.905 left noenhanced textcolor rgb pale
set label 3 settings at screen 0.02, 0.868 left noenhanced font small textcolor rgb pale
if (!exists("note")) note = ''
if (!exists("marked")) marked = ''
verdicts = ''
if (marked ne '') { do for [mark in marks] { verdicts = verdicts.(verdicts eq '' ? marked.': ' : ', ').mark } }
array foot_line[4] = [note, verdicts, left_out_more, left_out]
foot = 0
do for [k=1:4] {
    if (foot_line[k] ne '') {
        set label 3 + k foot_line[k] at screen 0.02, 0.025 + foot left noenhanced font small textcolor rgb pale
        foot = foot + 0.03
    }
}
if (foot > 0) foot = foot + 0.01
legend_top = 0.845
entry(is_there, text) = is_there ? text : '' # in the legend
set lmargin at screen 0.125
set rmargin at screen 0.965
set tmargin at screen 0.825
set bmargin at screen 0.13 + foot
