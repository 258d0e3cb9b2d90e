# Shades and names the levels that the rows of the first series name in column 3 of the data.
level_names = 'L1 near-L2 L2 L3 memory'
level_low = level_high = 0
within(x) = (level_low = level_low == 0 || x < level_low ? x : level_low, level_high = x > level_high ? x : level_high)
shaded = 0
do for [level in level_names] {
    level_low = level_high = 0
    set table $shades
    plot [1:1e18] [0:1e18] $data index 'measured:1:' using 1:(strcol(3) eq level ? within($1) : 0)
    unset table
    if (level_high > level_low) {
        shaded = shaded + 1
        set object 100 + shaded rectangle from level_low, graph 0 to level_high, graph 1 behind \
            fillcolor rgb (shaded % 2 ? '#E8EEF4' : '#F4EEE4') fillstyle solid noborder
        level_title = level eq 'near-L2' ? 'near L2' : level
        set label 100 + shaded level_title at sqrt(level_low * level_high), graph 0.97 center \
            textcolor rgb pale font small
    }
}
