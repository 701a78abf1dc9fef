package main

// openFiles returns 0: memory limits the number before the system does.
func openFiles() int { return 0 }
