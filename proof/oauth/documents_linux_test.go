package oauth

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// A metadata document of a client, at an address.
func document(address string, more object) object {
	o := object{
		"client_id": address, "client_name": "Cloud Agent", "token_endpoint_auth_method": "none",
		"redirect_uris": []string{"https://agent.example/callback", loopback},
	}
	for name, value := range more {
		o[name] = value
	}
	return o
}

func writeJSON(w http.ResponseWriter, o any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(o)
}

// web returns an address of the server of documents.
func web(path string) string { return "https://agent.example" + path }

// A library is a server of documents, good and bad ones.
type library struct {
	*http.ServeMux
	reads atomic.Int64 // of the good one
	sent  atomic.Int64 // bytes of the one without an end
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{ServeMux: http.NewServeMux()}
	l.HandleFunc("/client.json", func(w http.ResponseWriter, r *http.Request) {
		l.reads.Add(1)
		for _, name := range []string{"Cookie", "Authorization", "Referer", "X-Forwarded-For"} {
			expect.Equal(t, name+" of the fetch", r.Header.Get(name), "")
		}
		writeJSON(w, document(web("/client.json"), nil))
	})
	for path, to := range map[string]string{"/redirect.json": "/client.json", "/redirect-in.json": "https://10.0.0.1/client.json"} {
		l.Handle(path, http.RedirectHandler(to, http.StatusTemporaryRedirect))
	}
	l.HandleFunc("/endless.json", func(w http.ResponseWriter, r *http.Request) { endless(w, r, w, &l.sent) })
	l.HandleFunc("/bomb.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		endless(w, r, packed, new(atomic.Int64))
		_ = packed.Close()
	})
	l.HandleFunc("/page.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_ = json.NewEncoder(w).Encode(document(web("/page.json"), nil))
	})
	for path, o := range map[string]any{
		"/other.json":  document(web("/client.json"), nil),
		"/host.json":   document("https://agent.example.evil.example/host.json", nil),
		"/case.json":   document("https://AGENT.example/case.json", nil),
		"/secret.json": document(web("/secret.json"), object{"client_secret": "a"}),
		"/method.json": document(web("/method.json"), object{"token_endpoint_auth_method": "client_secret_post"}),
		"/none.json":   document(web("/none.json"), object{"redirect_uris": []string{}}),
		"/script.json": document(web("/script.json"), object{"redirect_uris": []string{"javascript:alert(1)"}}),
		"/type.json":   document(web("/type.json"), object{"redirect_uris": loopback}),
		"/list.json":   []any{document(web("/list.json"), nil)}, "/null.json": nil, "/text.json": "client", "/empty.json": object{},
	} {
		l.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, o) })
	}
	return l
}

// noDocuments are addresses that make no client: of bad documents, of servers within, and such as no document has.
var noDocuments = []string{
	web("/other.json"), web("/host.json"), web("/case.json"), web("/secret.json"), web("/method.json"), web("/none.json"), web("/script.json"),
	web("/type.json"), web("/list.json"), web("/null.json"), web("/text.json"), web("/empty.json"), web("/page.json"), web("/redirect.json"),
	web("/redirect-in.json"), web("/endless.json"), web("/bomb.json"), web("/missing.json"),

	"https://forged.example/client.json", "https://private.example/client.json", "https://loopback.example/client.json",
	"https://metadata.example/client.json", "https://home.example/client.json", "https://shared.example/client.json",
	"https://rebinding.example/client.json", "https://mixed.example/client.json", "https://nowhere.example/client.json",
	"https://localhost/client.json", "https://127.0.0.1/client.json", "https://[::1]/client.json", "https://10.0.0.1/client.json",
	"https://169.254.169.254/client.json", "https://[::ffff:127.0.0.1]/client.json", "https://2130706433/client.json",
	"https://127.1/client.json", "https://0x7f.0.0.1/client.json", "https://0/client.json",

	"https://user@agent.example/client.json", "https://agent.example@127.0.0.1/client.json", "https://agent.example\\@127.0.0.1/client.json",
	"https://agent.example/client.json#a", "https://agent.example", "https://agent.example/", "https://agent.example/a/../client.json",
	"https://agent.example/./client.json", "https://agent.example/client.json?", "https://agent.example/client.json ",
	"https://agent.example/%63lient.json", "https://agent.example./client.json", "https://AGENT.example/client.json",
	"HTTPS://agent.example/client.json", "http://agent.example/client.json",
}

// TestAMetadataDocumentMakesAClient that needs no registration. It is fetched once, from a public address alone.
func TestAMetadataDocumentMakesAClient(t *testing.T) {
	n := inNetworkOfItsOwn(t)
	if n == nil {
		return
	}
	for name, address := range map[string]string{
		"agent": "9.9.9.9", "forged": "9.9.9.9", "private": "10.0.0.1", "loopback": "127.0.0.1", "metadata": "169.254.169.254",
		"home": "192.168.0.1", "shared": "100.64.0.1",
	} {
		n.name(name+".example", []string{address})
	}
	n.name("rebinding.example", []string{"8.8.4.4"}, []string{"127.0.0.1"}) // who resolves it twice reaches this machine
	n.name("mixed.example", []string{"10.0.0.1", "127.0.0.1"})
	documents := newLibrary(t)
	public, within := n.serve(t, "9.9.9.9:443", documents, "agent.example"), []*atomic.Int64{}
	for _, address := range []string{"10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.0.1", "100.64.0.1", "[::1]"} {
		within = append(within, n.serve(t, address+":443", documents, "localhost", "*.example"))
	}
	s := start(t)
	ada := s.join(t, "ada")
	mine := program{s, web("/client.json"), "https://agent.example/callback", "a verifier"}
	page := ada.ask(t, mine.request())
	expect.Contains(t, "the page", page.text, "Cloud Agent")
	expect.Contains(t, "the page", page.text, "agent.example")
	got := ada.grant(t, mine, "")
	expect.Equal(t, "that the token works", s.opens(t, got.Access), true)
	mine.refresh(t, got.Refresh).tokens(t)
	mine.redirect = loopback
	ada.grant(t, mine, "")
	expect.Equal(t, "fetches of the document", documents.reads.Load(), int64(1))

	before := public.Load()
	ask := func() (answer, error) {
		return s.try(t, "GET", mine.address("client_id", web("/missing.json")), "", "Cookie", ada.cookie())
	}
	together(t, ask, ask, ask, ask, ask, ask, ask, ask)
	expect.Equal(t, "fetches of a document that many ask for", public.Load()-before, int64(1))
	for _, id := range noDocuments {
		for who, browser := range map[string]*person{"a person": ada, "a stranger": s.stranger()} {
			answered := browser.does(t, "GET", mine.address("client_id", id), nil)
			if answered.status != http.StatusBadRequest || !answered.isPage() {
				t.Errorf("%q for %s: %d %s", id, who, answered.status, answered.header.Get("Location"))
			}
			if regexp.MustCompile(`10\.0\.0\.1:|connection refused|lookup`).MatchString(answered.text) {
				t.Errorf("%q for %s: the page has what only the network knows: %s", id, who, answered.text)
			}
		}
	}
	for i, count := range within {
		expect.Equal(t, fmt.Sprint("connections to a server of the own network, number ", i), count.Load(), int64(0))
	}
	if documents.sent.Load() > 64<<20 { // the buffers between both
		t.Errorf("an endless document was read for %d bytes", documents.sent.Load())
	}
}

// endless writes 1 GB at most, until the reader leaves.
func endless(w http.ResponseWriter, r *http.Request, to io.Writer, sent *atomic.Int64) {
	w.Header().Set("Content-Type", "application/json")
	block := []byte(strings.Repeat(" ", 64<<10))
	for range 1 << 14 {
		if r.Context().Err() != nil {
			return
		}
		n, err := to.Write(block)
		if sent.Add(int64(n)); err != nil {
			return
		}
	}
}

// TestAPublicInstanceBehindAProxyWithTLS names itself as it is known outside, and official clients go through all of OAuth.
func TestAPublicInstanceBehindAProxyWithTLS(t *testing.T) {
	n := inNetworkOfItsOwn(t)
	if n == nil {
		return
	}
	s := &site{base: "https://sandlot.test", mails: listen(t)}
	s.Server = testenv.Start(t, testenv.Binary(t), "--base-url", s.base, "--content-host", "games.test", "--smtp-url", "smtp://"+s.mails.addr)
	n.name("sandlot.test", []string{"127.0.0.1"})
	n.serve(t, "127.0.0.1:443", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.pass(t, w, r) }), "sandlot.test")
	ada := s.join(t, "ada")
	hers := s.publish(t, ada.key, "Hers")
	for _, kind := range []string{"go", "first", "auto"} {
		s.requests()
		a := startAgent(t, kind, s.base+"/mcp/account", loopback)
		a.connect(t, func(to string) string {
			at, err := url.Parse(to)
			expect.OK(t, err)
			expect.Equal(t, "the page of consent for "+kind, at.Scheme+"://"+at.Host+at.Path, s.base+authorizePath)
			back := ada.allow(t, at.Query(), "")
			expect.Equal(t, "the issuer for "+kind, back.Query().Get("iss"), s.base+"/oauth")
			return back.RawQuery
		})
		conversation(t, a, hers)
		a.expire(t)
		conversation(t, a, hers)
	}
	d := s.askDevice(t)
	ada.types(t, d.userCode, "allow", "")
	expect.Equal(t, "that the token of a device works", s.opens(t, d.poll(t).tokens(t).Access), true)
}

// TestOfficialClientsPreferTheirDocument to a registration, where they have one.
func TestOfficialClientsPreferTheirDocument(t *testing.T) {
	n := inNetworkOfItsOwn(t)
	if n == nil {
		return
	}
	const address = "https://agent.example/client.json"
	n.name("agent.example", []string{"9.9.9.9"})
	n.serve(t, "9.9.9.9:443", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, document(address, object{"grant_types": []string{"authorization_code", "refresh_token"}}))
	}), "agent.example")
	s := start(t)
	ada := s.join(t, "ada")
	hers := s.publish(t, ada.key, "Hers")
	for _, kind := range []string{"go", "first", "auto"} {
		s.requests()
		a := startAgent(t, kind, s.base+"/mcp/account", "http://127.0.0.1:50123/callback", address)
		a.connect(t, func(to string) string {
			_, query, _ := strings.Cut(to, "?")
			asked, err := url.ParseQuery(query)
			expect.OK(t, err)
			expect.Equal(t, "the client_id of "+kind, asked.Get("client_id"), address)
			return ada.allow(t, asked, "").RawQuery
		})
		conversation(t, a, hers)
		a.expire(t)
		conversation(t, a, hers)
		for _, r := range s.requests() {
			expect.Equal(t, "that "+kind+" registers", r.path == registerPath, false)
		}
	}
}

// TestSoakSlowDocumentsHoldUpNobodyElse: while a network asks for many that do not come, another gets its own in time.
func TestSoakSlowDocumentsHoldUpNobodyElse(t *testing.T) {
	n := inNetworkOfItsOwn(t)
	if n == nil {
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/client.json", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, document("https://agent.example/client.json", nil))
	})
	mux.HandleFunc("/slow/", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	n.name("agent.example", []string{"9.9.9.9"})
	reached := n.serve(t, "9.9.9.9:443", mux, "agent.example")
	s := start(t, limited...)
	ada := s.join(t, "ada")
	mine := program{s, "https://agent.example/client.json", loopback, "a verifier"}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			slow := mine.request("client_id", fmt.Sprintf("https://agent.example/slow/%d.json", i))
			got, err := s.try(t, "GET", authorizePath+"?"+slow.Encode(), "", "X-Forwarded-For", "203.0.113.7")
			if err != nil || got.status < 400 || got.status == http.StatusInternalServerError {
				t.Errorf("a slow document: %v %d", err, got.status)
			}
		})
	}
	testenv.Eventually(t, limit, "slow documents that are read", func() bool { return reached.Load() > 15 })
	page := ada.does(t, "GET", mine.address(), nil, "X-Forwarded-For", "203.0.113.8")
	expect.Equal(t, "status of the page of another network", page.status, http.StatusOK)
	all.Wait()
	expect.Equal(t, "status afterwards", ada.does(t, "GET", mine.address(), nil).status, http.StatusOK)
}
