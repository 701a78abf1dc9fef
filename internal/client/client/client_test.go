package client_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const page = "<!doctype html><title>Sky Hopper</title>"

// service starts the real program and returns a client of it without a key.
func service(t *testing.T, flags ...string) *client.Client {
	t.Helper()
	s := testenv.Start(t, testenv.Binary(t), flags...)
	return clientOf(t, s.URL())
}

func clientOf(t *testing.T, base string) *client.Client {
	t.Helper()
	u, err := url.Parse(base)
	expect.OK(t, err)
	return &client.Client{Base: u}
}

// as is the client with another key.
func as(c *client.Client, key string) *client.Client {
	with := *c
	with.Key = key
	return &with
}

// must returns what a call answered, and ends the test if it failed.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		expect.OK(t, err)
		return v
	}
}

func TestEachCallOnTheRealService(t *testing.T) {
	nobody := service(t)
	answer := must[client.Answer](t)
	made := answer(nobody.Signup(t.Context(), client.Fields{Email: "me@example.com", Handle: "ada"}))
	if made.Status != 201 || made.Handle != "ada" || made.Email != "me@example.com" || made.APIKey == "" {
		t.Fatalf("signup: %+v", made)
	}
	c := as(nobody, made.APIKey)
	game := answer(c.Publish(t.Context(), client.Fields{}, strings.NewReader(page)))
	if game.Status != 201 || game.Title != "Sky Hopper" || game.Version != 1 || game.URL == "" || game.ProjectAPIKey == "" || len(game.Files) != 1 {
		t.Fatalf("publish: %+v", game)
	}
	own, id := as(nobody, game.ProjectAPIKey), game.ProjectID

	lines := manyLines(200_000) // more than one window of the encoder
	put := answer(own.Update(t.Context(), client.Fields{ProjectID: id, Filename: "a b/ä.txt", IfVersion: 1, Title: "Higher"}, bytes.NewReader(lines)))
	if put.Status != 200 || put.Version != 2 || put.Previous != 1 || put.Size != int64(len(lines)) || !put.Created || put.Title != "Higher" {
		t.Fatalf("update: %+v", put)
	}
	for _, name := range []string{id, game.URL} {
		p := must[client.Project](t)(own.Project(t.Context(), name, ""))
		if p.ID != id || p.FileCount != 2 || p.PrimaryFile != "index.html" || len(p.Files) != 2 || !bytes.Equal(contentOf(p, "a b/ä.txt"), lines) {
			t.Fatalf("the project %q: %+v", name, p)
		}
	}
	if p := must[client.Project](t)(nobody.Project(t.Context(), id, "none")); p.Version != 2 || p.Files != nil {
		t.Errorf("the project as a stranger sees it: %+v", p)
	}
	if s := must[client.Stats](t)(nobody.Stats(t.Context(), id)); s.AsOf.IsZero() || s.Plays != 0 {
		t.Errorf("stats: %+v", s)
	}
	if who := must[client.Identity](t)(c.WhoAmI(t.Context(), 10)); who.Email != "me@example.com" || who.Key.Kind != "account" || len(who.Projects) != 1 {
		t.Errorf("whoami: %+v", who)
	}
	if who := must[client.Identity](t)(own.WhoAmI(t.Context(), 10)); who.Email != "" || who.Key.ProjectID != id {
		t.Errorf("whoami with a project's key: %+v", who)
	}
	data, got := exported(t, c, id+"/a b/ä.txt")
	if !bytes.Equal(got, lines) {
		t.Errorf("the export has other %d bytes", len(got))
	}
	again := client.Import{Archive: bytes.NewReader(data), Size: int64(len(data)), DryRun: true}
	if in := must[client.Imported](t)(c.Import(t.Context(), again)); in.Imported != 1 || len(in.Projects) != 1 || in.Projects[0].From != id || in.Projects[0].Refused != nil || !in.DryRun {
		t.Errorf("import: %+v", in)
	}
	gone := answer(c.DeleteFile(t.Context(), client.Fields{ProjectID: id, Filename: "a b/ä.txt"}))
	if gone.Status != 200 || gone.Deleted != "a b/ä.txt" || gone.FileCount != 1 {
		t.Errorf("delete-file: %+v", gone)
	}
}

func TestSentBytesAndIdempotencyOnTheRealService(t *testing.T) {
	c, answer := service(t), must[client.Answer](t)
	const body = `{"email": "me@example.com", "handle": "ada", "colour": "red"}`
	signup := func() client.Request {
		return client.Request{Call: "signup", ContentType: "application/json", IdempotencyKey: "k1", Body: strings.NewReader(body)}
	}
	first, second := answer(c.Send(t.Context(), signup())), answer(c.Send(t.Context(), signup()))
	if first.FromRecord || !second.FromRecord || first.APIKey != second.APIKey || first.Warnings[0].Code != "unknown_field" {
		t.Errorf("%+v, then %+v", first, second)
	}
	f := client.Fields{Email: "other@example.com", IdempotencyKey: "k1"}
	_, err := c.Signup(t.Context(), f)
	expect.Is(t, "another call with the same Idempotency-Key", err, client.Code("idempotency_mismatch"))
}

func TestARefusalIsTyped(t *testing.T) {
	c := service(t, "--limits", "normal", "--limit", "accounts=1/h:1", "--trusted-proxies", "127.0.0.1")
	c.HTTP = &http.Client{Transport: elsewhere{}}
	made := must[client.Answer](t)(c.Publish(t.Context(), client.Fields{Email: "me@example.com"}, strings.NewReader(page)))
	_, err := as(c, made.APIKey).Update(t.Context(), client.Fields{ProjectID: made.ProjectID, Filename: "a.txt", IfVersion: 7}, strings.NewReader("a"))
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != 412 || refused.Message == "" || refused.Hint == "" || refused.RequestID == "" || refused.RetryAfter != 0 {
		t.Fatalf("an old if_version: %#v", err)
	}
	if !errors.Is(err, client.Code("version_conflict")) || errors.Is(err, client.Code("not_found")) || errors.Is(err, client.ErrNoAnswer) {
		t.Errorf("%v is not what its code says", err)
	}
	if strings.Contains(err.Error(), made.APIKey) {
		t.Error("the error holds the key")
	}
	_, err = c.Signup(t.Context(), client.Fields{})
	if !errors.As(err, &refused) || refused.Code != "rate_limited" || refused.RetryAfter <= 0 {
		t.Errorf("one account too many: %#v", err)
	}
	_, err = as(c, "").Export(t.Context(), true)
	expect.Is(t, "an export without a key", err, client.Code("key_required"))
}

func TestContentThatCannotBeReadIsNotPublished(t *testing.T) {
	c := service(t)
	c.Key = must[client.Answer](t)(c.Signup(t.Context(), client.Fields{})).APIKey
	for _, fault := range []error{errors.New("the disk is gone"), io.ErrUnexpectedEOF} {
		content := io.MultiReader(bytes.NewReader(manyLines(100_000)), iotest.ErrReader(fault))
		if a, err := c.Publish(t.Context(), client.Fields{}, content); !errors.Is(err, fault) {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if who := must[client.Identity](t)(c.WhoAmI(t.Context(), 10)); len(who.Projects) != 0 {
		t.Errorf("%d projects were published", len(who.Projects))
	}
}

func TestAnswersThatAreNotWhole(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		is     error // nil: neither a refusal nor ErrNoAnswer
	}{
		{"a connection that ends before the answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, client.ErrNoAnswer},
		{"an answer that breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"handle":`)
		}, client.ErrNoAnswer},
		{"a refusal that breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"error":"upload_exists"}`)
		}, client.ErrNoAnswer},
		{"a refusal that is not the API's", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<h1>Bad Gateway", http.StatusBadGateway) }, client.Code("")},
		{"an answer that is not JSON", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<h1>Hello") }, nil},
		{"an answer that is too long", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "{}")
			for range 64 {
				if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
					return
				}
			}
			t.Error("64 MiB were read")
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(c.answer)
			defer s.Close()
			_, err := clientOf(t, s.URL).WhoAmI(t.Context(), 1)
			var refused *client.Error
			switch {
			case err == nil, c.is != nil && !errors.Is(err, c.is):
				t.Errorf("it ended with %v, want %v", err, c.is)
			case c.is == nil && (errors.Is(err, client.ErrNoAnswer) || errors.As(err, &refused)):
				t.Errorf("it ended with %#v", err)
			}
		})
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(begun); <-end }))
	defer s.Close()
	defer close(end)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, err := clientOf(t, s.URL).Publish(ctx, client.Fields{}, strings.NewReader(page))
	if !errors.Is(err, context.Canceled) || !errors.Is(err, client.ErrNoAnswer) {
		t.Errorf("it ended with %v", err)
	}
}

// elsewhere lets requests come from another network.
type elsewhere struct{}

func (elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", "203.0.113.7")
	return http.DefaultTransport.RoundTrip(r)
}

func manyLines(n int) []byte {
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "line %d\n", i)
	}
	return b
}

// contentOf is the content of a file as the list brings it.
func contentOf(p client.Project, name string) []byte {
	for _, f := range p.Files {
		if f.Filename == name {
			return f.Content
		}
	}
	return nil
}

// exported is the account's export, and one file of it.
func exported(t *testing.T, c *client.Client, name string) (data, file []byte) {
	t.Helper()
	body := must[io.ReadCloser](t)(c.Export(t.Context(), false))
	defer body.Close()
	data = must[[]byte](t)(io.ReadAll(body))
	z := must[*zip.Reader](t)(zip.NewReader(bytes.NewReader(data), int64(len(data))))
	f, err := z.Open(name)
	expect.OK(t, err)
	return data, must[[]byte](t)(io.ReadAll(f))
}
