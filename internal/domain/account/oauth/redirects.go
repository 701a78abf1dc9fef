package oauth

import (
	"net/url"
	"slices"
	"strings"
)

// loopbacks begin the redirects to a program on the machine of the browser (RFC 8252, section 7.3).
var loopbacks = []string{"http://127.0.0.1", "http://[::1]", "http://localhost"}

// refusedSchemes show or run the text of the address itself, or lead to no program of the client.
var refusedSchemes = []string{
	"about", "blob", "cid", "data", "file", "filesystem", "ftp", "http", "intent", "jar", "javascript", "mailto", "sms", "tel",
	"vbscript", "view-source", "ws", "wss", "chrome", "chrome-extension", "moz-extension", "resource",
}

// refusedRedirect returns the reason why an address cannot be a redirect_uri; empty if it can: https with a host, http of
// the machine itself, or a scheme of a program, such as cursor or com.example.app.
func refusedRedirect(uri string) (reason string) {
	u, err := url.Parse(uri)
	switch {
	case err != nil || !plainURI(uri) || u.Scheme == "" || !strings.HasPrefix(uri, u.Scheme+":"):
		return "A redirect_uri is no valid absolute address."
	case u.User != nil || strings.Contains(uri, "#"):
		return "A redirect_uri has neither userinfo nor a fragment."
	case u.Scheme == "https" && u.Hostname() == "":
		return "A redirect_uri with https needs a host."
	case u.Scheme == "https" || loopback(uri):
		return ""
	case slices.Contains(refusedSchemes, u.Scheme):
		return "A redirect_uri needs https, http to 127.0.0.1, [::1] or localhost, or the scheme of a program."
	}
	return ""
}

// plainURI reports whether a text has only characters of addresses (RFC 3986): browsers read others in their own ways.
func plainURI(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) })
}

// loopback reports whether a redirect leads to a port of the machine of the browser.
func loopback(uri string) bool {
	_, ok := portless(uri)
	return ok
}

// portless returns the address of a loopback redirect without its port; false for any other.
func portless(uri string) (string, bool) {
	for _, begin := range loopbacks {
		rest, ok := strings.CutPrefix(uri, begin)
		if !ok {
			continue
		}
		if port, behind := strings.CutPrefix(rest, ":"); behind {
			rest = strings.TrimLeft(port, "0123456789")
		}
		if rest == "" || rest[0] == '/' || rest[0] == '?' {
			return begin + rest, true
		}
	}
	return "", false
}

// allows reports whether a redirect_uri is one of the client's: the same characters, but for the port of a loopback
// address (RFC 8252, section 7.3).
func (c Client) allows(redirect string) bool {
	if slices.Contains(c.Redirects, redirect) {
		return true
	}
	here, local := portless(redirect)
	return local && refusedRedirect(redirect) == "" && slices.ContainsFunc(c.Redirects, func(uri string) bool {
		there, ok := portless(uri)
		return ok && here == there
	})
}

// place returns where a program with this redirect runs.
func (c Client) place(redirect string) Place {
	u, err := url.Parse(redirect)
	web := err == nil && u.Scheme == "https"
	p := Place{Host: c.Document, Machine: redirect != "" && !web}
	if p.Host == "" && web {
		p.Host = u.Host
	}
	return p
}
