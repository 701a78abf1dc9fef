package lists

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"sandlot/internal/testkit/expect"
)

// TestSafeBrowsingIsAskedForAllHostsByOneRequest in the form that its reference has.
func TestSafeBrowsingIsAskedForAllHostsByOneRequest(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Client     struct{ ClientID, ClientVersion string }
			ThreatInfo struct {
				ThreatTypes, PlatformTypes, ThreatEntryTypes []string
				ThreatEntries                                []struct{ URL string }
			}
		}
		expect.OK(t, json.NewDecoder(r.Body).Decode(&body))
		for _, e := range body.ThreatInfo.ThreatEntries {
			asked = append(asked, e.URL)
		}
		expect.Equal(t, "the call", r.Method+" "+r.RequestURI, "POST /v4/threatMatches:find?key=secret")
		expect.Equal(t, "the client", body.Client.ClientID+" "+body.Client.ClientVersion, "sandlot 1.2.3")
		expect.Same(t, "the types", body.ThreatInfo.ThreatTypes[:2], []string{"MALWARE", "SOCIAL_ENGINEERING"})
		fmt.Fprint(w, `{"matches":[{"threatType":"SOCIAL_ENGINEERING","platformType":"ANY_PLATFORM","threat":{"url":"http://b.example/"}}]}`)
	}))
	defer server.Close()
	s := NewSafeBrowsing("secret", "1.2.3")
	s.base = server.URL
	found, err := s.Look(t.Context(), []string{"a.example", "b.example"})
	expect.OK(t, err)
	expect.Same(t, "what was found", found, map[string]bool{"a.example": false, "b.example": true})
	expect.Same(t, "what was sent", asked, []string{"http://a.example/", "http://b.example/"})
}

func TestURLhausIsAskedForEachHost(t *testing.T) {
	answers := map[string]string{
		"a.example": `{"query_status":"no_results"}`,
		"b.example": `{"query_status":"ok","urls":[{"url_status":"offline"},{"url_status":"online"}]}`,
		"c.example": `{"query_status":"ok","urls":[{"url_status":"offline"}]}`,
		"d.example": `{"query_status":"invalid_host"}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		expect.Equal(t, "the call", r.Method+" "+r.RequestURI+" "+r.Header.Get("Auth-Key"), "POST /v1/host/ secret")
		fmt.Fprint(w, answers[r.FormValue("host")])
	}))
	defer server.Close()
	u := NewURLhaus("secret", "1.2.3")
	u.base = server.URL
	found, err := u.Look(t.Context(), []string{"a.example", "b.example", "c.example", "d.example"})
	expect.Same(t, "what was found", found, map[string]bool{"a.example": false, "b.example": true, "c.example": false})
	expect.Contains(t, "the error", fmt.Sprint(err), "invalid_host")
}

// TestErrorsOfServicesHaveNoKey: neither a refusal nor a server that is away.
func TestErrorsOfServicesHaveNoKey(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a refusal": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other?key=secret", http.StatusFound)
		},
		"no JSON":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"no answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no end":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.CopyN(w, endless{}, maxAnswer+1) },
	} {
		server := httptest.NewServer(answer)
		s := NewSafeBrowsing("secret", "1.2.3")
		s.base = server.URL
		_, err := s.Look(t.Context(), []string{"a.example"})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}

// endless is a string of JSON that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '"'
	}
	return len(p), nil
}

// TestDNSLists asks a server of the DNS on this machine.
func TestDNSLists(t *testing.T) {
	server := zone(t, map[string][4]byte{
		"bad.example.dbl.test.": {127, 0, 1, 4}, "refused.example.dbl.test.": {127, 255, 255, 254}, "blocked.example.dbl.test.": {127, 0, 0, 1},
		"invented.example.dbl.test.": {198, 51, 100, 7},
	})
	d := NewDNS("dbl.test", server)
	found, err := d.Look(t.Context(), []string{"good.example", "bad.example"})
	expect.OK(t, err)
	expect.Same(t, "what was found", found, map[string]bool{"good.example": false, "bad.example": true})
	for host, want := range map[string]string{
		"refused.example": "refuses the query", "blocked.example": "refuses the query", "invented.example": "no answer of a list", "broken.example": "broken.example",
	} {
		found, err := d.Look(t.Context(), []string{"bad.example", host})
		expect.Contains(t, host, fmt.Sprint(err), want)
		expect.Same(t, "what was found before", found, map[string]bool{"bad.example": true})
	}
}

// zone serves addresses by UDP until the test ends, and returns its address. Names with "broken" are a failure.
func zone(t *testing.T, addresses map[string][4]byte) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	expect.OK(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for buffer := make([]byte, 4096); ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply, err := answerTo(buffer[:n], addresses); err == nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return conn.LocalAddr().String()
}

func answerTo(query []byte, addresses map[string][4]byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return nil, err
	}
	q := m.Questions[0]
	m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true, RCode: dnsmessage.RCodeNameError}
	m.Additionals = nil
	if a, ok := addresses[q.Name.String()]; ok {
		m.RCode = dnsmessage.RCodeSuccess
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60}, Body: &dnsmessage.AResource{A: a},
		}}
	} else if strings.Contains(q.Name.String(), "broken") {
		m.RCode = dnsmessage.RCodeServerFailure
	}
	return m.Pack()
}
