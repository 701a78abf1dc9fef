package content

import "strings"

// maxPrefix bounds the data: prefix of a URL: media types with their parameters are far shorter.
const maxPrefix = 200

// begin skips the data: prefix of a URL, "data:text/html;base64,". Consumed characters of a string that begins
// otherwise come back as a block, so the answer does not depend on how the body was cut on its way. A prefix without
// base64 is an *Error.
func (t *text) begin() (block, error) {
	const scheme = "data:"
	b := block{off: t.p.offset()}
	for {
		c, n, err := t.plain()
		if err != nil {
			return block{}, err
		}
		seen := len(b.text)
		switch {
		case seen < len(scheme) && (n == 0 || c|0x20 != scheme[seen]|0x20):
			b.chars = seen
			t.chars = int64(seen)
			return b, nil
		case n == 0 || c < ' ' || seen == maxPrefix:
			return block{}, dataPrefix()
		}
		b.raw = append(b.raw, t.p.seen()[:n]...)
		b.text = append(b.text, c)
		t.p.r += n
		if c == ',' {
			return block{}, t.past(string(b.text[len(scheme):seen]), seen+1)
		}
	}
}

// plain returns the next character, if it is one of ASCII, and its length in bytes. The length is 0 for any other, for
// a broken escape and at the end of the string.
func (t *text) plain() (c byte, n int, err error) {
	for {
		c, err := t.p.peek()
		if err != nil || c == '"' || c > '~' {
			return 0, 0, err
		}
		if c != '\\' {
			return c, 1, nil
		}
		r, n, bad := unescape(t.p.seen())
		if bad != "" || n > 0 && r > '~' {
			return 0, 0, nil
		}
		if n > 0 {
			return byte(r), n, nil
		}
		if err := t.p.more(); err != nil {
			return 0, 0, err
		}
	}
}

// past records the media type of the prefix, and that chars characters are consumed.
func (t *text) past(said string, chars int) error {
	const marker = ";base64"
	kind := len(said) - len(marker)
	if kind < 0 || !strings.EqualFold(said[kind:], marker) {
		return dataPrefix()
	}
	said, _, _ = strings.Cut(said[:kind], ";")
	t.data, t.dataType, t.chars = true, strings.ToLower(strings.TrimSpace(said)), int64(chars)
	return nil
}

func dataPrefix() *Error {
	return contentError(DataText, 1, "content begins with the data: prefix of a URL that does not say base64, wanted only the base64 text of the file")
}
