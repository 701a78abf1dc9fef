package content

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"sandlot/internal/testkit/expect"
)

// fuzzLimits are small, so that the fuzzer meets them.
var fuzzLimits = Limits{Content: 300, Rest: 2000, Depth: 6, Names: 20}

// compare decodes body in three ways and with the plain decoder. The ways must agree in all, with the plain decoder in all but the
// words of an error.
func compare(t *testing.T, body []byte, window uint8) {
	t.Helper()
	want := plainDecode(body, fuzzLimits)
	got, _, err := streamed(bytes.NewReader(body), fuzzLimits, maxWindow)
	diff(t, fmt.Sprintf("%q: %v", body, err), want, got)
	for _, r := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body))} {
		again, _, errAgain := streamed(r, fuzzLimits, 16+int(window))
		diff(t, fmt.Sprintf("%q in windows of %d", body, 16+int(window)), got, again)
		diff(t, fmt.Sprintf("error of %q in windows of %d", body, 16+int(window)), describe(err), describe(errAgain))
	}
}

func describe(err error) Error {
	var e *Error
	if errors.As(err, &e) {
		return *e
	}
	return Error{Message: fmt.Sprint(err)}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		`{}`, ` {"a":1,"b":[true,false,null],"c":{"d":"e"}} `, `{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`, "\xef\xbb\xbf{}",
		`{"a":-0.5e+3}`, `{"a":01}`, `{"a":1,"\u0061":2}`, `{"a":[[[[[[1]]]]]]}`, `[]`, `{"a":"\ud800"}`, "{\"\xff\":1}", `{}{}`, `{"a":1,}`, `{"a":tru}`,
		`{"x":"` + strings.Repeat("y", 2000) + `"}`, manyNames(21),
	} {
		f.Add([]byte(s), uint8(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, window uint8) {
		if bytes.Contains(body, []byte("cont")) || bytes.Contains(body, []byte(`\`)) && bytes.Contains(body, []byte("ent")) {
			return // that is for FuzzDecode
		}
		compare(t, body, window)
	})
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"content":"QUJD"}`, `{"content":"QUI=","content_encoding":"base64"}`, `{"content_encoding":"base64url","content":"-_8"}`, `{"content":"-_8","content_encoding":"gzip+base64"}`,
		`{"content":"\n\u0051\u0055JD\/\/8=\r\n"}`, `{"content":"QUJD","content":"QUJD"}`, `{"content":7}`, `{"content":"Q\"Q"}`, `{"content":"QU JD"}`, `{"content":"H4sIAAAA"}`,
		`{"content_encoding":""}`, `{"content":"QUJD\ud83d\ude00"}`, `{"title":"x","content":"` + strings.Repeat("QUJD", 100) + `"}`, `{"x":{"content":1}}`, "{\"content\":\"QU\xe2\x82\xac\"}",
		`{"content_encoding":"gzip+base64","content":"` + b64(append([]byte{0x1f, 0x8b}, noise(299)...)) + `"}`,
	} {
		f.Add([]byte(s), uint8(0))
	}
	f.Fuzz(compare)
}

// plainPosition is the character at which text stops being base64 in any alphabet, by a machine that reads one character after the other;
// 0 if none does.
func plainPosition(text string) int64 {
	var at, last, pads, lastPad, n int64
	var value, seen rune
	for _, r := range text {
		at++
		v := strings.IndexRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_", r)
		switch {
		case r == '\n' || r == '\r':
		case r == '=' && n%4 == 1:
			return last
		case r == '=' && (n%4 == 0 || n%4+pads == 4):
			return at
		case r == '=':
			pads++
			lastPad = at
		case v < 0:
			if len(text) >= 5 && strings.EqualFold(text[:5], "data:") {
				return 1
			}
			return at
		case pads > 0:
			return at
		default:
			if v >= 62 {
				kind := rune('+')
				if r == '-' || r == '_' {
					kind = '-'
				}
				if seen != 0 && seen != kind {
					return at
				}
				seen = kind
			}
			n, last, value = n+1, at, rune(v)
			if v >= 64 {
				value = rune(v - 2)
			}
		}
	}
	switch {
	case n%4 == 1:
		return last
	case pads > 0 && n%4+pads != 4:
		return lastPad
	case n%4 == 2 && value%16 != 0, n%4 == 3 && value%4 != 0:
		return last
	}
	return 0
}

func FuzzBase64(f *testing.F) {
	for _, s := range []string{
		"", "QQ==", "QQ", "QUI=", "QUJD", "QR==", "QQ=", "====", "Q===", "QUJDQ", "+_", "-/", "Q\nQ\r=\n=", "data:x", "da\nta:", "<html>", "QU JD", "QUJD%2B", "é", "QUJD\x00", "QQ==QQ==",
		strings.Repeat("QUJD", 70), strings.Repeat("+/AA", 70), strings.Repeat("-_AA", 70), wrapped(b64(noise(200)), "\r\n"), wrapped(b64(noise(200)), "\n") + "!",
	} {
		f.Add(s, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, window uint8) {
		if !utf8.ValidString(text) || len(text) > 10_000 {
			return
		}
		quoted, err := json.Marshal(text)
		expect.OK(t, err)
		want, ok := plainBase64(text, "")
		p, _, err := streamed(strings.NewReader(`{"content":`+string(quoted)+`}`), Limits{}, 16+int(window)*16)
		if (err == nil) != ok || p.Content != want && ok {
			t.Fatalf("%q: got %q, %v, want %q, %v", text, p.Content, err, want, ok)
		}
		if at := plainPosition(text); err != nil && describe(err).At != at || ok != (at == 0) {
			t.Fatalf("%q: %+v, want character %d", text, describe(err), at)
		}
	})
}

// plainGunzip gunzips with the standard library, member by member. It also refuses the header flags that RFC 1952 reserves and wants zero.
func plainGunzip(b []byte, max int) (string, bool) {
	var out strings.Builder
	r := bytes.NewReader(b)
	for first := true; first || r.Len() > 0; first = false {
		if r.Len() > 3 && b[len(b)-r.Len()+3]>>5 != 0 {
			return "", false
		}
		z, err := gzip.NewReader(r)
		if err != nil {
			return "", false
		}
		z.Multistream(false)
		if _, err := io.CopyN(&out, z, int64(max-out.Len()+1)); err != io.EOF || out.Len() > max {
			return "", false
		}
	}
	return out.String(), true
}

func FuzzGunzip(f *testing.F) {
	gz := member("hello")
	for _, b := range [][]byte{
		nil, gz, gz[:len(gz)-1], gz[:5], append(bytes.Clone(gz), gz...), append(bytes.Clone(gz), 0), append(bytes.Clone(gz), 0x1f), changed(gz, 8), changed(gz, 1), []byte("<html>"),
		zipped("named", 9, gzip.Header{Name: "../../x", Comment: "c", Extra: []byte("e")}), member(strings.Repeat("a", 1001)), zipped(string(noise(100)), gzip.NoCompression, gzip.Header{}),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const most = 1000
		want, ok := plainGunzip(b, most)
		for _, r := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b))} {
			got, err := io.ReadAll(Gunzip(r, most))
			if (err == nil) != ok || ok && string(got) != want {
				t.Fatalf("%x: got %q, %v, want %q, %v", b, got, err, want, ok)
			}
			if len(got) > most {
				t.Fatalf("%x: %d bytes", b, len(got))
			}
		}
	})
}

// Bodies that are almost right, more of them than a fuzzer finds in a minute: one or two bytes of a good body taken out, changed or put in.
func TestMutatedBodies(t *testing.T) {
	bodies := []string{
		`{"title":"A \"b\" \u00e9\ud83d\ude00","part":12,"x":[1.5e3,{"y":null}],"content":"QUJD\/\/+\n8=","content_encoding":"base64"}`,
		`{"content_encoding":"gzip+base64url","content":"H4sI-_\u002dQ","last":true}`,
		`{"content":"` + wrapped(b64(noise(120)), `\r\n`) + `"}`,
		`{"content":"QUJDRA==","content":"","a":[[[[]]]]}`,
	}
	pieces := []string{`"`, `\`, `{`, `}`, `[`, `]`, `,`, `:`, ` `, "\n", `\n`, `\u`, `d83d`, `=`, `+`, `_`, `/`, `A`, `0`, `-`, `.`, `e`, "\xff", "\xc3", "é", "\x00", `"content":`, `\u0000`, `data:`, `<`}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 8_000 {
		body := bodies[i%len(bodies)]
		for range 1 + rnd.IntN(2) {
			at := rnd.IntN(len(body))
			end := min(len(body), at+rnd.IntN(3))
			piece := ""
			if rnd.IntN(4) > 0 {
				piece = pieces[rnd.IntN(len(pieces))]
			}
			body = body[:at] + piece + body[end:]
		}
		compare(t, []byte(body), uint8(rnd.IntN(40)))
		if t.Failed() {
			t.FailNow()
		}
	}
}
