fabric.module @"../mesh" (in0: none) -> (out0: none) attributes {index_width = 32} {
}
