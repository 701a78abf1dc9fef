package content

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A came lists the members that a body brought, in order: "content X", "file a.js X", "archive X", "html X".
type came struct {
	list   []string
	staged string
	forms  []Form
}

// takes makes d take all it can, and decodes the body.
func (c *came) takes(d *Decoder) (Form, error) {
	read := func(r io.Reader) (string, error) { b, err := io.ReadAll(r); return string(b), err }
	d.Takes(More{
		Text: true,
		HTML: func(r io.Reader) error { s, err := read(r); c.list = append(c.list, "html "+s); return err },
		Place: func(f Form) error {
			name, _, err := f.String("filename")
			if f.Multipart {
				name = f.FileName
			}
			c.list = append(c.list, "file "+name+" "+c.staged)
			c.staged, c.forms = "", append(c.forms, f)
			return err
		},
		Archive: func(r io.Reader) error { s, err := read(r); c.list = append(c.list, "archive "+s); return err },
	})
	form, err := d.Decode(func(r io.Reader) error { s, err := read(r); c.staged = s; return err })
	if form.HasContent {
		c.list = append(c.list, "content "+c.staged)
	}
	return form, err
}

// everyWay decodes body in all cuts, which must bring the same.
func everyWay(t *testing.T, body string) (c came, form Form, err error) {
	t.Helper()
	first := true
	for way, open := range ways(body) {
		r, window := open()
		d := JSON(r, Limits{})
		d.window = window
		again := came{}
		f, e := again.takes(d)
		if !first && (describe(e) != describe(err) || !slices.Equal(again.list, c.list)) {
			t.Errorf("%s: %v %q, elsewhere %v %q", way, e, again.list, err, c.list)
		}
		c, form, err, first = again, f, e, false
	}
	return c, form, err
}

func TestABodyMayBringMoreThanContent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"text":"<p>\n\"é\"\u00e9\ud83d\ude00\\</p>"}`: {"content <p>\n\"é\"é😀\\</p>"},
		`{"text":""}`:                    {"content "},
		`{"text":null,"content":"QUJD"}`: {"content ABC"},
		`{"content":null,"files":null,"archive":null,"html":null,"text":"x"}`: {"content x"},
		`{"html":"<p>","content":"QUJD"}`:                                     {"html <p>", "content ABC"},
		`{"content":"QUJD","html":"<p>"}`:                                     {"html <p>", "content ABC"},
		`{"archive":"UEsD","archive_format":"zip"}`:                           {"archive PK\x03"},
		`{"archive":"data:application/zip;base64,-_8"}`:                       {"archive \xfb\xff"},
		`{"files":[]}`: {},
		`{"files":{}}`: {},
		`{"files":{"a.js":"let a","b/c.bin":{"content":"QUJD"}},"title":"x"}`:                                            {"file a.js let a", "file b/c.bin ABC"},
		`{"files":[{"filename":"a.js","content":"let a = f(1)\n"}]}`:                                                     {"file a.js let a = f(1)\n"},
		`{"files":[{"filename":"a.css","content":"\u003cstyle\u003e"}]}`:                                                 {"file a.css <style>"},
		`{"files":[{"filename":"a","content":"data:text/plain;base64,QUJD"}]}`:                                           {"file a ABC"},
		`{"files":[{"content":"\"use strict\"","filename":"a.js"}]}`:                                                     {"file a.js \"use strict\""},
		`{"files":[{"filename":"a.js","text":"let a"}],"title":"x"}`:                                                     {"file a.js let a"},
		`{"title":"x","files":[{"text":"b","filename":"b.js"}, {"content":"QUJD","filename":"c"}]}`:                      {"file b.js b", "file c ABC"},
		`{"files":[{"filename":"d"}, {"filename":"e","text":null,"content":""}]}`:                                        {"file d ", "file e "},
		`{"files":[{"content_encoding":"base64url","content":"-_8","filename":"f","size":2,"sha256":"00","mode":[{}]}]}`: {"file f \xfb\xff"},
	} {
		c, form, err := everyWay(t, body)
		if err != nil || !form.Whole || !slices.Equal(c.list, want) {
			t.Errorf("%s: %q, %v; wanted %q", body, c.list, err, want)
		}
	}
	c, form, err := everyWay(t, `{"a":1,"files":[{"content":"H4sI","filename":"f","content_encoding":"gzip+base64","x":7}],"b":2}`)
	expect.OK(t, err)
	_, x := c.forms[0].Get("x")
	_, a := form.Get("a")
	_, b := form.Get("b")
	_, inside := form.Get("filename")
	if f := c.forms[0]; !x || !f.Encoding.Gzip || !f.HasContent || !f.Whole || !a || !b || inside || form.Encoding.Gzip || !form.HasFiles || form.HasContent {
		t.Errorf("%+v in %+v", f, form)
	}
}

func TestWhatIsWrongWithOneOfManyFilesIsToldOfThatFile(t *testing.T) {
	t.Parallel()
	const before = `{"files":[{"filename":"a","text":"b"},`
	for body, want := range map[string]string{
		before + `{"filename":"b","content":"QU JD"}]}`:                           "files[1].content has a blank at character 3, which base64 does not allow",
		before + `{"filename":"b","content":"-_8","content_encoding":"base64"}]}`: "files[1].content uses the alphabet of base64url from character 1 on, but content_encoding says base64",
		before + `{"filename":"b","content_encoding":"rot13"}]}`:                  "files[1].content_encoding is not one of the values, wanted base64, base64url, gzip+base64 or gzip+base64url",
		before + `{"filename":"b","filename":"c"}]}`:                              "files[1].filename is there twice, the second time at byte 55 of the body",
		before + `{"text":"b","content":"QUJD"}]}`:                                "files[1].content is there beside text, and a call takes one of them",
		before + `{"text":7}]}`:                                                   "files[1].text is a number, wanted a string",
		before + `{"text":"a","content_encoding":"base64"}]}`:                     "files[1].content_encoding is there beside text, which is stored as it is",
		before + "{\"text\":\"a\n\"}]}":                                           "files[1].text holds the control character U+000A without an escape, at byte 49 of the body",
		before + "{\"text\":\"a\xff\"}]}":                                         "files[1].text is not valid UTF-8 at byte 49 of the body",
		before + `{"text":"a\ud800"}]}`:                                           "in files an escape is half of a surrogate pair, at byte 49 of the body",
		before + `7]}`:                                                            "files[1] is a number, wanted an array of objects with filename and text or content",
		before + `{"filename":7}]}`:                                               "files[1].filename is a number, wanted a string",
		before + `]}`:                                                             "in files the JSON is malformed, wanted a value, at byte 39 of the body",
		before + `{}`:                                                             "the body ends too early, inside files, after 40 bytes",
		`{"files":"a.js"}`:                                                        "files is a string, wanted an array of objects with filename and text or content",
		`{"files":{"a.js":7}}`:                                                    "files is a number, wanted the text of each file under its name",
		`{"files":{"a.js":{"text":7}}}`:                                           "files[\"a.js\"].text is a number, wanted a string",
		`{"files":[{"text":"b"}],"text":"a"}`:                                     "text is there beside files, and a call takes one of them",
		`{"content":"QUJD","text":"a"}`:                                           "text is there beside content, and a call takes one of them",
		`{"archive":"QUJD","files":[{"text":"a"}]}`:                               "files[0] is there beside archive, and a call takes one of them",
		`{"text":"a","content_encoding":"gzip+base64"}`:                           "content_encoding is there beside text, which is stored as it is",
		`{"archive":"PK!"}`:                                                       "archive has '!' at character 3, which base64 does not have: it looks like text that was not encoded",
		`{"archive":["a"]}`:                                                       "archive is an array, wanted a string of base64",
		`{"files":[{"x":` + strings.Repeat("[", 40):                               "in files objects and arrays lie more than 32 deep, at byte 47 of the body",
		`{"text":"a\x"}`:                                                          "in text an escape of a string is malformed, at byte 11 of the body",
	} {
		_, _, err := everyWay(t, body)
		var e *Error
		if !errors.As(err, &e) || e.Message != want {
			t.Errorf("%s:\n%v, wanted\n%s", short(body), err, want)
		}
		if strings.HasPrefix(want, "files[") && e.Field != "files" {
			t.Errorf("%s: field %q", short(body), e.Field)
		}
	}
}

func TestManyFilesHaveRoomOfTheirOwnBesideTheirBytes(t *testing.T) {
	t.Parallel()
	const n = 3000 // which take more than 1 MiB
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, `,{"filename":"%s/%d","text":"","sha256":"%s","size":0,"content_encoding":null}`, strings.Repeat("folder/", 50), i, strings.Repeat("0", 64))
	}
	c := came{}
	_, err := c.takes(JSON(strings.NewReader(`{"files":[`+body.String()[1:]+`]}`), Limits{}))
	expect.OK(t, err)
	expect.Equal(t, "files", len(c.list), n)
	for what, tail := range map[string]string{
		"one that takes more than all may":  `{"x":"` + strings.Repeat("x", 2<<20) + `"}]}`,
		"what is left of them is not saved": `{}],"x":"` + strings.Repeat("x", 2<<20) + `"}`,
		"many names":                        `{"a":{` + strings.TrimPrefix(manyNames(30), "{") + `}]}`,
	} {
		_, err := (&came{}).takes(JSON(strings.NewReader(`{"files":[`+body.String()[1:]+`,`+tail), Limits{}))
		var e *Error
		if !errors.As(err, &e) || e.Reason != RestTooLarge && e.Reason != TooManyNames {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestLimitsHoldForEachFile(t *testing.T) {
	t.Parallel()
	lim := Limits{Content: 100, Archive: 1000}
	text := strings.Repeat("x", 101)
	for body, want := range map[string]string{
		`{"text":"` + text[1:] + `"}`: "", `{"text":"` + text + `"}`: "text",
		`{"html":"` + text + `"}`: "html",
		`{"files":[{"text":"` + text[1:] + `"},{"text":"` + text[1:] + `"}]}`:                                              "",
		`{"files":[{"text":"` + text[1:] + `"},{"text":"` + text + `"}]}`:                                                  "files",
		`{"files":[{"content":"` + b64([]byte(text)) + `"}]}`:                                                              "files",
		`{"archive":"` + b64(noise(1000)) + `"}`:                                                                           "",
		`{"archive":"` + b64(noise(1001)) + `"}`:                                                                           "archive",
		`{"archive":"` + b64(append([]byte{0x1f, 0x8b}, noise(1000)...)) + `"}`:                                            "archive",
		`{"files":[{"content":"` + b64(append([]byte{0x1f, 0x8b}, noise(99)...)) + `"}]}`:                                  "files",
		`{"files":[{"content":"` + b64(append([]byte{0x1f, 0x8b}, noise(99)...)) + `","content_encoding":"gzip+base64"}]}`: "",
	} {
		_, err := (&came{}).takes(JSON(strings.NewReader(body), lim))
		var e *Error
		if want == "" && err != nil || want != "" && (!errors.As(err, &e) || e.Reason != OverLimit || e.Field != want) {
			t.Errorf("%s: %v, wanted of %q", short(body), err, want)
		}
	}
}

func TestAfterARefusalOfOneFileTheOtherFieldsAreRead(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`"files":[{"content":"Q!"},{"content":"also!","text":"\"x\""},7,{"filename":8}]`, `"files":{"a":7}`, `"files":[{"text":""}],"content":"QUJD"`, `"archive":"<>"`,
	} {
		body := `{"a":1,` + bad + `,"b":2}`
		for way, open := range ways(body) {
			r, window := open()
			d := JSON(r, Limits{})
			d.window = window
			d.ReadOn(func(error) bool { return true })
			c := came{}
			form, err := c.takes(d)
			_, behind := form.Get("b")
			if err == nil || !behind || !form.Whole || len(c.list) > 2 {
				t.Errorf("%s, %s: %v, %q, whole %v", bad, way, err, c.list, form.Whole)
			}
		}
	}
}

func TestAFormMayBringManyFiles(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		parts [][3]string // name, filename, bytes
		want  []string
	}{
		"one file is content": {[][3]string{{"file", "a.html", "<p>"}, {"title", "", "x"}}, []string{"content <p>"}},
		"two are many":        {[][3]string{{"file", "index.html", "<p>"}, {"title", "", "x"}, {"file", "js/a.js", "let"}}, []string{"file index.html <p>", "file js/a.js let"}},
		"and more":            {[][3]string{{"file", "a", ""}, {"file", "b", "2"}, {"file", "a", "3"}}, []string{"file a ", "file b 2", "file a 3"}},
		"an archive":          {[][3]string{{"archive", "site.zip", "PK\x03"}}, []string{"archive PK\x03"}},
		"text":                {[][3]string{{"text", "", "é"}}, []string{"content é"}},
		"html beside it":      {[][3]string{{"html", "", "<b>"}, {"content", "", "<p>"}}, []string{"html <b>", "content <p>"}},
	} {
		c := came{}
		form, err := c.takes(formOf(t, tc.parts))
		if err != nil || !slices.Equal(c.list, tc.want) || form.HasFiles != strings.HasPrefix(tc.want[0], "file ") {
			t.Errorf("%s: %q, %v", name, c.list, err)
		}
	}
	for want, parts := range map[string][][3]string{
		"content is there beside file, and a call takes one of them": {{"file", "a", ""}, {"content", "b", ""}},
		"archive is there beside file, and a call takes one of them": {{"file", "a", ""}, {"file", "b", ""}, {"archive", "c", ""}},
		"text is there beside archive, and a call takes one of them": {{"archive", "a", ""}, {"text", "", ""}},
		"text is not valid UTF-8":                                    {{"text", "", "a\xff"}},
		"html is not valid UTF-8":                                    {{"html", "", "a\xe2\x82"}},
		"content is there twice in the multipart body":               {{"content", "a", ""}, {"content", "b", ""}},
	} {
		_, err := (&came{}).takes(formOf(t, parts))
		var e *Error
		if !errors.As(err, &e) || e.Message != want {
			t.Errorf("%v, wanted %s", err, want)
		}
	}
}

func formOf(t *testing.T, parts [][3]string) *Decoder {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		header := map[string][]string{"Content-Disposition": {fmt.Sprintf(`form-data; name=%q`, p[0])}}
		if p[1] != "" {
			header["Content-Disposition"][0] += fmt.Sprintf(`; filename=%q`, p[1])
		}
		part, err := w.CreatePart(header)
		expect.OK(t, err)
		_, err = io.WriteString(part, p[2])
		expect.OK(t, err)
	}
	expect.OK(t, w.Close())
	return Multipart(&b, w.Boundary(), Limits{})
}

// Many files, and an archive, pass through the buffers of one.
func TestSoakMemoryOfManyFiles(t *testing.T) {
	testenv.Unraced(t)
	const n = 3000
	text := strings.Repeat(`let a = \"b\"\n`, 1000)
	code := base64.StdEncoding.EncodeToString(noise(12_000))
	each := []string{`{"filename":"a","text":"` + text + `"}`, `{"filename":"a","content":"` + code + `"}`}
	for _, one := range each {
		body := io.MultiReader(strings.NewReader(`{"files":[`), io.LimitReader(&endless{text: one + ","}, int64(n*(len(one)+1)-1)), strings.NewReader(`]}`))
		var err error
		grown := allocated(func() {
			d := JSON(body, Limits{})
			d.Takes(More{Place: func(Form) error { return nil }})
			_, err = d.Decode(func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err })
		})
		expect.OK(t, err)
		if grown > n*3000+1<<20 {
			t.Errorf("%d bytes for each file", grown/n)
		}
	}
}
