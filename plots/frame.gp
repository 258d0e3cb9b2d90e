# What stands around every plot: the title, below it the device and where the figures come from, and a note at the foot.
set label 1 title at screen 0.02, 0.955 left font 'sans-serif:Bold'.big textcolor rgb ink
set label 2 subtitle at screen 0.02, 0.9 left textcolor rgb pale
if (exists("note")) set label 3 note at screen 0.02, 0.025 left font small textcolor rgb pale
set lmargin at screen 0.125
set rmargin at screen 0.965
set tmargin at screen 0.845
foot = exists("note") ? 0.04 : 0
set bmargin at screen 0.13 + foot
