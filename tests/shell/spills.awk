# Whether a disassembled kernel keeps out of local memory. On NVIDIA (-v part=sm_NN) `least` copies must also pass the registers, as
# those of apsp/kernels/tile_product.cu and whole_round.cu do from sm_80 on.
/[ \t](LDL|STL)[ .]/ || (/; ScratchSize: / && $3 > 0) { print; bad = 1 }
/LDGSTS/ { copies++ }
END { exit bad || (part ~ /^sm_/ && copies < least) }
