//go:build failpoints

package failpoint

import (
	"os"
	"strconv"
)

// ahead is how far the clock of this process is ahead, in seconds; original is the kernel's clock_gettime.
var ahead, original int64

// move puts moved, in clock_amd64.s, before the kernel's clock_gettime. A Go program reads the time from a page of the
// kernel and not through the C library, so libfaketime cannot move its clock. The program links with -checklinkname=0.
func move()

func init() {
	text := os.Getenv("CLOCK_AHEAD")
	if text == "" {
		return
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("CLOCK_AHEAD: " + err.Error())
	}
	ahead = seconds
	move()
}
