package content

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"sandlot/internal/testkit/expect"

	"github.com/google/go-cmp/cmp"
)

// fault holds the compared parts of an Error. Its message is checked separately.
type fault struct {
	Kind   ErrorKind
	Reason Reason
	Field  string
	At     int64
	Want   string
}

func faultOf(t *testing.T, err error) fault {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want an *Error", err)
	}
	if e.Message == "" || strings.HasSuffix(e.Message, ".") || strings.ContainsAny(e.Message, "\n\r") {
		t.Errorf("message %q is not one sentence", e.Message)
	}
	return fault{e.Kind, e.Reason, e.Field, e.At, e.Want}
}

// ways are the cuts of a body that must make no difference.
func ways(body string) map[string]func() (io.Reader, int) {
	return map[string]func() (io.Reader, int){
		"whole":       func() (io.Reader, int) { return strings.NewReader(body), maxWindow },
		"byte a read": func() (io.Reader, int) { return iotest.OneByteReader(strings.NewReader(body)), maxWindow },
		"window 16":   func() (io.Reader, int) { return strings.NewReader(body), 16 },
		"window 23":   func() (io.Reader, int) { return iotest.HalfReader(strings.NewReader(body)), 23 },
		"data and error at once": func() (io.Reader, int) {
			return iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(body))), 17
		},
	}
}

func refused(t *testing.T, body string, want fault) {
	t.Helper()
	for way, open := range ways(body) {
		r, window := open()
		_, _, err := streamed(r, Limits{}, window)
		diff(t, way+": "+short(body), want, faultOf(t, err))
	}
}

func accepted(t *testing.T, body string) Form {
	t.Helper()
	var form Form
	for way, open := range ways(body) {
		r, window := open()
		p, f, err := streamed(r, Limits{}, window)
		expect.OK(t, err, way, ":", short(body))
		diff(t, way+": "+short(body), plainDecode([]byte(body), Limits{}), p)
		form = f
	}
	return form
}

func short(body string) string {
	if len(body) > 100 {
		return fmt.Sprintf("%q... (%d bytes)", body[:100], len(body))
	}
	return fmt.Sprintf("%q", body)
}

func TestRefusedBodies(t *testing.T) {
	none := fault{Kind: InvalidJSON}
	at := func(reason Reason, field string, at int64) fault {
		return fault{Kind: InvalidJSON, Reason: reason, Field: field, At: at}
	}
	object := func(f fault) fault { f.Reason, f.Want = NotObject, "an object"; return f }
	deep := `{"a":` + strings.Repeat("[", 100_000)
	tests := []struct {
		name, body string
		want       fault
	}{
		{"row 1, empty body", "", at(Empty, "", 0)},
		{"row 1, only white space", " \r\n\t", at(Empty, "", 0)},
		{"row 1, only a byte order mark", "\xef\xbb\xbf", at(Empty, "", 0)},
		{"row 1, null", "null", object(none)},
		{"row 1, array", `[{"a":1}]`, object(none)},
		{"row 1, string", `"x"`, object(none)},
		{"row 1, number", "42 ", object(none)},
		{"row 1, a form", "email=me@example.com", at(Syntax, "", 1)},
		{"row 2, truncated behind a name", `{"a"`, at(Truncated, "", 5)},
		{"row 2, truncated in a literal", `{"a":tru`, at(Truncated, "a", 9)},
		{"row 2, truncated in content", `{"content":"QUJD`, at(Truncated, "content", 17)},
		{"row 2, truncated in an escape of content", `{"content":"QUJD\u00`, at(Truncated, "content", 21)},
		{"row 2, truncated in an escape", `{"title":"\ud83d`, at(Truncated, "title", 17)},
		{"row 2, truncated behind content", `{"content":"QUJD"`, at(Truncated, "", 18)},
		{"row 3, two objects", "{}{}", at(TrailingData, "", 3)},
		{"row 3, a word behind", "{} \nx", at(TrailingData, "", 5)},
		{"row 3, NUL behind", "{}\x00", at(TrailingData, "", 3)},
		{"row 4, duplicate name", `{"project_id":"a","project_id":"b"}`, at(DuplicateName, "project_id", 19)},
		{"row 4, equal only after unescaping", `{"title":1,"t\u0069tle":2}`, at(DuplicateName, "title", 12)},
		{"row 4, duplicate name inside", `{"x":[{"a":1,"a":2}]}`, at(DuplicateName, "a", 14)},
		{"row 4, a long name is not repeated", `{"sla_123456789012345678901234567890123456":1,"sla_123456789012345678901234567890123456":1}`, at(DuplicateName, "", 47)},
		{"row 5, duplicate content", `{"content":"QQ==","content":"QUJD"}`, at(DuplicateName, "content", 19)},
		{"row 5, content escaped the second time", `{"content":"QQ==","conten\u0074":"QUJD"}`, at(DuplicateName, "content", 19)},
		{"row 8, 100,000 nested arrays", deep, at(TooDeep, "a", 37)},
		{"row 8, 33 deep", `{"a":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + "}", at(TooDeep, "a", 37)},
		{"row 8, objects", strings.Repeat(`{"a":`, 33), at(TooDeep, "a", 161)},
		{"row 8, no object but deep", deep[5:], at(TooDeep, "", 33)},
		{"row 9, 1,000,000 names", manyNames(1_000_000), at(TooManyNames, "", 9782)},
		{"row 9, 1001 names", manyNames(1001), at(TooManyNames, "", 9782)},
		{"row 9, a name of 10 MB", `{"` + strings.Repeat("a", 10_000_000) + `":1}`, at(RestTooLarge, "", 0)},
		{"row 9, 10 MB of white space", "{" + strings.Repeat(" ", 10_000_000) + "}", at(RestTooLarge, "", 0)},
		{"row 10, invalid UTF-8", "{\"title\":\"ab\xffcd\"}", at(UTF8, "title", 13)},
		{"row 10, invalid UTF-8 behind an escape", "{\"title\":\"\\n\xc3\"}", at(UTF8, "title", 13)},
		{"row 10, overlong UTF-8", "{\"title\":\"\xc0\xaf\"}", at(UTF8, "title", 11)},
		{"row 10, a surrogate in UTF-8", "{\"title\":\"\xed\xa0\x80\"}", at(UTF8, "title", 11)},
		{"row 10, invalid UTF-8 in a name", "{\"a\xff\":1}", at(UTF8, "", 4)},
		{"row 10, invalid UTF-8 inside", "{\"x\":[\"\xff\"]}", at(UTF8, "x", 8)},
		{"row 10, lone high surrogate", `{"title":"\ud800"}`, at(Surrogate, "title", 11)},
		{"row 10, high surrogate before another escape", `{"title":"\ud800\n"}`, at(Surrogate, "title", 11)},
		{"row 10, two high surrogates", `{"title":"\ud800\ud800"}`, at(Surrogate, "title", 11)},
		{"row 10, lone low surrogate", `{"title":"a\udc00"}`, at(Surrogate, "title", 12)},
		{"row 10, lone surrogate in content", `{"content":"QUJD\ud800"}`, at(Surrogate, "content", 17)},
		{"row 10, raw control character", "{\"title\":\"a\x01\"}", at(Control, "title", 12)},
		{"row 10, raw line break", "{\"title\":\"a\nb\"}", at(Control, "title", 12)},
		{"row 10, raw line break in content", "{\"content\":\"QU\nJD\"}", at(Control, "content", 15)},
		{"row 10, raw line break in a long content", "{\"content\":\"" + strings.Repeat("QUJD", 100) + "\nQUJD\"}", at(Control, "content", 413)},
		{"row 10, raw tab in content behind an escape", "{\"content\":\"QU\\nJ\tD\"}", at(Control, "content", 18)},
		{"row 10, invalid UTF-8 in content", "{\"content\":\"QUJD\xff\"}", at(UTF8, "content", 17)},
		{"row 10, cut UTF-8 at the end of content", "{\"content\":\"QUJD\xe2\x82\"}", at(UTF8, "content", 17)},
		{"unknown escape", `{"title":"\x41"}`, at(Syntax, "title", 11)},
		{"unknown escape in content", `{"content":"QUJD\x41"}`, at(Syntax, "content", 17)},
		{"short hex", `{"title":"\u00g0"}`, at(Syntax, "title", 11)},
		{"single quotes", `{'a':1}`, at(Syntax, "", 2)},
		{"trailing comma", `{"a":1,}`, at(Syntax, "", 8)},
		{"trailing comma in an array", `{"a":[1,]}`, at(Syntax, "a", 9)},
		{"no colon", `{"a" 1}`, at(Syntax, "", 6)},
		{"no comma", `{"a":1 "b":2}`, at(Syntax, "", 8)},
		{"no value", `{"a":}`, at(Syntax, "a", 6)},
		{"content without value", `{"content":}`, at(Syntax, "content", 12)},
		{"leading zero", `{"a":01}`, at(Syntax, "a", 6)},
		{"plus", `{"a":+1}`, at(Syntax, "a", 6)},
		{"no digits behind the point", `{"a":1.}`, at(Syntax, "a", 6)},
		{"no exponent", `{"a":1e}`, at(Syntax, "a", 6)},
		{"only a minus", `{"a":-}`, at(Syntax, "a", 6)},
		{"NaN", `{"a":NaN}`, at(Syntax, "a", 6)},
		{"capital literal", `{"a":True}`, at(Syntax, "a", 6)},
		{"a literal and more", `{"a":nullx}`, at(Syntax, "a", 6)},
		{"a comment", `{/* */"a":1}`, at(Syntax, "", 2)},
		{"mismatched brackets", `{"a":[1}}`, at(Syntax, "a", 8)},
		{"UTF-16", "\xff\xfe{\x00}\x00", at(Wide, "", 1)},
		{"two byte order marks", "\xef\xbb\xbf\xef\xbb\xbf{}", at(Syntax, "", 4)},
		{"a cut byte order mark", "\xef\xbb{}", at(Syntax, "", 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.body, tt.want) })
	}
}

func manyNames(n int) string {
	b := []byte{'{'}
	for i := range int64(n) {
		b = append(strconv.AppendInt(append(b, '"'), i, 10), `":`...)
		b = append(strconv.AppendInt(b, i, 10), ',')
	}
	b[len(b)-1] = '}'
	return string(b)
}

func TestAcceptedBodies(t *testing.T) {
	for name, body := range map[string]string{
		"row 3, a byte order mark is skipped":        "\xef\xbb\xbf{\"a\":1}",
		"row 3, white space around":                  " \r\n\t{ \"a\" : 1 , \"b\" : [ ] }\n ",
		"row 6, names are case-sensitive":            `{"content":"QQ==","Content":"<html>","CONTENT":1}`,
		"row 7, unknown names":                       `{"html":"<b>","x":{"y":[1,2,{"z":null}]}}`,
		"row 8, 32 deep":                             `{"a":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + "}",
		"row 9, 1000 names":                          manyNames(1000),
		"the same name in two objects":               `{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":2}]}`,
		"numbers":                                    `{"a":[0,-0,1.5,-1e9,1E+2,2e-3,123456789012345678901234567890]}`,
		"escapes":                                    `{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","\u0062":true}`,
		"Unicode":                                    `{"é":"日本語 😀","x":"\u0000"}`,
		"DEL and U+2028 raw":                         "{\"a\":\"\x7f\u2028\"}",
		"empty object":                               `{}`,
		"empty name":                                 `{"":1}`,
		"content of escapes":                         `{"content":"\u0051\u0055J\u0044\/\/8="}`,
		"content first and content_encoding last":    `{"content":"-_8","title":"x","content_encoding":"base64url"}`,
		"content_encoding first":                     `{"content_encoding":"gzip+base64","content":"AAAA"}`,
		"content empty":                              `{"content":""}`,
		"content_encoding without content":           `{"content_encoding":"base64"}`,
		"a member named content inside another":      `{"x":{"content":5,"content_encoding":7}}`,
		"a text of both alphabets' common part":      `{"content":"QUJD","content_encoding":"base64url"}`,
		"line breaks only, which stand for nothing":  `{"content":"\n\r\n"}`,
		"line breaks anywhere, even behind padding":  `{"content":"\nQ\rQ\n=\r\n=\n"}`,
		"content behind a large member":              `{"x":"` + strings.Repeat("x", 900_000) + `","content":"QUJD"}`,
		"a string that ends at the end of a window ": `{"abcdefgh":"x"}`,
	} {
		t.Run(name, func(t *testing.T) { accepted(t, body) })
	}
}

func TestForm(t *testing.T) {
	form := accepted(t, `{"b":"x\u0041","a":[1, 2],"part":3,"last":true,"n":null,"o":{ },"content":"QQ","f":1.5,"e":1e0,"big":9223372036854775808,"min":-9223372036854775808}`)

	t.Run("All yields the members in the order in which they were sent", func(t *testing.T) {
		var got []Field
		for f := range form.All() {
			got = append(got, f)
		}
		want := []Field{
			{"b", String, "xA", `"x\u0041"`},
			{"a", Array, "", `[1, 2]`},
			{"part", Number, "", "3"},
			{"last", Bool, "", "true"},
			{"n", Null, "", "null"},
			{"o", Object, "", "{ }"},
			{"f", Number, "", "1.5"},
			{"e", Number, "", "1e0"},
			{"big", Number, "", "9223372036854775808"},
			{"min", Number, "", "-9223372036854775808"},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		for range form.All() {
			break
		}
	})
	t.Run("Get/content is never among them", func(t *testing.T) {
		if f, ok := form.Get("content"); ok || !form.HasContent {
			t.Errorf("got %v, %v", f, form.HasContent)
		}
	})
	str := func(name string) error { _, _, err := form.String(name); return err }
	num := func(name string) error { _, _, err := form.Int(name); return err }
	boo := func(name string) error { _, _, err := form.Bool(name); return err }
	for _, tt := range []struct {
		name    string
		err     error
		field   string
		message string
	}{
		{"String/number", str("part"), "part", "part is a number, wanted a string"},
		{"String/null", str("n"), "n", "n is null, wanted a string"},
		{"row 12, part is a string", num("b"), "b", "b is another text, wanted an integer"},
		{"row 12, 1.5", num("f"), "f", "f is a number with a fraction or an exponent, wanted an integer"},
		{"row 12, 1e0", num("e"), "e", "e is a number with a fraction or an exponent, wanted an integer"},
		{"row 12, true", num("last"), "last", "last is a boolean, wanted an integer"},
		{"row 12, 2^63", num("big"), "big", "big is an integer beyond 64 bits, wanted an integer"},
		{"Int/array", num("a"), "a", "a is an array, wanted an integer"},
		{"Bool/object", boo("o"), "o", "o is an object, wanted true or false"},
		{"Bool/string", boo("b"), "b", "b is another text, wanted true or false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var e *Error
			if !errors.As(tt.err, &e) || e.Kind != InvalidField || e.Reason != WrongType || e.Field != tt.field || e.Message != tt.message {
				t.Errorf("got %+v", tt.err)
			}
		})
	}
}

func TestRestLimit(t *testing.T) {
	content := strings.Repeat("QUJD", 50_000)
	for name, body := range map[string]func(fill string) string{
		"white space":     func(f string) string { return `{"content":"` + content + `"` + blanks(f) + `}` },
		"a value":         func(f string) string { return `{"x":"` + f + `","content":"` + content + `"}` },
		"a value behind":  func(f string) string { return `{"content":"` + content + `","x":"` + f + `"}` },
		"behind the body": func(f string) string { return `{"content":"` + content + `"}` + blanks(f) },
		"before the body": func(f string) string { return blanks(f) + `{"content":"` + content + `"}` },
	} {
		t.Run(name, func(t *testing.T) {
			const rest = 5000
			free := rest - (len(body("")) - len(content))
			for _, window := range []int{16, 100, maxWindow} {
				if _, _, err := streamed(strings.NewReader(body(strings.Repeat("x", free))), Limits{Rest: rest}, window); err != nil {
					t.Errorf("window %d, exactly the limit: %v", window, err)
				}
				_, _, err := streamed(strings.NewReader(body(strings.Repeat("x", free+1))), Limits{Rest: rest}, window)
				diff(t, "one more", fault{Kind: InvalidJSON, Reason: RestTooLarge}, faultOf(t, err))
			}
		})
	}
}

func blanks(s string) string { return strings.Repeat(" ", len(s)) }

func TestReadErrors(t *testing.T) {
	gone := errors.New("client gone")
	for _, body := range []string{"", `{"title":"a`, `{"content":"QU`, `{"content":"QUJD"`, `{}`, `{"a":tr`} {
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			r := wrap(io.MultiReader(strings.NewReader(body), iotest.ErrReader(gone)))
			_, _, err := streamed(r, Limits{}, 32)
			var e *Error
			if !errors.Is(err, gone) || errors.As(err, &e) {
				t.Errorf("%q: error of the reader became %v", body, err)
			}
		}
		r := io.MultiReader(strings.NewReader(body), iotest.ErrReader(io.ErrUnexpectedEOF))
		_, _, err := streamed(r, Limits{}, 32)
		if got := faultOf(t, err); got.Reason != Truncated || got.At != int64(len(body))+1 {
			t.Errorf("%q with io.ErrUnexpectedEOF: %v", body, got)
		}
	}
	t.Run("a reader that never returns anything is given up", func(t *testing.T) {
		_, _, err := streamed(stuck{}, Limits{}, 32)
		if !errors.Is(err, io.ErrNoProgress) {
			t.Error(err)
		}
	})
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestVisit(t *testing.T) {
	body := `{"a":1,"content":"QUJDREVG","b":2}`
	t.Run("an error of sink is returned unchanged, and decoding stops", func(t *testing.T) {
		full := errors.New("disk full")
		r := strings.NewReader(body + strings.Repeat(" ", 1<<20))
		form, err := JSON(r, Limits{}).Decode(func(io.Reader) error { return full })
		if err != full {
			t.Errorf("got %v", err)
		}
		if _, ok := form.Get("a"); !ok || r.Len() < 900_000 {
			t.Errorf("form %v, %d bytes left unread", form, r.Len())
		}
	})
	t.Run("what sink leaves unread is checked all the same", func(t *testing.T) {
		_, err := JSON(strings.NewReader(`{"content":"QUJD!"}`), Limits{}).Decode(func(io.Reader) error { return nil })
		if got := faultOf(t, err); got.Kind != InvalidContent {
			t.Errorf("got %v", got)
		}
		form, err := JSON(strings.NewReader(body), Limits{}).Decode(func(io.Reader) error { return nil })
		if _, ok := form.Get("b"); err != nil || !ok {
			t.Errorf("got %v, %v", form, err)
		}
	})
	t.Run("an error of the reader that sink swallows is not lost", func(t *testing.T) {
		_, err := JSON(strings.NewReader(`{"content":"QUJD!"}`), Limits{}).Decode(func(r io.Reader) error {
			io.Copy(io.Discard, r)
			return nil
		})
		if got := faultOf(t, err); got.Kind != InvalidContent {
			t.Errorf("got %v", got)
		}
	})
	t.Run("sink is not called without content", func(t *testing.T) {
		form, err := JSON(strings.NewReader(`{"x":{"content":"QQ=="}}`), Limits{}).Decode(func(io.Reader) error {
			t.Error("called")
			return nil
		})
		if err != nil || form.HasContent {
			t.Error(form, err)
		}
	})
	t.Run("sink is called for empty content", func(t *testing.T) {
		calls := 0
		form, err := JSON(strings.NewReader(`{"content":""}`), Limits{}).Decode(func(r io.Reader) error {
			calls++
			b, err := io.ReadAll(r)
			if len(b) > 0 {
				t.Errorf("read %q", b)
			}
			return err
		})
		if err != nil || calls != 1 || !form.HasContent {
			t.Error(calls, form, err)
		}
	})
	t.Run("the reader passes the checks of testing/iotest", func(t *testing.T) {
		data := noise(100_000)
		_, err := JSON(bytes.NewReader(jsonBody(b64(data))), Limits{}).Decode(func(r io.Reader) error {
			return iotest.TestReader(r, data)
		})
		expect.OK(t, err)
	})
}
