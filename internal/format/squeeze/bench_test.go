package squeeze

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"sandlot/internal/testkit/expect"
)

// counter counts the bytes written to it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// BenchmarkFormats reports for each format its speed, the ratio of compression, and the memory that its compressor
// keeps.
func BenchmarkFormats(b *testing.B) {
	for _, size := range []int{10 << 10, 300 << 10, 5 << 20} {
		data := program(size)
		for _, f := range formats(0) {
			b.Run(fmt.Sprintf("%s/%dKiB", f.name, size>>10), func(b *testing.B) {
				idle := live()
				var out counter
				b.SetBytes(int64(size))
				for b.Loop() {
					out.n = 0
					expect.OK(b, f.compress(&out, struct{ io.Reader }{bytes.NewReader(data)}))
				}
				b.ReportMetric(float64(out.n)/float64(size), "ratio")
				b.ReportMetric(float64(live()-min(idle, live()))/(1<<20), "MiB")
				f.encoder = nil
			})
		}
	}
}
