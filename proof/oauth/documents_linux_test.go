package oauth

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// TestAMetadataDocumentMakesAClient that needs no registration. It is fetched once, from a public address alone.
func TestAMetadataDocumentMakesAClient(t *testing.T) {
	n := inNetworkOfItsOwn(t)
	if n == nil {
		return
	}
	var reads atomic.Int64
	var sent atomic.Int64
	web := func(path string) string { return "https://agent.example" + path }
	mux := http.NewServeMux()
	mux.HandleFunc("/client.json", func(w http.ResponseWriter, r *http.Request) {
		reads.Add(1)
		for _, name := range []string{"Cookie", "Authorization", "Referer", "X-Forwarded-For"} {
			expect.Equal(t, name+" of the fetch", r.Header.Get(name), "")
		}
		writeJSON(w, document(web("/client.json"), nil))
	})
	mux.HandleFunc("/redirect.json", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/client.json", http.StatusFound) })
	mux.HandleFunc("/redirect-in.json", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://10.0.0.1/client.json", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/endless.json", func(w http.ResponseWriter, r *http.Request) { endless(w, r, w, &sent) })
	mux.HandleFunc("/bomb.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		endless(w, r, packed, new(atomic.Int64))
		_ = packed.Close()
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
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, o) })
	}
	mux.HandleFunc("/page.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_ = json.NewEncoder(w).Encode(document(web("/page.json"), nil))
	})
	mux.HandleFunc("/twice.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"client_id":%q,"redirect_uris":["https://evil.example/"],"client_id":%q}`, web("/other.json"), web("/twice.json"))
	})

	n.name("agent.example", []string{"9.9.9.9"})
	n.name("forged.example", []string{"9.9.9.9"})
	n.name("private.example", []string{"10.0.0.1"})
	n.name("loopback.example", []string{"127.0.0.1"})
	n.name("metadata.example", []string{"169.254.169.254"})
	n.name("home.example", []string{"192.168.0.1"})
	n.name("shared.example", []string{"100.64.0.1"})
	n.name("rebinding.example", []string{"8.8.4.4"}, []string{"127.0.0.1"})
	n.name("mixed.example", []string{"10.0.0.1", "127.0.0.1"})
	public := n.serve(t, "9.9.9.9:443", mux, "agent.example")
	within := []*atomic.Int64{}
	for _, address := range []string{"10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.0.1", "100.64.0.1", "[::1]"} {
		within = append(within, n.serve(t, address+":443", mux, "localhost", "*.example"))
	}
	s := start(t)
	ada := s.join(t, "ada")

	mine := program{s, web("/client.json"), "https://agent.example/callback", "a verifier of the document that is long enough for it"}
	page := ada.ask(t, mine.request())
	expect.Contains(t, "the page", page.text, "Cloud Agent")
	expect.Contains(t, "the page", page.text, "agent.example")
	got := ada.grant(t, mine, "")
	expect.Equal(t, "that the token works", s.opens(t, got.Access), true)
	mine.refresh(t, got.Refresh).tokens(t)
	mine.redirect = loopback
	ada.grant(t, mine, "")
	expect.Equal(t, "fetches of the document", reads.Load(), int64(1))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := s.try(t, "GET", mine.address("client_id", web("/other.json")), "", "Cookie", ada.cookie()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()

	for _, id := range []string{
		"/other.json", "/host.json", "/case.json", "/secret.json", "/method.json", "/none.json", "/script.json", "/type.json", "/list.json",
		"/null.json", "/text.json",
		"/empty.json", "/page.json", "/redirect.json", "/redirect-in.json", "/endless.json", "/bomb.json", "/missing.json",
		"https://forged.example/client.json", "https://private.example/client.json", "https://loopback.example/client.json",
		"https://metadata.example/client.json",
		"https://home.example/client.json", "https://shared.example/client.json", "https://rebinding.example/client.json",
		"https://mixed.example/client.json",
		"https://nowhere.example/client.json", "https://localhost/client.json", "https://127.0.0.1/client.json", "https://[::1]/client.json",
		"https://10.0.0.1/client.json",
		"https://169.254.169.254/client.json", "https://[::ffff:127.0.0.1]/client.json", "https://2130706433/client.json",
		"https://127.1/client.json",
		"https://0x7f.0.0.1/client.json", "https://0/client.json", "https://user@agent.example/client.json",
		"https://agent.example@127.0.0.1/client.json",
		"https://agent.example/client.json#a", "https://agent.example", "https://agent.example/", "https://agent.example/a/../client.json",
		"https://agent.example/./client.json",
		"http://agent.example/client.json", "HTTPS://agent.example/client.json", "https://AGENT.example/client.json",
		"https://agent.example./client.json",
		"https://agent.example/client.json?", "https://agent.example/client.json ", "https://agent.example\\@127.0.0.1/client.json",
		"https://agent.example/%63lient.json",
	} {
		if strings.HasPrefix(id, "/") {
			id = web(id)
		}
		for who, browser := range map[string]*person{"a person": ada, "a stranger": s.stranger()} {
			begun := time.Now()
			answered := browser.does(t, "GET", mine.address("client_id", id), nil)
			if answered.status != http.StatusBadRequest || answered.header.Get("Location") != "" {
				t.Errorf("%q for %s: %d %s", id, who, answered.status, answered.header.Get("Location"))
			}
			for _, inner := range []string{"10.0.0.1:", "connection refused", "lookup"} {
				if strings.Contains(answered.text, inner) {
					t.Errorf("%q for %s: the page has what only the network knows: %s", id, who, answered.text)
				}
			}
			if took := time.Since(begun); took > 6*time.Second {
				t.Errorf("%q for %s took %v", id, who, took)
			}
		}
	}
	for i, count := range within {
		expect.Equal(t, fmt.Sprint("connections to a server of the own network, number ", i), count.Load(), int64(0))
	}
	if sent.Load() > 8<<20 {
		t.Errorf("an endless document was read for %d bytes", sent.Load())
	}
	t.Logf("%d connections to the server of documents, %d bytes of those without an end", public.Load(), sent.Load())
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
	begun := time.Now()
	page := ada.does(t, "GET", mine.address(), nil, "X-Forwarded-For", "203.0.113.8")
	took := time.Since(begun)
	expect.Equal(t, "status of the page of another network", page.status, http.StatusOK)
	if took > 4*time.Second {
		t.Errorf("the page of another network took %v", took)
	}
	all.Wait()
	expect.Equal(t, "status afterwards", ada.does(t, "GET", mine.address(), nil).status, http.StatusOK)
}
