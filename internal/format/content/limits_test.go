package content

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"sandlot/internal/testkit/testenv"
)

// allocated is how many bytes f allocates in all, whether they are freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

var tooLarge = fault{Kind: TooLarge, Reason: OverLimit, Field: "content"}

func TestContentLimit(t *testing.T) {
	const limit = 3000
	lim := Limits{Content: limit}
	exact, more := b64(noise(limit)), b64(noise(limit+1))
	for _, window := range []int{16, 100, maxWindow} {
		p, _, err := streamed(bytes.NewReader(jsonBody(exact)), lim, window)
		if err != nil || len(p.Content) != limit {
			t.Errorf("row 30, exactly the limit, window %d: %v", window, err)
		}
		_, _, err = streamed(bytes.NewReader(jsonBody(more)), lim, window)
		diff(t, "row 30, one more", tooLarge, faultOf(t, err))
		_, _, err = streamed(strings.NewReader(`{"content":"`+exact+`QUJD!`), lim, window)
		diff(t, "the limit comes before an error behind it", tooLarge, faultOf(t, err))
		_, _, err = streamed(strings.NewReader(`{"content":"`+exact[:len(exact)-4]+`!`), lim, window)
		diff(t, "an error before the limit comes first", InvalidContent, faultOf(t, err).Kind)
	}
}

func TestGzipRoom(t *testing.T) {
	const limit = 3000
	lim := Limits{Content: limit}
	gz := zipped(string(noise(limit)), gzip.NoCompression, gzip.Header{})
	if len(gz) <= limit {
		t.Fatal("the gzip stream is not larger than the file")
	}
	text, plain := b64(gz), b64(noise(len(gz)))
	for _, tt := range []struct {
		name, body string
		ok         bool
	}{
		{"gzip declared before", `{"content_encoding":"gzip+base64","content":"` + text + `"}`, true},
		{"gzip declared behind", `{"content":"` + text + `","content_encoding":"gzip+base64"}`, true},
		{"gzip bytes, base64 declared before", `{"content_encoding":"base64","content":"` + text + `"}`, false},
		{"gzip bytes, base64 declared behind", `{"content":"` + text + `","content_encoding":"base64"}`, false},
		{"gzip bytes, nothing declared", `{"content":"` + text + `"}`, false},
		{"no gzip bytes, gzip declared before", `{"content_encoding":"gzip+base64","content":"` + plain + `"}`, false},
		{"no gzip bytes, gzip declared behind", `{"content":"` + plain + `","content_encoding":"gzip+base64"}`, false},
		{"beyond the room too", `{"content_encoding":"gzip+base64","content":"` + b64(append(gz, noise(gzipRoom)...)) + `"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := streamed(strings.NewReader(tt.body), lim, 64)
			if tt.ok {
				if err != nil {
					t.Error(err)
				}
				return
			}
			diff(t, tt.name, tooLarge, faultOf(t, err))
		})
	}
}

// endless repeats a text for ever.
type endless struct {
	text string
	i    int
	read int64
}

func (e *endless) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		k := copy(b[n:], e.text[e.i:])
		n += k
		e.i = (e.i + k) % len(e.text)
	}
	e.read += int64(n)
	return n, nil
}

// Content of 100 MB, however it is written, passes through a few fixed buffers.
func TestSoakMemory(t *testing.T) {
	testenv.Unraced(t)
	const most = 512 << 10
	for _, tt := range []struct {
		name, unit string
		bytes      int64 // that a unit decodes to
		size       int64
	}{
		{"plain", "QUJDREVG", 6, DefaultContent},
		{"lines", strings.Repeat("QUJD", 19) + `\r\n`, 57, DefaultContent},
		{"escaped", `\u0051\u0055\u004a\u0044`, 3, DefaultContent / 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			units := tt.size / tt.bytes
			src := &endless{text: strings.Repeat(tt.unit, 1000)}
			body := io.MultiReader(strings.NewReader(`{"content":"`), io.LimitReader(src, units*int64(len(tt.unit))), strings.NewReader(`","title":"x"}`))
			var n int64
			var err error
			grown := allocated(func() {
				_, err = JSON(body, Limits{}).Decode(func(r io.Reader) (err error) {
					n, err = io.Copy(io.Discard, r)
					return err
				})
			})
			if err != nil || n != units*tt.bytes {
				t.Fatalf("%d bytes, %v", n, err)
			}
			if grown > most {
				t.Errorf("%d bytes of memory allocated for a body of %d", grown, src.read)
			}
		})
	}
	t.Run("row 32, an endless content is read to the limit only", func(t *testing.T) {
		body := &endless{text: strings.Repeat("QUJDREVG", 1000)}
		var err error
		grown := allocated(func() {
			_, err = JSON(io.MultiReader(strings.NewReader(`{"content":"`), body), Limits{}).Decode(func(r io.Reader) error {
				_, err := io.Copy(io.Discard, r)
				return err
			})
		})
		diff(t, "error", tooLarge, faultOf(t, err))
		if body.read > DefaultContent/3*4+2*maxWindow || grown > most {
			t.Errorf("%d bytes read, %d allocated", body.read, grown)
		}
	})
	for name, body := range map[string]string{
		"row 8, endless nesting":     `{"a":[`,
		"row 9, endless white space": " ",
		"row 9, an endless name":     "x",
		"an endless number":          "1",
	} {
		t.Run(name, func(t *testing.T) {
			start := map[string]string{"row 9, an endless name": `{"`, "an endless number": `{"a":`}[name]
			src := &endless{text: body}
			var err error
			grown := allocated(func() {
				_, _, err = streamed(io.MultiReader(strings.NewReader(start), src), Limits{}, maxWindow)
			})
			if got := faultOf(t, err); got.Kind != InvalidJSON || src.read > DefaultRest+2*maxWindow {
				t.Errorf("%+v after %d bytes", got, src.read)
			}
			if grown > 16<<20 {
				t.Errorf("%d bytes allocated", grown)
			}
		})
	}
}

// Messages are shown to people: they name the field and hold nothing of the body but one character.
func TestMessages(t *testing.T) {
	for body, want := range map[string]string{
		`{"title":"a","title":"b"}`: "title is there twice, the second time at byte 14 of the body",
		`{"sla_012345678901234567890123456789012345":1,"sla_012345678901234567890123456789012345":2}`: "one name is there twice, the second time at byte 47 of the body",
		`{"content":"Hello, <secret>"}`:                  "content has ',' at character 6, which base64 does not have: it looks like text that was not encoded",
		`{"content":7}`:                                  "content is a number, wanted a string of base64",
		`{"content":"QU-_","content_encoding":"base64"}`: "content uses the alphabet of base64url from character 3 on, but content_encoding says base64",
		`{"content":"QUJD`:                               "the body ends too early, inside content, after 16 bytes",
		`{"title":"\ud800"}`:                             "in title an escape is half of a surrogate pair, at byte 11 of the body",
		`{"a":1 "b":2}`:                                  "the JSON is malformed, wanted a comma or '}', at byte 8 of the body",

		`{"content":"` + strings.Repeat("QUJD", 20) + `\u0000"}`:     "content has U+0000 at character 81, which base64 does not have",
		`{"content_encoding":"my-secret"}`:                           "content_encoding is not one of the values, wanted base64, base64url, gzip+base64 or gzip+base64url",
		fmt.Sprintf(`{"content":"%s"}`, strings.Repeat("QUJD", 300)): "content is larger than 10 bytes",
	} {
		_, _, err := streamed(strings.NewReader(body), Limits{Content: 10}, maxWindow)
		if strings.Contains(body, `\u0000`) {
			_, _, err = streamed(strings.NewReader(body), Limits{}, maxWindow)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", short(body), err, want)
		}
	}
}
