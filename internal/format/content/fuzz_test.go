package content

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
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
