// Package lists looks up hosts in the lists of other services: Google Safe Browsing, URLhaus, and lists in the DNS. It sends
// them names of hosts, and nothing else.
package lists

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bounds of one request.
const (
	maxTime   = 30 * time.Second
	maxAnswer = 4 << 20 // URLhaus returns up to 100 addresses of a host
)

// A web is a service with a key.
type web struct {
	base, key, version string
	client             *http.Client
}

// newWeb returns a service at a URL, for a program of that version. It follows no redirect: the key goes to it alone.
func newWeb(base, key, version string) web {
	return web{base, key, version, &http.Client{
		Timeout:       maxTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ask sends a request and decodes the JSON of the answer 200. Errors do not have the address, which may have a key.
func (w *web) ask(r *http.Request, into any) error {
	r.Header.Set("User-Agent", "Sandlot/"+w.version)
	answer, err := w.client.Do(r)
	if err != nil {
		if of := new(url.Error); errors.As(err, &of) {
			err = of.Err
		}
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %d: is the key right?", answer.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(into); err != nil {
		return fmt.Errorf("its answer cannot be read: %w", err)
	}
	return nil
}

// SafeBrowsing is the Lookup API of Google Safe Browsing, version 4. It may be used concurrently.
type SafeBrowsing struct{ web }

// NewSafeBrowsing returns the list for a key, as a program of that version.
func NewSafeBrowsing(key, version string) *SafeBrowsing {
	return &SafeBrowsing{newWeb("https://safebrowsing.googleapis.com", key, version)}
}

// Name implements listed.List.
func (s *SafeBrowsing) Name() string { return "safe-browsing" }

type threat struct {
	URL string `json:"url"`
}

// Look implements listed.List by one request for all hosts, of which there may be 500.
func (s *SafeBrowsing) Look(ctx context.Context, hosts []string) (map[string]bool, error) {
	entries, found := make([]threat, len(hosts)), make(map[string]bool, len(hosts))
	for i, h := range hosts {
		entries[i].URL, found[h] = "http://"+h+"/", false
	}
	body, err := json.Marshal(map[string]any{
		"client": map[string]string{"clientId": "sandlot", "clientVersion": s.version},
		"threatInfo": map[string]any{
			"threatTypes":      []string{"MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE", "POTENTIALLY_HARMFUL_APPLICATION"},
			"platformTypes":    []string{"ANY_PLATFORM"},
			"threatEntryTypes": []string{"URL"},
			"threatEntries":    entries,
		},
	})
	if err != nil {
		return nil, err
	}
	to := s.base + "/v4/threatMatches:find?" + url.Values{"key": {s.key}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	var answer struct {
		Matches []struct{ Threat threat }
	}
	if err := s.ask(r, &answer); err != nil {
		return nil, err
	}
	for _, m := range answer.Matches {
		if at, err := url.Parse(m.Threat.URL); err == nil {
			found[at.Hostname()] = true
		}
	}
	return found, nil
}

// URLhaus is the list of addresses of malware by abuse.ch. It may be used concurrently.
type URLhaus struct{ web }

// NewURLhaus returns the list for an Auth-Key.
func NewURLhaus(key, version string) *URLhaus {
	return &URLhaus{newWeb("https://urlhaus-api.abuse.ch", key, version)}
}

// Name implements listed.List.
func (u *URLhaus) Name() string { return "urlhaus" }

// Look implements listed.List by a request for each host. It ends with the first error.
func (u *URLhaus) Look(ctx context.Context, hosts []string) (map[string]bool, error) {
	return oneByOne(ctx, hosts, u.host)
}

// oneByOne looks up each host, until the first error.
func oneByOne(ctx context.Context, hosts []string, look func(context.Context, string) (bool, error)) (map[string]bool, error) {
	found := map[string]bool{}
	for _, h := range hosts {
		listed, err := look(ctx, h)
		if err != nil {
			return found, err
		}
		found[h] = listed
	}
	return found, nil
}

// host reports whether a host has an address on the list that is not known to be offline.
func (u *URLhaus) host(ctx context.Context, host string) (bool, error) {
	form := url.Values{"host": {host}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.base+"/v1/host/", strings.NewReader(form))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Auth-Key", u.key)
	var answer struct {
		Status string `json:"query_status"`
		URLs   []struct {
			Status string `json:"url_status"`
		} `json:"urls"`
	}
	if err := u.ask(r, &answer); err != nil {
		return false, err
	}
	switch answer.Status {
	case "no_results":
		return false, nil
	case "ok":
		for _, a := range answer.URLs {
			if a.Status != "offline" {
				return true, nil
			}
		}
		return false, nil
	}
	return false, fmt.Errorf("it answered %q", answer.Status)
}
