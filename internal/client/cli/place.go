package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// parseServer reads the address of a server: that of its website, with or without /v1, with or without a scheme.
func parseServer(s string) (*url.URL, error) {
	text := strings.TrimSpace(s)
	if !strings.Contains(text, "://") {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is no address of a server, such as https://play.example.com", clean(s))
	}
	if u.Scheme == "" {
		if u.Scheme = "https"; local(u.Hostname()) {
			u.Scheme = "http"
		}
	}
	path := strings.TrimSuffix(strings.Trim(u.Path, "/"), "v1")
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is no address of a server: it begins with http:// or https://", clean(s))
	case u.User != nil:
		return nil, errors.New("the address of a server has no user and no password: keys are kept by sandlot login")
	case path != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q is more than the address of a server, such as https://play.example.com", clean(s))
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return &url.URL{Scheme: u.Scheme, Host: host}, nil
}

// likelyServer is what was probably meant by an address of more than a server.
func likelyServer(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err == nil && u.User == nil {
		if base, err := parseServer(u.Scheme + "://" + u.Host); err == nil {
			return base.String()
		}
	}
	return placeholderServer
}

// local reports whether a host is this machine.
func local(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
