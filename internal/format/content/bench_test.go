package content

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// noise is n bytes that look like a compressed file: every base64 character occurs.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func jsonBody(text string) []byte {
	return []byte(`{"email":"me@example.com","content":"` + text + `","content_encoding":"base64"}`)
}

// wrapped breaks text after each 76 characters, as MIME does.
func wrapped(text, lineBreak string) string {
	var b strings.Builder
	for len(text) > 76 {
		b.WriteString(text[:76])
		b.WriteString(lineBreak)
		text = text[76:]
	}
	return b.String() + text
}

func escapedAll(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, `\u%04x`, c)
	}
	return b.String()
}

func BenchmarkDecode(b *testing.B) {
	large := base64.StdEncoding.EncodeToString(noise(100_000_000))
	bodies := []struct {
		name string
		body []byte
	}{
		{"plain", jsonBody(large)},
		{"lines", jsonBody(wrapped(large, `\r\n`))},
		{"slashes", jsonBody(strings.ReplaceAll(large, "/", `\/`))},
		{"escaped", jsonBody(escapedAll(large[:10_000_000]))},
		{"small", jsonBody(large[:13_656])},
	}
	for _, bb := range bodies {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.body)))
			b.ReportAllocs()
			for b.Loop() {
				decodeDiscard(b, JSON(bytes.NewReader(bb.body), Limits{}))
			}
		})
	}
}

func BenchmarkDecodeMultipart(b *testing.B) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("content", "game.html")
	expect.OK(b, err)
	part.Write(noise(100_000_000))
	w.Close()
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		decodeDiscard(b, Multipart(bytes.NewReader(body.Bytes()), w.Boundary(), Limits{}))
	}
}

func decodeDiscard(b *testing.B, d *Decoder) {
	_, err := d.Decode(func(r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
	expect.OK(b, err)
}
