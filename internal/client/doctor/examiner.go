package doctor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Path is the path of an examination, by PUT, on every host of the instance. No file of a project lies under .sandlot/.
const Path = "/.sandlot/doctor"

// Seen describes a request as it arrived at the service.
type Seen struct {
	Host      string `json:"host"`
	Peer      string `json:"peer"`      // the address and port of the connection
	Trusted   bool   `json:"trusted"`   // the peer is a trusted proxy
	Forwarded string `json:"forwarded"` // X-Forwarded-For, all values
	Client    string `json:"client"`    // the address that counts as the client's; empty: unknown
	TLS       bool   `json:"tls"`       // the service itself ended TLS
}

const (
	scheme = "Sandlot-Doctor "
	// proofLife is the longest age of a proof. A proxy that keeps a proof can use it only to read its own requests.
	proofLife = time.Minute
	// Pause is the time between the two events of an answer: a proxy that buffers passes both on together.
	Pause = 2 * time.Second
)

// An Examiner answers each request of a doctor with a Seen, and passes every other request on, also with a wrong or
// late proof: without the secret it cannot be detected. Any node with the secret can answer. It may be used
// concurrently.
type Examiner struct {
	Secret []byte
	Now    func() time.Time
	// See describes a request, apart from its Host and TLS.
	See  func(r *http.Request) Seen
	Next http.Handler
}

// ServeHTTP answers a PUT to Path with two events, Pause apart: the first has a Seen with a proof of the installation. It ignores the
// body, and does not wait for it.
func (e Examiner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	nonce, ok := e.proved(r)
	if !ok {
		e.Next.ServeHTTP(w, r)
		return
	}
	seen := e.See(r)
	seen.Host, seen.TLS = r.Host, r.TLS != nil
	text, err := json.Marshal(seen)
	if err != nil {
		panic(err) // strings and bools always encode
	}
	answer := http.NewResponseController(w)
	_ = answer.EnableFullDuplex() // HTTP/1 would wait for the body; HTTP/2 never does
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // as the events of the website
	fmt.Fprintf(w, "data: %s %s\n\n", e.mac("answer", nonce, string(text)), text)
	_ = answer.Flush()
	select {
	case <-r.Context().Done():
	case <-time.After(Pause):
		fmt.Fprint(w, "data: end\n\n")
	}
}

// proved returns the nonce of a valid proof.
func (e Examiner) proved(r *http.Request) (nonce string, ok bool) {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), scheme)
	parts := strings.Split(token, ".")
	if !found || r.URL.Path != Path || r.Method != http.MethodPut || len(parts) != 3 {
		return "", false
	}
	at, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || e.Now().Sub(time.Unix(at, 0)).Abs() > proofLife {
		return "", false
	}
	return parts[1], hmac.Equal([]byte(parts[2]), []byte(mac(e.Secret, "question", parts[0], parts[1])))
}

func (e Examiner) mac(parts ...string) string { return mac(e.Secret, parts...) }

// question returns the header of a request and its nonce.
func question(secret []byte, now time.Time) (header, nonce string) {
	at, nonce := strconv.FormatInt(now.Unix(), 10), rand.Text()
	return scheme + at + "." + nonce + "." + mac(secret, "question", at, nonce), nonce
}

func mac(secret []byte, parts ...string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(h.Sum(nil))
}
