func.func @"/abs/name"() {
  return
}
func.func @"../../up"() {
  return
}
func.func @"a\0Ab"() {
  return
}
func.func @"$(reboot)"() {
  return
}
func.func @""() {
  return
}
func.func @"größe"() {
  return
}
func.func @"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"() {
  return
}
func.func @"a.b"() {
  return
}
func.func @"-o"() {
  return
}
// What has no body becomes no file.
func.func private @"llvm.nothing"()
