# Draws published curves of several devices behind our own, one line each, green for NVIDIA and red for AMD: sets behind and
# behind_names for series.gp. The chart's key "curves" names their table, and its curves_note their source. Charts of a CPU have none.
published_list = ''
if (exists("curve")) {
    array shade_of[|curve|]
    shades_nvidia = '#B7DB9C #6BAA48 #3E7A22'
    shades_amd = '#F0BFA8 #DE8566 #B8452A'
    found_nvidia = found_amd = 0
    do for [k=1:|curve|] {
        is_amd = curve[k][1:3] eq 'AMD'
        found_amd = found_amd + is_amd
        found_nvidia = found_nvidia + !is_amd
        shade_of[k] = word(is_amd ? shades_amd : shades_nvidia, ((is_amd ? found_amd : found_nvidia) - 1) % 3 + 1)
        published_list = published_list.sprintf(' %d', k)
    }
    vendor(k) = curve[k][1:3] ne 'AMD' ? 'NVIDIA ' : strstrt(curve[k], 'AMD Radeon ') == 1 ? 'AMD Radeon ' : 'AMD Instinct '
    curve_name(k) = curve[k][strlen(vendor(k)) + 1:*]
    behind = "for [k=1:|curve|] $curves index k - 1 using 1:2 with lines linewidth 1.5 linecolor rgb shade_of[k] notitle,"
    behind_names = ", NaN with dots linecolor rgb '#FFFFFF' title 'published:'" \
        .", for [k=1:|curve|] NaN with lines linewidth 2.5 linecolor rgb shade_of[k] title curve_name(k)"
    note = curves_note
}
