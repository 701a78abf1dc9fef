//go:build !pprof

package main

import "net/http"

// profiles are left out of the program that is released.
func profiles(*http.ServeMux) {}
