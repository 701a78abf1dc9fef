//go:build !linux

package main

import "net"

// unsent cannot be told here.
func unsent(net.Conn) int64 { return 0 }
