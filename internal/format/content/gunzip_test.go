package content

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// zipped is one gzip member.
func zipped(data string, level int, header gzip.Header) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		panic(err)
	}
	w.Header = header
	w.Write([]byte(data))
	w.Close()
	return b.Bytes()
}

func member(data string) []byte { return zipped(data, gzip.BestSpeed, gzip.Header{}) }

// changed is b with one byte turned over, counted from the end.
func changed(b []byte, fromEnd int) []byte {
	b = bytes.Clone(b)
	b[len(b)-fromEnd] ^= 1
	return b
}

func TestGunzip(t *testing.T) {
	text := strings.Repeat("<p>hello</p>", 10_000)
	gz := member(text)
	gzAt := func(reason Reason, at int64) fault {
		return fault{Kind: InvalidContent, Reason: reason, Field: "content", At: at}
	}
	trailing := func(garbage string) []byte { return append(bytes.Clone(gz), garbage...) }
	for _, tt := range []struct {
		name string
		gz   []byte
		max  int64
		want string
		err  fault
	}{
		{name: "one member", gz: gz, want: text},
		{name: "empty member", gz: member(""), want: ""},
		{name: "row 27, members are joined", gz: append(member("ab"), append(member(""), member("cd")...)...), want: "abcd"},
		{name: "row 27, the name inside is ignored", gz: zipped("ab", 9, gzip.Header{Name: "../../x", Comment: "c", Extra: []byte("extra")}), want: "ab"},
		{name: "row 29, only one layer", gz: member(string(member("ab"))), want: string(member("ab"))},
		{name: "row 25, plain bytes", gz: []byte("<html>"), err: gzAt(BadGzip, 1)},
		{name: "nothing at all", gz: nil, err: gzAt(BadGzip, 1)},
		{name: "one byte of magic", gz: []byte{0x1f}, err: gzAt(BadGzip, 1)},
		{name: "another method than deflate", gz: append([]byte{0x1f, 0x8b, 7}, gz[3:]...), err: gzAt(BadGzip, 0)},
		{name: "row 26, truncated in the header", gz: gz[:5], err: gzAt(TruncatedGzip, 0)},
		{name: "row 26, truncated in the data", gz: gz[:len(gz)-20], err: gzAt(TruncatedGzip, 0)},
		{name: "row 26, truncated in the trailer", gz: gz[:len(gz)-1], err: gzAt(TruncatedGzip, 0)},
		{name: "row 26, a second member truncated", gz: append(bytes.Clone(gz), gz[:8]...), err: gzAt(TruncatedGzip, 0)},
		{name: "row 26, bad CRC", gz: changed(gz, 8), err: gzAt(BadGzip, 0)},
		{name: "row 26, bad ISIZE", gz: changed(gz, 1), err: gzAt(BadGzip, 0)},
		{name: "row 26, damaged data", gz: append(bytes.Clone(gz[:10]), append([]byte{0xff, 0xff}, gz[12:]...)...), err: gzAt(BadGzip, 0)},
		{name: "row 26, garbage after the trailer", gz: trailing("<!-- -->"), err: gzAt(GzipTrailing, int64(len(gz))+1)},
		{name: "row 26, zeros after the trailer", gz: trailing("\x00\x00\x00"), err: gzAt(GzipTrailing, int64(len(gz))+1)},
		{name: "row 26, one byte after the trailer", gz: trailing("\x1f"), err: gzAt(GzipTrailing, int64(len(gz))+1)},
		{name: "row 30, exactly the limit", gz: gz, max: int64(len(text)), want: text},
		{name: "row 30, one more", gz: gz, max: int64(len(text)) - 1, err: fault{Kind: TooLarge, Reason: OverLimit, Field: "content"}},
		{name: "row 30, one more in a second member", gz: append(member("ab"), member("c")...), max: 2, err: fault{Kind: TooLarge, Reason: OverLimit, Field: "content"}},
		{name: "exactly the limit and an empty member", gz: append(member("ab"), member("")...), max: 2, want: "ab"},
		{name: "exactly the limit and garbage", gz: append(member("ab"), "x"...), max: 2, err: gzAt(GzipTrailing, int64(len(member("ab")))+1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.max == 0 {
				tt.max = 1 << 20
			}
			for way, r := range map[string]io.Reader{
				"whole":               Gunzip(bytes.NewReader(tt.gz), tt.max),
				"a byte a read":       Gunzip(iotest.OneByteReader(bytes.NewReader(tt.gz)), tt.max),
				"read byte by byte":   iotest.OneByteReader(Gunzip(bytes.NewReader(tt.gz), tt.max)),
				"data with its error": Gunzip(iotest.DataErrReader(bytes.NewReader(tt.gz)), tt.max),
			} {
				got, err := io.ReadAll(r)
				if tt.err != (fault{}) {
					diff(t, way, tt.err, faultOf(t, err))
					if tt.err.Kind == TooLarge && int64(len(got)) != tt.max {
						t.Errorf("%s: %d bytes before the error, want exactly the limit", way, len(got))
					}
				} else if err != nil || string(got) != tt.want {
					t.Errorf("%s: %d bytes, %v", way, len(got), err)
				}
			}
		})
	}
}

func TestGunzipReadErrors(t *testing.T) {
	gone := errors.New("client gone")
	gz := member(strings.Repeat("hello ", 1000))
	for _, n := range []int{0, 1, 5, 20, len(gz) - 3, len(gz)} {
		_, err := io.ReadAll(Gunzip(io.MultiReader(bytes.NewReader(gz[:n]), iotest.ErrReader(gone)), 1<<20))
		if err != gone {
			t.Errorf("after %d bytes: %v, want the reader's error unchanged", n, err)
		}
	}
	t.Run("io.ErrUnexpectedEOF of the reader is not taken for a cut stream", func(t *testing.T) {
		_, err := io.ReadAll(Gunzip(io.MultiReader(bytes.NewReader(gz[:20]), iotest.ErrReader(io.ErrUnexpectedEOF)), 1<<20))
		if err != io.ErrUnexpectedEOF {
			t.Error(err)
		}
	})
}

func TestGunzipBomb(t *testing.T) {
	gz := bytes.Repeat(zipped(string(make([]byte, 8<<20)), gzip.BestCompression, gzip.Header{}), 16)
	if ratio := 128 << 20 / len(gz); ratio < 900 {
		t.Fatalf("ratio %d", ratio)
	}
	var err error
	var n int64
	grown := allocated(func() {
		n, err = io.Copy(io.Discard, Gunzip(bytes.NewReader(gz), DefaultContent))
	})
	diff(t, "row 28, a gzip bomb stops at the limit", fault{Kind: TooLarge, Reason: OverLimit, Field: "content"}, faultOf(t, err))
	if n != DefaultContent || grown > 1<<20 {
		t.Errorf("%d bytes, %d bytes of memory allocated", n, grown)
	}
}
