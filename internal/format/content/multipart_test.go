package content

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"sandlot/internal/testkit/expect"
)

// part is one part of a multipart body with the boundary b, as curl writes it.
func part(name, value string, headers ...string) string {
	h := "Content-Disposition: form-data; name=\"" + name + "\"\r\n"
	for _, line := range headers {
		h += line + "\r\n"
	}
	return "--b\r\n" + h + "\r\n" + value + "\r\n"
}

const lastBoundary = "--b--\r\n"

func decodeMultipart(body io.Reader, lim Limits) (string, Form, error) {
	var content bytes.Buffer
	form, err := Multipart(body, "b", lim).Decode(func(r io.Reader) error {
		_, err := io.Copy(&content, r)
		return err
	})
	return content.String(), form, err
}

func TestMultipart(t *testing.T) {
	data := string(noise(200_000)) + "\r\n--before is inside\r\n--"
	file := part("content", data, `Content-Type: text/html`)
	for name, body := range map[string]string{
		"content first":         file + part("email", "me@example.com") + part("part", "3") + part("last", "true"),
		"content last":          part("email", "me@example.com") + part("part", "3") + part("last", "true") + file,
		"content in the middle": part("email", "me@example.com") + part("part", "3") + file + part("last", "true"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(body + lastBoundary), iotest.HalfReader(strings.NewReader(body + lastBoundary)), iotest.DataErrReader(strings.NewReader(body + "--b--"))} {
				content, form, err := decodeMultipart(r, Limits{})
				if err != nil || content != data || !form.HasContent {
					t.Fatalf("%d bytes, %v", len(content), err)
				}
				diff(t, "encoding", Encoding{}, form.Encoding)
				if f, _ := form.Get("email"); f != (Field{"email", String, "me@example.com", "me@example.com"}) {
					t.Errorf("email is %v", f)
				}
				if v, ok, err := form.Int("part"); v != 3 || !ok || err != nil {
					t.Error("part", v, ok, err)
				}
				if v, ok, err := form.Bool("last"); !v || !ok || err != nil {
					t.Error("last", v, ok, err)
				}
			}
		})
	}
	t.Run("content is raw bytes, whatever they look like", func(t *testing.T) {
		for _, raw := range []string{"", "QUJD", "\x00\xff", "\x1f\x8b\x08", "\r\n", "<html>\n"} {
			content, form, err := decodeMultipart(strings.NewReader(part("content", raw)+lastBoundary), Limits{})
			if err != nil || content != raw || form.Encoding.Base64 || form.Encoding.Magic != strings.HasPrefix(raw, "\x1f\x8b") {
				t.Errorf("%q became %q, %v, %v", raw, content, form.Encoding, err)
			}
		}
	})
	t.Run("no parts are an empty form", func(t *testing.T) {
		if _, form, err := decodeMultipart(strings.NewReader(lastBoundary), Limits{}); err != nil || form.HasContent {
			t.Error(form, err)
		}
	})
	t.Run("numbers and booleans are texts", func(t *testing.T) {
		_, form, err := decodeMultipart(strings.NewReader(part("part", "1.5")+part("last", "yes")+part("n", "1x")+lastBoundary), Limits{})
		expect.OK(t, err)
		for name, err := range map[string]error{
			"part": third(form.Int("part")), "last": third(form.Bool("last")), "n": third(form.Int("n")),
		} {
			if got := faultOf(t, err); got.Kind != InvalidField || got.Field != name {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

func third[T any](_ T, _ bool, err error) error { return err }

func TestRefusedMultipart(t *testing.T) {
	bad := func(reason Reason, field string) fault {
		return fault{Kind: InvalidJSON, Reason: reason, Field: field}
	}
	truncated := func(n int) fault { f := bad(Truncated, ""); f.At = int64(n) + 1; return f }
	whole := part("content", "abc") + part("title", "x") + lastBoundary
	inContent := whole[:strings.Index(whole, "abc")+2]
	for _, tt := range []struct {
		name, body string
		want       fault
	}{
		{"empty body", "", bad(Empty, "")},
		{"no boundary in the body", "hello\r\nworld\r\n", bad(BadMultipart, "")},
		{"another boundary", strings.ReplaceAll(whole, "--b", "--c"), bad(BadMultipart, "")},
		{"truncated in content", inContent, truncated(len(inContent))},
		{"truncated before the last boundary", strings.TrimSuffix(whole, lastBoundary), truncated(len(whole) - len(lastBoundary))},
		{"truncated in a value", part("content", "abc") + part("title", "xyz")[:58], truncated(len(part("content", "abc")) + 58)},
		{"truncated in a header", part("content", "abc") + part("title", "xyz")[:40], truncated(len(part("content", "abc")) + 40)},
		{"malformed header", "--b\r\nno colon\r\n\r\nx\r\n--b--\r\n", bad(BadMultipart, "")},
		{"no name", "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n", bad(BadMultipart, "")},
		{"no form-data", "--b\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx\r\n--b--\r\n", bad(BadMultipart, "")},
		{"content_encoding is refused", part("content_encoding", "base64") + lastBoundary, fault{Kind: InvalidField, Reason: NotInForm, Field: "content_encoding"}},
		{"duplicate name", part("title", "a") + part("title", "b") + lastBoundary, bad(DuplicateName, "title")},
		{"row 5, duplicate content", part("content", "a") + part("content", "b") + lastBoundary, bad(DuplicateName, "content")},
		{"parts may not nest", part("content", "x", "Content-Type: multipart/mixed; boundary=c") + lastBoundary, fault{Kind: Unsupported, Reason: Nested, Field: "content"}},
		{"a transfer encoding", part("content", "QUJD", "Content-Transfer-Encoding: base64") + lastBoundary, fault{Kind: Unsupported, Reason: PartEncoding, Field: "content", Want: "binary"}},
		{"a value that is not UTF-8", part("title", "a\xff") + lastBoundary, bad(UTF8, "title")},
		{"a name that is not UTF-8", part("a\xff", "a") + lastBoundary, bad(UTF8, "")},
		{"a value of 10 MB", part("title", strings.Repeat("x", 10_000_000)) + lastBoundary, bad(RestTooLarge, "")},
		{"a header of 10 MB", part("title", "x", "X: "+strings.Repeat("x", 10_000_000)) + lastBoundary, bad(RestTooLarge, "")},
		{"a header beyond the rest", part("title", "x", "X: "+strings.Repeat("x", DefaultRest)) + lastBoundary, bad(RestTooLarge, "")},
		{"10 MB before the first boundary", strings.Repeat("x\r\n", 4_000_000) + whole, bad(RestTooLarge, "")},
		{"10 MB behind content", part("content", "abc") + part("title", strings.Repeat("x", 10_000_000)) + lastBoundary, bad(RestTooLarge, "")},
		{"row 9, 1001 parts", manyParts(1001) + lastBoundary, bad(TooManyNames, "")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.body), iotest.HalfReader(strings.NewReader(tt.body)), iotest.DataErrReader(strings.NewReader(tt.body))} {
				_, _, err := decodeMultipart(r, Limits{})
				diff(t, short(tt.body), tt.want, faultOf(t, err))
			}
		})
	}
	t.Run("1000 parts are accepted", func(t *testing.T) {
		if _, _, err := decodeMultipart(strings.NewReader(manyParts(1000)+lastBoundary), Limits{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("an empty boundary", func(t *testing.T) {
		_, err := Multipart(strings.NewReader(whole), "", Limits{}).Decode(func(io.Reader) error { return nil })
		diff(t, "error", bad(BadMultipart, ""), faultOf(t, err))
	})
}

func manyParts(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(part(strings.Repeat("n", 1+i%30)+strings.Repeat("m", i/30), "x"))
	}
	return b.String()
}

func TestMultipartLimits(t *testing.T) {
	data := string(noise(5000))
	body := part("content", data) + lastBoundary
	if got, _, err := decodeMultipart(strings.NewReader(body), Limits{Content: 5000}); err != nil || got != data {
		t.Errorf("row 30, exactly the limit: %v", err)
	}
	_, _, err := decodeMultipart(strings.NewReader(body), Limits{Content: 4999})
	diff(t, "row 30, one more", tooLarge, faultOf(t, err))
	_, err = Multipart(strings.NewReader(body), "b", Limits{Content: 4999}).Decode(func(io.Reader) error { return nil })
	diff(t, "one more, unread", tooLarge, faultOf(t, err))

	gz := "\x1f\x8b" + data
	_, _, err = decodeMultipart(strings.NewReader(part("content", gz)+lastBoundary), Limits{Content: 5000})
	diff(t, "gzip bytes have no room here", tooLarge, faultOf(t, err))

	endlessPart := &endless{text: strings.Repeat("x", 4096)}
	grown := allocated(func() {
		_, err = Multipart(io.MultiReader(strings.NewReader(strings.TrimSuffix(part("content", ""), "\r\n")), endlessPart), "b", Limits{}).Decode(func(r io.Reader) error {
			_, err := io.Copy(io.Discard, r)
			return err
		})
	})
	diff(t, "row 32, an endless part", tooLarge, faultOf(t, err))
	if endlessPart.read > DefaultContent+4*maxWindow || grown > 512<<10 {
		t.Errorf("%d bytes read, %d allocated", endlessPart.read, grown)
	}
}

func TestMultipartErrors(t *testing.T) {
	gone := errors.New("client gone")
	body := part("title", "x") + part("content", string(noise(100_000))) + lastBoundary
	for _, n := range []int{0, 3, 30, len(part("title", "x")), 50_000, len(body) - len(lastBoundary) - 3} {
		_, _, err := decodeMultipart(io.MultiReader(strings.NewReader(body[:n]), iotest.ErrReader(gone)), Limits{})
		var e *Error
		if !errors.Is(err, gone) || errors.As(err, &e) {
			t.Errorf("error of the reader after %d bytes became %v", n, err)
		}
	}
	t.Run("an error of sink is returned unchanged", func(t *testing.T) {
		full := errors.New("disk full")
		form, err := Multipart(strings.NewReader(body), "b", Limits{}).Decode(func(io.Reader) error { return full })
		if _, ok := form.Get("title"); err != full || !ok {
			t.Error(form, err)
		}
	})
}
