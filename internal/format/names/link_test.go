package names_test

import (
	"strings"
	"testing"

	"sandlot/internal/format/names"
)

func TestALinkLeadsToTheWebAndNowhereElse(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " https://example.com ": "https://example.com", "http://example.com/a?b=c#d": "http://example.com/a?b=c#d", "example.com": "https://example.com",
		"example.com:8080/x": "https://example.com:8080/x", "https://example.com:0443/": "https://example.com/", "http://example.com:80": "http://example.com", "http://example.com:443": "http://example.com:443", "https://example.com:": "https://example.com", "HTTPS://EXAMPLE.com": "https://example.com", "https://münchen.de": "https://xn--mnchen-3ya.de",
		"https://аррӏе.com": "https://xn--80ak6aa92e.com", `https://example.com/"><script>`: "https://example.com/%22%3E%3Cscript%3E", "https://example.com/日本": "https://example.com/%E6%97%A5%E6%9C%AC",
	} {
		got, err := names.Link(in)
		if again, twice := names.Link(got); got != want || err != nil || again != got || twice != nil {
			t.Errorf("%q is %q, %v, and again %q, %v", in, got, err, again, twice)
		}
	}
	for _, bad := range []string{
		"javascript:alert(1)", "JavaScript://example.com/%0aalert(1)", "data:text/html,x", "mailto:a@example.com", "ftp://example.com", "file:///etc/passwd", "//example.com", "/path", "https:///x", "https://",
		"https://user:word@example.com", "https://user@example.com", "https://localhost", "https://example.com\u202emoc", "java\nscript:alert(1)", "https://a b.com", `https:\\example.com`, "https:example.com", "vbscript:x",
		"https://" + strings.Repeat("a", 300) + ".com", "https://example.com/" + strings.Repeat("a", 300), "https://exa\x00mple.com", "\xff", "blob:https://example.com/x", "https://example..com", "https://example.com:65536", "https://example.com:0", "https://example.com:99999999999999999999", "https://example.com:+80", "tel:+123",
	} {
		if got, err := names.Link(bad); err == nil {
			t.Errorf("%q is taken as %q", bad, got)
		}
	}
}
