package content

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"sandlot/internal/testkit/expect"
)

// plain is a decoded body, in a form that is easy to compare.
type plain struct {
	Fields  map[string]string // name to JSON text
	Content string
	Has     bool
	OK      bool
}

// plainDecode decodes a body the obvious way, all in memory, with the standard library. It is the judge in the fuzz
// tests.
func plainDecode(body []byte, lim Limits) plain {
	lim = lim.withDefaults()
	size := len(body)
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(body) || !json.Valid(body) || hasLoneSurrogate(body) || !plainStructure(body, lim) {
		return plain{}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return plain{}
	}
	p := plain{Fields: map[string]string{}}
	rest := size
	for name, raw := range members {
		if name != "content" {
			p.Fields[name] = string(raw)
		}
	}
	declared := ""
	if raw, ok := members["content_encoding"]; ok && string(raw) != "null" {
		if json.Unmarshal(raw, &declared) != nil {
			return plain{}
		}
		e, ok := readEncoding(declared)
		if declared = e.Declared; !ok {
			return plain{}
		}
		if e.Either {
			declared = "gzip+"
		}
	}
	if raw, ok := members["content"]; ok && string(raw) != "null" {
		if raw[0] != '"' {
			return plain{}
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return plain{}
		}
		rest -= len(raw) - 2
		content, ok := plainBase64(text, declared)
		most := lim.Content
		if strings.HasPrefix(declared, "gzip+") && strings.HasPrefix(content, "\x1f\x8b") {
			most += gzipRoom
		}
		if !ok || int64(len(content)) > most {
			return plain{}
		}
		p.Content, p.Has = content, true
	}
	if int64(rest) > lim.Rest {
		return plain{}
	}
	p.OK = true
	return p
}

// dataURL is the prefix that is passed over.
var dataURL = regexp.MustCompile(`(?i)^data:[ -+\--~]{0,187};base64,`)

// plainBase64 decodes the text of content.
func plainBase64(text, declared string) (string, bool) {
	text = text[len(dataURL.FindString(text)):]
	text = strings.NewReplacer("\r", "", "\n", "").Replace(text)
	std, url := strings.ContainsAny(text, "+/"), strings.ContainsAny(text, "-_")
	switch {
	case std && url,
		std && strings.HasSuffix(declared, "base64url"),
		url && strings.HasSuffix(declared, "base64"):
		return "", false
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	enc := base64.RawStdEncoding
	if strings.Contains(text, "=") {
		enc = base64.StdEncoding
	}
	b, err := enc.Strict().DecodeString(text)
	return string(b), err == nil
}

// plainStructure reports whether valid JSON is one object, without duplicate names, not too deep and with not too many
// names.
func plainStructure(body []byte, lim Limits) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	names := 0
	var walk func(depth int) bool
	walk = func(depth int) bool {
		tok, err := d.Token()
		if err != nil {
			return false
		}
		delim, nested := tok.(json.Delim)
		if !nested {
			return depth > 0
		}
		if depth == 0 && delim != '{' || depth+1 > lim.Depth {
			return false
		}
		seen := map[string]bool{}
		for d.More() {
			if delim == '{' {
				name, err := d.Token()
				if err != nil || seen[name.(string)] {
					return false
				}
				seen[name.(string)] = true
				names++
			}
			if !walk(depth + 1) {
				return false
			}
		}
		_, err = d.Token()
		return err == nil
	}
	return walk(0) && names <= lim.Names
}

// hasLoneSurrogate looks for \uD800-\uDFFF that are not in pairs, in valid JSON.
func hasLoneSurrogate(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		i++
		if body[i] != 'u' {
			continue
		}
		hex := strings.ToLower(string(body[i+1 : i+5]))
		i += 4
		switch {
		case hex >= "dc00" && hex <= "dfff":
			return true
		case hex >= "d800" && hex <= "dbff":
			next := strings.ToLower(string(body[i+1 : min(i+7, len(body))]))
			if len(next) < 6 || next[:2] != `\u` || next[2:] < "dc00" || next[2:] > "dfff" {
				return true
			}
			i += 6
		}
	}
	return false
}

// streamed decodes with the Decoder, in windows of the given size.
func streamed(body io.Reader, lim Limits, window int) (plain, Form, error) {
	d := JSON(body, lim)
	d.window = window
	var content bytes.Buffer
	form, err := d.Decode(func(r io.Reader) error {
		_, err := io.Copy(&content, r)
		return err
	})
	p := plain{Fields: map[string]string{}}
	if err != nil {
		return plain{}, form, err
	}
	for f := range form.All() {
		p.Fields[f.Name] = f.Raw
	}
	p.Content, p.Has, p.OK = content.String(), form.HasContent, true
	return p, form, nil
}

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	expect.Same(t, what, got, want)
}
