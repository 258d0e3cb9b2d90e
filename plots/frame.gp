# What stands around every plot: the title, below it the device and where the figures come from, and a note at the foot.
set label 1 sprintf('{/:Bold=%g %s}', big, title) at screen 0.02, 0.955 left textcolor rgb ink
set label 2 subtitle at screen 0.02, 0.9 left noenhanced textcolor rgb pale
if (exists("note")) set label 3 note at screen 0.02, 0.025 left noenhanced font small textcolor rgb pale
set lmargin at screen 0.125
set rmargin at screen 0.965
set tmargin at screen 0.845
foot = exists("note") ? 0.04 : 0
set bmargin at screen 0.13 + foot
