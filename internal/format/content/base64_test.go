package content

import (
	"encoding/base64"
	"strings"
	"testing"
)

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func TestRefusedContent(t *testing.T) {
	at := func(reason Reason, at int64) fault {
		return fault{Kind: InvalidContent, Reason: reason, Field: "content", At: at}
	}
	want := func(f fault, want string) fault { f.Want = want; return f }
	long := strings.Repeat("QUJD", 20_000) // more than a window
	tests := []struct {
		name, content, declared string
		want                    fault
	}{
		{"row 17, !", "QUJD!", "", at(RawText, 5)},
		{"row 17, ! far inside", long + "QU!D", "", at(BadCharacter, 80_003)},
		{"row 17, ! at character 65", strings.Repeat("QUJD", 16) + "!", "", at(BadCharacter, 65)},
		{"row 17, NUL", `QUJD\u0000`, "", at(BadCharacter, 5)},
		{"row 17, %2B", "QUJD%2B", "", at(PercentEncoded, 5)},
		{"row 17, position counts line breaks", `QUJD\r\nQU*D`, "", at(RawText, 9)},
		{"row 17, position counts escapes as one", `\u0051\u0055JD\/\/\/!`, "", at(RawText, 8)},
		{"row 17, an escaped quote", `QUJD\"QUJD`, "", at(RawText, 5)},
		{"row 17, an escaped backslash", `QUJD\\QUJD`, "", at(RawText, 5)},
		{"row 17, a letter beyond ASCII", "QUJDé", "", at(RawText, 5)},
		{"row 17, an escaped one", `QUJD\u00e9QUJD`, "", at(RawText, 5)},
		{"row 17, an emoji far inside", long + "😀", "", at(BadCharacter, 80_001)},
		{"row 17, a full stop behind padding", "QQ==.", "", at(RawText, 5)},
		{"row 18, + and _", "+QQQ_QQQ", "", at(MixedAlphabets, 5)},
		{"row 18, _ and +", "_QQQ+QQQ", "", at(MixedAlphabets, 5)},
		{"row 18, - and / far inside", "-" + long + "QQ/", "", at(MixedAlphabets, 80_004)},
		{"row 18, / far inside and -", long + "Q/Q-", "", at(MixedAlphabets, 80_004)},
		{"row 18, + and _ with a declaration", "+QQQ_QQQ", "base64", at(MixedAlphabets, 5)},
		{"row 19, declared base64, data base64url", "QUJDQU-_", "base64", want(at(WrongAlphabet, 7), "base64url")},
		{"row 19, declared base64url, data base64", "QUJDQU+/", "base64url", want(at(WrongAlphabet, 7), "base64")},
		{"row 19, declared gzip+base64", "QU-_", "gzip+base64", want(at(WrongAlphabet, 3), "gzip+base64url")},
		{"row 19, declared gzip+base64url", `Q\nU+/`, "gzip+base64url", want(at(WrongAlphabet, 4), "gzip+base64")},
		{"row 19, far inside", long + `\n_UJD`, "base64", want(at(WrongAlphabet, 80_002), "base64url")},
		{"row 21, one = of two", "QQ=", "", at(Padding, 3)},
		{"row 21, one = of two and a line break", `QQ=\n`, "", at(Padding, 3)},
		{"row 21, ====", "====", "", at(Padding, 1)},
		{"row 21, a third =", "QQ===", "", at(Padding, 5)},
		{"row 21, a second = behind three", "QUI==", "", at(Padding, 5)},
		{"row 21, padding of nothing", "QUJD=", "", at(Padding, 5)},
		{"row 21, = in the middle", "QUI=QUJD", "", at(AfterPadding, 5)},
		{"row 21, one = of two in the middle", "QQ=QUJD", "", at(AfterPadding, 4)},
		{"row 21, == in the middle", "QQ==QUJD", "", at(AfterPadding, 5)},
		{"row 21, = in the middle of much", long + "QUI=" + long, "", at(AfterPadding, 80_005)},
		{"row 22, a space", "QUJD QUJD", "", at(Blank, 5)},
		{"row 22, a space first", " QUJD", "", at(Blank, 1)},
		{"row 22, a space at the end", "QQ== ", "", at(Blank, 5)},
		{"row 22, a tab", `QUJD\tQUJD`, "", at(Blank, 5)},
		{"row 23, length 1 modulo 4", "QUJDQ", "", at(Length, 5)},
		{"row 23, one character", "Q", "", at(Length, 1)},
		{"row 23, one character and a line break", `QUJD\nQ\n\n`, "", at(Length, 6)},
		{"row 23, length 1 modulo 4 padded", `QUJD\nQ===`, "", at(Length, 6)},
		{"row 23, much and one character", long + "Q", "", at(Length, 80_001)},
		{"row 23, trailing bits of two", "QR==", "", at(TrailingBits, 2)},
		{"row 23, trailing bits of two without padding", `QR\n`, "", at(TrailingBits, 2)},
		{"row 23, trailing bits of three", `\nQUJDQUJ=`, "", at(TrailingBits, 8)},
		{"row 23, trailing bits of three without padding", "QUJDQUJ", "", at(TrailingBits, 7)},
		{"row 23, trailing bits and then only line breaks", `QUJ` + strings.Repeat(`\n`, 100), "", at(TrailingBits, 3)},
		{"row 24, a data: URL that is not base64", "data:text/html,%3Ch1%3E", "", at(DataText, 1)},
		{"row 24, a data: URL without its comma", "data:text/html;base64" + strings.Repeat(" ", 200), "", at(DataText, 1)},
		{"row 24, text behind the prefix", "data:text/html;base64,<h1>", "", at(RawHTML, 23)},
		{"row 24, bad padding behind the prefix", "data:;base64,QUI=QUI=", "", at(AfterPadding, 18)},
		{"row 24, DATA: URL", "DATA:text/html,x", "", at(DataText, 1)},
		{"row 24, raw HTML", "<!doctype html>", "", at(RawHTML, 1)},
		{"row 24, raw HTML escaped", `\u003chtml>`, "", at(RawHTML, 1)},
		{"row 24, raw HTML behind a line break", `\n<html>`, "", at(RawHTML, 2)},
		{"row 24, raw script", `console.log(1)`, "", at(RawText, 8)},
		{"row 24, data without a colon is base64", "data!", "", at(RawText, 5)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.declared == "" {
				refused(t, `{"content":"`+tt.content+`"}`, tt.want)
				return
			}
			refused(t, `{"content_encoding":"`+tt.declared+`","content":"`+tt.content+`"}`, tt.want)
			refused(t, `{"content":"`+tt.content+`","content_encoding":"`+tt.declared+`"}`, tt.want)
		})
	}
}

func TestContentTypes(t *testing.T) {
	field := func(name string, reason Reason, want string) fault {
		return fault{Kind: InvalidField, Reason: reason, Field: name, Want: want}
	}
	for value, got := range map[string]string{"5": "a number", `{"a":1}`: "an object", "[]": "an array", "true": "a boolean"} {
		t.Run("row 11, content is "+got, func(t *testing.T) {
			refused(t, `{"content":`+value+`}`, field("content", WrongType, "a string of base64"))
		})
	}
	for _, value := range []string{`"br+base64"`, `"gzip+gzip+base64"`, `"base64+utf-8"`, `"url"`, `"gzip url"`, `"+"`, `""`, "7", `["base64"]`} {
		t.Run("row 16, content_encoding is "+value, func(t *testing.T) {
			want := field("content_encoding", BadEncoding, "base64, base64url, gzip+base64 or gzip+base64url")
			refused(t, `{"content_encoding":`+value+`,"content":"QUJD"}`, want)
			refused(t, `{"content":"QUJD","content_encoding":`+value+`}`, want)
		})
	}
}

func TestEncodings(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want Encoding
	}{
		"no content":                          {`{}`, Encoding{}},
		"row 16, capitals":                    {`{"content_encoding":"BASE64","content":"QUJD"}`, Encoding{Declared: "base64", Sent: "BASE64", Base64: true}},
		"row 16, another order":               {`{"content":"H4sI","content_encoding":"base64+gzip"}`, Encoding{Declared: "gzip+base64", Sent: "base64+gzip", Gzip: true, Magic: true, Base64: true}},
		"row 16, gzip alone, either alphabet": {`{"content_encoding":"gzip","content":"H4sI-_8"}`, Encoding{Declared: "gzip+base64", Sent: "gzip", Gzip: true, Either: true, Magic: true, URL: true, Base64: true}},
		"row 16, gzip alone, behind":          {`{"content":"H4sI+/8=","content_encoding":" GZip "}`, Encoding{Declared: "gzip+base64", Sent: " GZip ", Gzip: true, Either: true, Magic: true, Base64: true}},
		"row 16, words":                       {`{"content_encoding":"url-safe base64","content":"QUJD"}`, Encoding{Declared: "base64url", Sent: "url-safe base64", URL: true, Base64: true}},
		"row 24, a data: prefix":              {`{"content":"data:text/html;charset=utf-8;base64,QUJD"}`, Encoding{Data: true, DataType: "text/html", Base64: true}},
		"row 24, a data: prefix in escapes":   {`{"content":"d\u0041ta:Image\/PNG;BASE64,-_8","content_encoding":"base64url"}`, Encoding{Declared: "base64url", URL: true, Data: true, DataType: "image/png", Base64: true}},
		"row 24, a data: prefix without type": {`{"content":"data:;base64,H4sI"}`, Encoding{Data: true, Magic: true, Base64: true}},
		"no data: prefix, only its letters":   {`{"content":"dataDATA"}`, Encoding{Base64: true}},
		"no data: prefix, in escapes":         {`{"content":"d\u0061t\u0061QUJD"}`, Encoding{Base64: true}},
		"null for content is none":            {`{"content":null}`, Encoding{}},
		"null for content_encoding is none":   {`{"content_encoding":null,"content":"QUJD-_8"}`, Encoding{Base64: true, URL: true}},
		"null behind the content is none":     {`{"content":"QUJD-_8","content_encoding":null}`, Encoding{Base64: true, URL: true}},
		"row 20, no content_encoding":         {`{"content":"QUJD-_8"}`, Encoding{Base64: true, URL: true}},
		"the standard alphabet":               {`{"content":"QUJD+/8="}`, Encoding{Base64: true}},
		"no character tells":                  {`{"content":"QUJD"}`, Encoding{Base64: true}},
		"base64url declared, nothing told":    {`{"content":"QUJD","content_encoding":"base64url"}`, Encoding{Declared: "base64url", URL: true, Base64: true}},
		"gzip declared before":                {`{"content_encoding":"gzip+base64","content":"H4sI"}`, Encoding{Declared: "gzip+base64", Gzip: true, Magic: true, Base64: true}},
		"gzip declared behind":                {`{"content":"H4sI","content_encoding":"gzip+base64url"}`, Encoding{Declared: "gzip+base64url", Gzip: true, Magic: true, URL: true, Base64: true}},
		"row 25, gzip bytes, not declared":    {`{"content":"H4sI"}`, Encoding{Magic: true, Base64: true}},
		"row 25, gzip declared, plain bytes":  {`{"content":"QUJD","content_encoding":"gzip+base64"}`, Encoding{Declared: "gzip+base64", Gzip: true, Base64: true}},
	} {
		t.Run(name, func(t *testing.T) { diff(t, name, tt.want, accepted(t, tt.body).Encoding) })
	}
}

func TestAcceptedContent(t *testing.T) {
	data := noise(20_000)
	text := b64(data)
	raw := base64.RawStdEncoding.EncodeToString(data)
	url := base64.RawURLEncoding.EncodeToString(data)
	for name, body := range map[string]string{
		"row 20, the url alphabet":                 `{"content":"` + url + `"}`,
		"row 21, padding is optional":              `{"content":"` + raw + `"}`,
		"row 22, CRLF every 76":                    `{"content":"` + wrapped(text, `\r\n`) + `"}`,
		"row 22, LF every 76 and at the end":       `{"content":"` + wrapped(text, `\n`) + `\n"}`,
		"row 22, line breaks written as \\u000a":   `{"content":"` + wrapped(url, `\u000a`) + `"}`,
		"slashes escaped, as PHP does":             `{"content":"` + strings.ReplaceAll(text, "/", `\/`) + `"}`,
		"plus escaped, as some HTML encoders do":   `{"content":"` + strings.ReplaceAll(text, "+", `\u002b`) + `"}`,
		"everything escaped":                       `{"content":"` + escapedAll(text) + `"}`,
		"a line break behind each character":       `{"content":"` + strings.Join(strings.Split(text[:4000], ""), `\n`) + `"}`,
		"padding escaped":                          `{"content":"QQ\u003d\u003D"}`,
		"content that begins with data and no :":   `{"content":"data"}`,
		"64 KiB of one character without a teller": `{"content":"` + strings.Repeat("A", 1<<16) + `"}`,
	} {
		t.Run(name, func(t *testing.T) { accepted(t, body) })
	}
}

// Each length of a text meets each place of a window's end, with the four ways a text can end.
func TestEveryBoundary(t *testing.T) {
	data := noise(400)
	for n := range 200 {
		text := base64.RawStdEncoding.EncodeToString(data[:n])
		for _, body := range []string{
			`{"content":"` + text + `"}`,
			`{"content":"` + b64(data[:n]) + `"}`,
			`{"content":"` + wrapped(b64(data[:n]), `\r\n`) + `\r\n"}`,
			`{"content":"` + strings.ReplaceAll(text, "/", `\u002f`) + `","content_encoding":"base64"}`,
		} {
			want := plainDecode([]byte(body), Limits{})
			for window := 16; window < 80; window++ {
				got, _, err := streamed(strings.NewReader(body), Limits{}, window)
				if err != nil || got.Content != want.Content || got.Content != string(data[:n]) {
					t.Fatalf("window %d, %s: %v", window, short(body), err)
				}
			}
		}
	}
}

// A wrong character is found at each place of a text that is longer than what SIMD takes at once, and around the end of a window.
func TestEveryPosition(t *testing.T) {
	text := strings.Repeat("QUJDRA+/", 32)
	for i := range len(text) {
		for _, bad := range []string{"!", "_", "="} {
			body := `{"content_encoding":"base64","content":"` + text[:i] + bad + text[i+1:] + `"}`
			_, _, err := streamed(strings.NewReader(body), Limits{}, maxWindow)
			got := faultOf(t, err)
			want := int64(i + 1)
			if bad == "=" && got.Reason != Padding { // known from the text behind, or from the lone character before
				want = got.At
			}
			if got.At != want || got.Field != "content" {
				t.Fatalf("%q at %d: %+v", bad, i+1, got)
			}
		}
	}
	for i := range 64 {
		before := strings.Repeat("QUJDRA+/", 1024)[:4096-48+i]
		_, _, err := streamed(strings.NewReader(`{"content":"`+before+`\n!QUJD"}`), Limits{}, 4096)
		if got := faultOf(t, err); got.At != int64(len(before))+2 {
			t.Fatalf("at %d: %+v", len(before)+2, got)
		}
	}
}
