package content

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestReadOn(t *testing.T) {
	long := strings.Repeat("QUJD", 40_000)
	calls := 0
	count := func(r io.Reader) error { calls++; _, err := io.Copy(io.Discard, r); return err }
	always := func(error) bool { return true }
	for name, tt := range map[string]struct {
		body   string
		reason Reason
		behind bool // whether the member b behind is known, and the body read whole
	}{
		"raw text":                {`{"a":1,"content":"<h1>\"no\" \u0022 \\</h1>` + long + `","b":2}`, RawHTML, true},
		"a byte too late":         {`{"a":1,"content":"` + long + `!` + long + `","b":2}`, BadCharacter, true},
		"one character too many":  {`{"a":1,"content":"QUJDQ","b":2}`, Length, true},
		"over the limit":          {`{"a":1,"content":"` + long + long + `","b":2}`, OverLimit, true},
		"a data: URL, no base64":  {`{"a":1,"content":"data:text/html,<h1>","b":2}`, DataText, true},
		"another type":            {`{"a":1,"content":{"x":[1,"}"]},"b":2}`, WrongType, true},
		"an unknown encoding":     {`{"a":1,"content_encoding":"rot13","content":"QUJD","b":2}`, BadEncoding, true},
		"the other alphabet":      {`{"a":1,"content":"-_8","content_encoding":"base64","b":2}`, WrongAlphabet, true},
		"a name twice":            {`{"a":1,"x":1,"x":2,"b":2}`, DuplicateName, true},
		"content twice":           {`{"a":1,"content":"QUJD","content":"` + long + `!","b":2}`, DuplicateName, true},
		"two faults":              {`{"a":1,"content":"Q!","content_encoding":7,"b":2}`, RawText, true},
		"cut behind the fault":    {`{"a":1,"content":"Q!","b":2`, RawText, false},
		"cut inside content":      {`{"a":1,"content":"Q!QUJD`, RawText, false},
		"no JSON behind":          {`{"a":1,"content":"Q!","b":2,,}`, RawText, false},
		"too much beside content": {`{"a":1,"content":"Q!","x":"` + strings.Repeat("x", 2<<20) + `","b":2}`, RawText, false},
		"too many names":          {`{"a":1,"content":"Q!",` + manyNames(1100)[1:], RawText, false},
	} {
		t.Run(name, func(t *testing.T) {
			for way, open := range ways(tt.body) {
				r, window := open()
				d := JSON(r, Limits{Content: 200_000})
				d.window = window
				d.ReadOn(always)
				calls = 0
				form, err := d.Decode(count)
				if got := faultOf(t, err); got.Reason != tt.reason {
					t.Errorf("%s: refused for %v", way, got)
				}
				_, before := form.Get("a")
				if _, behind := form.Get("b"); !before || tt.behind && !behind || form.Whole != tt.behind || calls > 1 {
					t.Errorf("%s: before %v, behind %v, whole %v, %d calls", way, before, behind, form.Whole, calls)
				}
			}
		})
	}
	t.Run("without leave nothing is read on", func(t *testing.T) {
		for _, may := range []func(error) bool{nil, func(error) bool { return false }} {
			d := JSON(strings.NewReader(`{"content":"!","b":2}`), Limits{})
			d.ReadOn(may)
			form, err := d.Decode(count)
			if _, ok := form.Get("b"); ok || err == nil || form.Whole {
				t.Errorf("%v, %v", form, err)
			}
		}
	})
	t.Run("leave is asked for once, with the refusal", func(t *testing.T) {
		full := errors.New("disk full")
		var asked []error
		d := JSON(strings.NewReader(`{"content":"QUJD","content":"!","b":2}`), Limits{})
		d.ReadOn(func(err error) bool { asked = append(asked, err); return true })
		if _, err := d.Decode(func(io.Reader) error { return full }); err != full || len(asked) != 1 || asked[0] != full {
			t.Errorf("%v, asked %v", err, asked)
		}
	})
}

func TestReadOnInForms(t *testing.T) {
	part := func(name, more, text string) string {
		return fmt.Sprintf("--B\r\nContent-Disposition: form-data; name=%q\r\n%s\r\n%s\r\n", name, more, text)
	}
	big := part("content", "", strings.Repeat("x", 300_000))
	for name, tt := range map[string]struct {
		body   string
		reason Reason
		whole  bool
	}{
		"over the limit":        {big, OverLimit, true},
		"an encoding":           {part("content_encoding", "", "base64"), NotInForm, true},
		"a part that is nested": {part("x", "Content-Type: multipart/mixed; boundary=C\r\n", "--C--"), Nested, true},
		"a name twice":          {part("a", "", "2"), DuplicateName, true},
		"content twice":         {part("content", "", "x") + big, DuplicateName, true},
		"too much beside it":    {part("content_encoding", "", "base64") + part("x", "", strings.Repeat("x", 2<<20)), NotInForm, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := Multipart(strings.NewReader(part("a", "", "1")+tt.body+part("b", "", "2")+"--B--\r\n"), "B", Limits{Content: 200_000})
			d.ReadOn(func(error) bool { return true })
			form, err := d.Decode(func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err })
			if got := faultOf(t, err); got.Reason != tt.reason {
				t.Errorf("refused for %v", got)
			}
			if _, behind := form.Get("b"); behind != tt.whole || form.Whole != tt.whole {
				t.Errorf("behind %v, whole %v", behind, form.Whole)
			}
		})
	}
}
