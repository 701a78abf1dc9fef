package front

import (
	"net/http"
	"sync/atomic"
	"time"
)

// dates makes the Date field, which is the same for all answers of a second. It may be used concurrently.
type dates struct {
	last atomic.Pointer[dated]
}

// dated is the field for one second.
type dated struct {
	second int64
	line   string
}

// line returns the field of an answer that began at now, with its line break.
func (d *dates) line(now time.Time) string {
	if last := d.last.Load(); last != nil && last.second == now.Unix() {
		return last.line
	}
	next := &dated{now.Unix(), "Date: " + now.UTC().Format(http.TimeFormat) + "\r\n"}
	d.last.Store(next)
	return next.line
}
