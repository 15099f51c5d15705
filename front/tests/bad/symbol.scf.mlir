func.func @f(%a: i32) {
  func.call @missing(%a) : (i32) -> ()
  %g = memref.get_global @absent : memref<4xi32>
  %h = memref.get_global @f : memref<4xi32>
  return
}
