module @x {
}
