package content

import (
	"fmt"
	"math/rand/v2"
	"strings"
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
