// Package client calls the public API, /v1, as any other program would: it imports nothing of the service.
//
// Every method makes one request and never repeats it. It returns one of three things: the typed answer; an *Error,
// which is the service's refusal; or an error that is ErrNoAnswer, after which it is unknown whether the call has
// happened, and only a repetition under the same Idempotency-Key is safe. A success that did not come from the API is
// ErrNotAPI. No call follows a redirect: the holder of a key decides where it goes.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ErrNoAnswer means that no complete answer came. The call may or may not have happened.
var ErrNoAnswer = errors.New("no answer")

// ErrNotAPI means that the answer reported success but did not come from the API: a web page, for example.
var ErrNotAPI = errors.New("no answer of the API")

// answerMax is the limit of a JSON answer, in bytes. The longest is a project of 10,000 files with 8 MiB of content
// inline.
const answerMax = 32 << 20

// A Client calls one service with one key. Its methods may be called concurrently; its fields must not change during a
// call.
type Client struct {
	Base *url.URL     // the service's base-url, without /v1
	Key  string       // account key, project key, access token or upload token; empty: calls without a key
	HTTP *http.Client // nil: http.DefaultClient. Its Timeout, if any, includes the transfer of content
	// Fresh returns the secret that is sent in place of Key, for one that is replaced from time to time. Its error is that
	// of the call. nil: Key itself
	Fresh func(ctx context.Context, key string) (string, error)

	Waits Waits // how long to wait for the other side
}

// Signup makes an account. It sends the fields of f that are set; Email and Handle make sense.
func (c *Client) Signup(ctx context.Context, f Fields) (Answer, error) {
	return c.send(ctx, "signup", f, nil)
}

// Publish creates a project whose primary file is the content, or adds a part to an upload for one. It reads content
// once, as it sends it, and may read on for a moment after it has returned an error. If content fails, nothing is
// published and the error wraps that of content.
func (c *Client) Publish(ctx context.Context, f Fields, content io.Reader) (Answer, error) {
	return c.send(ctx, "publish", f, content)
}

// Update puts one file into a project, or adds a part to an upload for one. It treats content as Publish does.
func (c *Client) Update(ctx context.Context, f Fields, content io.Reader) (Answer, error) {
	return c.send(ctx, "update", f, content)
}

// DeleteFile deletes the file that f.Filename names.
func (c *Client) DeleteFile(ctx context.Context, f Fields) (Answer, error) {
	return c.send(ctx, "delete-file", f, nil)
}

// Restore makes a version from the files of an older one, f.Version.
func (c *Client) Restore(ctx context.Context, f Fields) (Answer, error) {
	return c.send(ctx, "restore", f, nil)
}

// Ticket requests a ticket to publish with f, or to update if f has a ProjectID. The holder of the ticket sends the
// bytes, once, with SendWithTicket and without the key.
func (c *Client) Ticket(ctx context.Context, f Fields) (t Ticket, err error) {
	return t, c.json(ctx, http.MethodPost, f, &t, "uploads")
}

// SendWithTicket sends the bytes of a ticket, size of them or, if that is 0, all of content. The answer is that of
// Publish or Update. The same bytes may be sent again, and get the same answer.
func (c *Client) SendWithTicket(ctx context.Context, t Ticket, content io.Reader, size int64) (a Answer, err error) {
	bearer := Client{Base: c.Base, Key: t.Ticket, HTTP: c.HTTP, Waits: c.Waits}
	req, err := bearer.request(ctx, http.MethodPut, content, nil, "uploads", t.UploadID)
	if err != nil {
		return a, err
	}
	if size > 0 {
		req.ContentLength = size
	}
	return bearer.answer(req)
}

// answer makes a call that changes something.
func (c *Client) answer(req *http.Request) (a Answer, err error) {
	resp, err := c.decode(req, &a)
	if err != nil {
		return Answer{}, err
	}
	a.Status, a.FromRecord = resp.StatusCode, resp.Header.Get("Idempotent-Replayed") == "true"
	return a, nil
}

// json makes a call with a JSON body.
func (c *Client) json(ctx context.Context, method string, body, into any, path ...string) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := c.request(ctx, method, bytes.NewReader(text), nil, path...)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	_, err = c.decode(req, into)
	return err
}

// send makes a call that changes something, with a JSON body.
func (c *Client) send(ctx context.Context, call string, f Fields, content io.Reader) (Answer, error) {
	fields, err := json.Marshal(f)
	if err != nil {
		return Answer{}, err
	}
	r := Request{Call: call, ContentType: "application/json", IdempotencyKey: f.IdempotencyKey, Body: bytes.NewReader(fields)}
	if content != nil {
		r.Body = withContent(fields, content)
	}
	return c.Send(ctx, r)
}

// A Request is a call that changes something, with its body as it is sent.
type Request struct {
	Call           string // "publish", "update", "delete-file", "restore" or "signup"
	ContentType    string
	IdempotencyKey string // empty: none
	Body           io.Reader
	Size           int64 // of Body in bytes; 0: not known
}

// Send sends exactly the bytes of r.Body, for callers that choose the form of a request themselves.
func (c *Client) Send(ctx context.Context, r Request) (a Answer, err error) {
	req, err := c.request(ctx, http.MethodPost, r.Body, nil, r.Call)
	if err != nil {
		return a, err
	}
	req.Header.Set("Content-Type", r.ContentType)
	if r.Size > 0 {
		req.ContentLength = r.Size
	}
	if r.IdempotencyKey != "" {
		req.Header.Set("Idempotency-Key", r.IdempotencyKey)
	}
	return c.answer(req)
}

// Project returns a project by its id or any of its addresses. Its owner also gets the list of files; content selects
// the files that come with their bytes: "none", "small" or "all"; empty means "small". An answer of over 32 MiB is an
// error.
func (c *Client) Project(ctx context.Context, id, content string) (p Project, err error) {
	query := url.Values{}
	if content != "" {
		query.Set("content", content)
	}
	return p, c.get(ctx, &p, query, "project", id)
}

// Stats returns a project's current numbers.
func (c *Client) Stats(ctx context.Context, id string) (s Stats, err error) {
	return s, c.get(ctx, &s, nil, "project", id, "stats")
}

// Checks returns the results of the play-tester for a project. While the current version waits to be opened it is answered
// after wait, in whole seconds, at the latest; the service waits at most 25 seconds.
func (c *Client) Checks(ctx context.Context, id string, wait time.Duration) (found Checks, err error) {
	query := url.Values{"wait": {strconv.Itoa(int(wait / time.Second))}}
	return found, c.get(ctx, &found, query, "project", id, "checks")
}

// Check has a version of a project opened, with inputs and probes: script is the body of the call. It takes at most 40
// seconds.
func (c *Client) Check(ctx context.Context, id string, script json.RawMessage) (found Check, err error) {
	return found, c.json(ctx, http.MethodPost, script, &found, "project", id, "checks")
}

// Versions returns a project's versions, newest first, at most limit (1 to 1000). cursor continues an earlier list;
// empty: from the newest on.
func (c *Client) Versions(ctx context.Context, id string, limit int, cursor string) (v Versions, err error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return v, c.get(ctx, &v, query, "project", id, "versions")
}

// WhoAmI returns the identity behind the key, with its first projects, at most limit (1 to 1000).
func (c *Client) WhoAmI(ctx context.Context, limit int) (who Identity, err error) {
	return who, c.get(ctx, &who, url.Values{"limit": {strconv.Itoa(limit)}}, "whoami")
}

// Export returns a ZIP of all projects that the key covers, optionally with their earlier versions, as a stream of any
// size. The caller closes it. A broken transfer fails in Read, with ErrNoAnswer.
func (c *Client) Export(ctx context.Context, history bool) (io.ReadCloser, error) {
	query := url.Values{}
	if history {
		query.Set("versions", "all")
	}
	req, err := c.request(ctx, http.MethodGet, nil, query, "export")
	if err != nil {
		return nil, err
	}
	resp, err := c.do(req)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// get makes a call that changes nothing.
func (c *Client) get(ctx context.Context, into any, query url.Values, path ...string) error {
	req, err := c.request(ctx, http.MethodGet, nil, query, path...)
	if err != nil {
		return err
	}
	_, err = c.decode(req, into)
	return err
}

// request returns a request for the path below /v1, whose segments may hold any characters.
func (c *Client) request(ctx context.Context, method string, body io.Reader, query url.Values, path ...string) (*http.Request, error) {
	u := c.Base.JoinPath("v1")
	for _, segment := range path {
		u = u.JoinPath(url.PathEscape(segment))
	}
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	return req, c.authorize(req)
}

// authorize adds the key to a request.
func (c *Client) authorize(req *http.Request) (err error) {
	key := c.Key
	if key != "" && c.Fresh != nil {
		key, err = c.Fresh(req.Context(), key)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return err
}

// Pass sends a request whose path is one of the API or of its documents to the service, with the key. It returns the
// answer whatever its status; the caller closes its body.
func (c *Client) Pass(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host, req.Host, req.RequestURI = c.Base.Scheme, c.Base.Host, "", ""
	if err := c.authorize(req); err != nil {
		return nil, err
	}
	return c.exchange(req)
}

// do sends a request. The answer has a success status and an open body.
func (c *Client) do(req *http.Request) (*http.Response, error) {
	resp, err := c.exchange(req)
	if err == nil && (resp.StatusCode < 200 || resp.StatusCode > 299) {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return resp, err
}

// exchange sends a request. The answer has an open body.
func (c *Client) exchange(req *http.Request) (*http.Response, error) {
	doer := http.Client{}
	if c.HTTP != nil {
		doer = *c.HTTP
	}
	doer.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	v, req := c.Waits.watched(req)
	resp, err := doer.Do(req)
	if err != nil {
		err = why(req.Context(), err)
		v.end()
		return nil, err
	}
	v.answer(nothing)
	resp.Body = &received{resp.Body, v, req.Context()}
	return resp, nil
}

// unanswered returns err as an ErrNoAnswer, after which it is unknown whether the call has happened.
func unanswered(err error) error {
	if errors.Is(err, ErrNoAnswer) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoAnswer, err)
}

// decode sends a request and reads its JSON answer.
func (c *Client) decode(req *http.Request, into any) (*http.Response, error) {
	resp, err := c.do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := read(resp.Body)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return nil, fmt.Errorf("%w: the answer %d is not as expected: %w", ErrNotAPI, resp.StatusCode, err)
	}
	if kept, ok := into.(interface{ keep(text []byte) }); ok {
		kept.keep(text)
	}
	return resp, nil
}

// read returns the whole body, of at most answerMax bytes.
func read(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, answerMax+1))
	if err != nil {
		return nil, err
	}
	if len(text) > answerMax {
		return nil, fmt.Errorf("the answer has more than %d bytes", answerMax)
	}
	return text, nil
}
