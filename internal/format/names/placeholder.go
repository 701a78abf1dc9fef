package names

import (
	"slices"
	"strings"
)

// The ends of domains that nobody has (RFC 2606), and the placeholders that people and models write for somebody's
// address. None ever changes.
var (
	nobodys      = []string{".example", ".invalid", ".test", ".localhost", ".example.com", ".example.net", ".example.org"}
	madeUp       = []string{"test.com", "domain.com", "yourdomain.com", "mydomain.com", "yourcompany.com"}
	placeholders = []string{"user", "username", "example", "placeholder", "yourname", "youremail", "yourmail"}
	tests        = []string{"gmail.com", "email.com", "mail.com", "outlook.com", "yahoo.com", "hotmail.com"}
)

// PlaceholderEmail reports whether an address, in the form of Email, is a placeholder for somebody's address.
func PlaceholderEmail(address string) bool {
	local, domain, _ := strings.Cut(strings.ToLower(address), "@")
	local, _, _ = strings.Cut(local, "+")
	local = strings.NewReplacer(".", "", "-", "", "_", "").Replace(local)
	switch {
	case slices.ContainsFunc(nobodys, func(end string) bool { return strings.HasSuffix("."+domain, end) }):
		return true
	case local == "test" && slices.Contains(tests, domain), strings.HasPrefix(domain, "example."):
		return true
	}
	return slices.Contains(madeUp, domain) || slices.Contains(placeholders, local)
}
