package main

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"

	"sandlot/internal/testkit/testenv"
)

// blanksSize is how many bytes blanks has when it is unpacked.
const blanksSize = 100 << 20

// blanks returns a page of blanksSize bytes, gzipped: some thousandth of them. To pack all of it takes seconds under the race detector, so one
// piece is packed, and comes as often as it is needed. Nobody may change it.
var blanks = sync.OnceValues(func() ([]byte, error) {
	const start = "<!doctype html>"
	piece := bytes.Repeat([]byte(" "), 1<<20)
	out := bytes.NewBufferString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff") // RFC 1952: deflate, no name, no time
	begin, err1 := deflated([]byte(start), false)
	more, err2 := deflated(piece, false)
	end, err3 := deflated(piece[:len(piece)-len(start)], true)
	out.Write(begin)
	sum := crc32.NewIEEE()
	io.WriteString(sum, start)
	for range blanksSize>>20 - 1 {
		out.Write(more)
		sum.Write(piece)
	}
	out.Write(end)
	sum.Write(piece[:len(piece)-len(start)])
	packed := binary.LittleEndian.AppendUint32(out.Bytes(), sum.Sum32())
	return binary.LittleEndian.AppendUint32(packed, blanksSize), errors.Join(err1, err2, err3)
})

// deflated is a part of a stream that ends on a byte and refers to nothing before it.
func deflated(data []byte, last bool) ([]byte, error) {
	var out bytes.Buffer
	z, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	end := z.Flush
	if last {
		end = z.Close
	}
	_, err = z.Write(data)
	err = errors.Join(err, end())
	return out.Bytes(), err
}

// bomb is blanks for a test, which it ends if there is none.
func bomb(t *testing.T) []byte {
	t.Helper()
	packed, err := blanks()
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

type spaces struct{}

var someSpaces = strings.Repeat(" ", 64<<10)

// Read implements io.Reader.
func (spaces) Read(p []byte) (int, error) { return copy(p, someSpaces), nil }

// keptBlobs are the files that the service has of what was sent, those that are being written included.
func keptBlobs(t *testing.T, s *testenv.Server) (n int, size int64) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(s.Data(), "blobs"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			n, size = n+1, size+info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n, size
}

// TestRegression02ACallCostsWhatItMakes: the largest of received, decoded and stored bytes, refused as soon as the limit is passed.
func TestRegression02ACallCostsWhatItMakes(t *testing.T) {
	t.Parallel()
	const most = 20_000_000
	s := publicServer(t, "--limit", fmt.Sprintf("bytes=1000000/h:%d", most))
	packed := base64.StdEncoding.EncodeToString(bomb(t))
	if len(packed) > 200_000 {
		t.Fatalf("the bomb has %d bytes", len(packed))
	}
	usedUp := func(t *testing.T, addr string) {
		t.Helper()
		limitedUntil(t, "a small call after it", from(t, s, addr, "POST", "/v1/publish", "", map[string]any{"content": page(100), "email": "me@example.com"}))
		if n, size := keptBlobs(t, s); n != 0 {
			t.Errorf("%d files of %d bytes are kept", n, size)
		}
	}
	t.Run("gzip in JSON", func(t *testing.T) {
		r := from(t, s, "203.0.113.1", "POST", "/v1/publish", "", map[string]any{"content": packed, "content_encoding": "gzip+base64", "email": "me@example.com"})
		limitedUntil(t, "a bomb", r)
		usedUp(t, "203.0.113.1")
	})
	t.Run("a form whose length nobody tells", func(t *testing.T) {
		limitedUntil(t, "the form", longForm(t, s, "203.0.113.2", io.LimitReader(spaces{}, 2*most)))
		usedUp(t, "203.0.113.2")
	})
	t.Run("a length that is told and over what is left", func(t *testing.T) {
		conn := beginPublish(t, s, "X-Forwarded-For: 203.0.113.3\r\n", most+1, `{"content":"`)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		limitedUntil(t, "the call", replied(t, resp))
		if r := from(t, s, "203.0.113.3", "POST", "/v1/publish", "", map[string]any{"content": page(100), "email": "me@example.com"}); r.StatusCode != 201 {
			t.Errorf("it cost something, though nothing of it was read: %d %v", r.StatusCode, r.body)
		}
	})
	t.Run("parts that become much when they are joined", func(t *testing.T) {
		bomb := bomb(t)
		part := func(n int, content []byte) reply {
			return from(t, s, "203.0.113.4", "POST", "/v1/publish", "", map[string]any{
				"upload_id": "a-bomb-in-two-parts-0123456789", "part": n, "total_parts": 2, "content": content, "content_encoding": "gzip+base64", "email": "me@example.com",
			})
		}
		if r := part(1, bomb[:1000]); r.StatusCode != 202 {
			t.Fatalf("part 1: %d %v", r.StatusCode, r.body)
		}
		before, _ := keptBlobs(t, s)
		limitedUntil(t, "the part that completes it", part(2, bomb[1000:]))
		if n, size := keptBlobs(t, s); n > before+1 || size > int64(len(bomb)) {
			t.Errorf("%d files of %d bytes are kept, beside the parts", n, size)
		}
		limitedUntil(t, "a small call after it", part(2, bomb[1000:]))
	})
}

// longForm publishes by a form without a length.
func longForm(t *testing.T, s *testenv.Server, addr string, content io.Reader) reply {
	t.Helper()
	out, in := io.Pipe()
	form := multipart.NewWriter(in)
	go func() {
		err := form.WriteField("email", "me@example.com")
		var file io.Writer
		if err == nil {
			file, err = form.CreateFormFile("content", "index.html")
		}
		if err == nil {
			_, err = io.Copy(file, content)
		}
		if err == nil {
			err = form.Close()
		}
		in.CloseWithError(err)
	}()
	req, err := http.NewRequest("POST", s.URL()+"/v1/publish", out)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("X-Forwarded-For", addr)
	return answered(t, s, req)
}

// TestRegression02TheFirstFileMayBeTheLargest: the limits of a public instance have room for 100 MB of a newcomer, and for the parts of the largest file and its assembly with a key.
func TestRegression02TheFirstFileMayBeTheLargest(t *testing.T) {
	t.Parallel()
	s := publicServer(t)
	content := base64.StdEncoding.EncodeToString(bomb(t))
	if r := from(t, s, "203.0.113.1", "POST", "/v1/publish", "", map[string]any{"content": content, "content_encoding": "gzip+base64", "email": "me@example.com"}); r.StatusCode != 201 {
		t.Fatalf("packed: %d %v", r.StatusCode, r.body)
	}
	var c struct{ limitSettings }
	parser, err := kong.New(&c)
	if err == nil {
		_, err = parser.Parse(nil) // leaves the defaults
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := c.each()
	if err != nil {
		t.Fatal(err)
	}
	const largest = 1 << 30
	parts := int64(largest) / 3 * 4 // as base64
	if key := (cfg.Bytes.Burst + 1) / 2; key < parts+largest+parts/50 {
		t.Errorf("a key has %d bytes at once, which is less than a file of %d costs in parts", key, largest)
	}
}
