# Draws what surrounds every plot: the title, below it the device, the source of the figures and what all rows have in common;
# at the foot a note and what is left out. A legend above the plot begins at legend_top.
set label 1 sprintf('{/:Bold=%g %s}', big, title) at screen 0.02, 0.955 left textcolor rgb ink
set label 2 subtitle at screen 0.02, 0.905 left noenhanced textcolor rgb pale
set label 3 settings at screen 0.02, 0.868 left noenhanced font small textcolor rgb pale
if (!exists("note")) note = ''
set label 4 note at screen 0.02, 0.025 left noenhanced font small textcolor rgb pale
set label 5 left_out at screen 0.02, (note eq '' ? 0.025 : 0.055) left noenhanced font small textcolor rgb pale
foot = 0.03 * ((note ne '') + (left_out ne '')) + (note.left_out ne '' ? 0.01 : 0)
legend_top = 0.845
entry(is_there, text) = is_there ? text : '' # in the legend
set lmargin at screen 0.125
set rmargin at screen 0.965
set tmargin at screen 0.825
set bmargin at screen 0.13 + foot
