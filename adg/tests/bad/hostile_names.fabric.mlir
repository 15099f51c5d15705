fabric.module @mesh (in0: none) -> (out0: none) attributes {index_width = 32} {
  fabric.fifo @"/abs/name" (none) -> (none) attributes {depth = 2}
  fabric.fifo @"../../up" (none) -> (none) attributes {depth = 2}
  fabric.fifo @"a\0Ab" (none) -> (none) attributes {depth = 2}
  fabric.fifo @"$(reboot)" (none) -> (none) attributes {depth = 2}
  fabric.fifo @"" (none) -> (none) attributes {depth = 2}
  fabric.fifo @"größe" (none) -> (none) attributes {depth = 2}
  fabric.fifo @"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" (none) -> (none) attributes {depth = 2}
  fabric.fifo @"-o" (none) -> (none) attributes {depth = 2}
  fabric.fifo @buf (none) -> (none) attributes {depth = 2}
  fabric.instance @"../a" : @buf
}
