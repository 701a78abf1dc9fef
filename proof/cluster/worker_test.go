package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/testenv"
)

// patience is how long a call is sent again before it counts as one that never ends well.
const patience = 45 * time.Second

// A worker is one client that writes into accounts of its own.
type worker struct {
	*run
	n        int
	random   *rand.Rand
	accounts []*account
	ops      int
}

// projectsKept bounds an account's projects, so that projects gather versions.
const projectsKept = 8

// work does one thing after another until the time is over.
func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.step(); err != nil {
			w.wrong("worker %d, operation %d: %w", w.n, w.ops, err)
			return
		}
	}
}

func (w *worker) step() error {
	w.ops++
	if len(w.accounts) == 0 || w.ops%40 == 0 {
		return w.newcomer()
	}
	a := w.accounts[w.random.IntN(len(w.accounts))]
	if len(a.projects) == 0 || len(a.projects) < projectsKept && w.random.IntN(5) == 0 {
		return w.publish(a, a.key, w.email(), w.random.IntN(4) == 0)
	}
	p := a.projects[w.random.IntN(len(a.projects))]
	switch n := w.random.IntN(10); {
	case n == 0 && p.files["data.txt"] != "":
		return w.remove(a, p)
	case n < 3:
		return w.parts(a, p)
	case n < 6:
		return w.update(a, p, "data.txt")
	}
	return w.update(a, p, primary)
}

func (w *worker) email() string { return fmt.Sprintf("w%d-%d@example.com", w.n, w.ops) }

// newcomer signs up, or publishes without a key.
func (w *worker) newcomer() error {
	if w.random.IntN(2) == 0 {
		a := &account{}
		if err := w.publish(a, "", w.email(), false); err != nil {
			return err
		}
		w.add(a)
		return nil
	}
	email, once := w.email(), w.once()
	made, err := w.settle("signup", func(int) (api.Answer, error) {
		return w.as("").Signup(context.Background(), api.Fields{Email: email, IdempotencyKey: once})
	})
	if err != nil {
		return err
	}
	if made.APIKey == "" || made.Email != email {
		return fmt.Errorf("signup was answered %+v", made.Account)
	}
	w.add(&account{key: made.APIKey, email: email})
	return nil
}

func (w *worker) add(a *account) {
	w.accounts = append(w.accounts, a)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.accounts = append(w.run.accounts, a)
}

// content draws sizes on both sides of what lies in the database. No two are the same.
func (w *worker) content() []byte {
	size := 100 + w.random.IntN(5000)
	switch n := w.random.IntN(100); {
	case n < 4:
		size = 1_000_000 + w.random.IntN(500_000)
	case n < 30:
		size = 66_000 + w.random.IntN(60_000)
	}
	b := make([]byte, size)
	source := rand.NewChaCha8([32]byte{byte(w.n)})
	source.Seed([32]byte(fmt.Appendf(nil, "%-32d", w.random.Uint64())))
	_, _ = source.Read(b) // never fails
	for i := range b {
		b[i] = "0123456789abcdef"[b[i]&15]
	}
	copy(b, "<!doctype html><title>cluster</title>")
	return b
}

func (w *worker) once() string {
	return fmt.Sprintf("%016x%016x", w.random.Uint64(), w.random.Uint64())
}

// publish makes a project, without a key an account too, in parts if asked for.
func (w *worker) publish(a *account, key, email string, inParts bool) error {
	content := w.content()
	p := &project{sent: map[string]int{}, files: map[string]string{}}
	p.sending(primary, sum(content))
	f := api.Fields{Title: fmt.Sprintf("w%d op %d", w.n, w.ops)}
	if key == "" {
		f.Email = email
	}
	made, err := w.put(key, f, content, inParts, func(c *api.Client, f api.Fields, r io.Reader) (api.Answer, error) {
		return c.Publish(context.Background(), f, r)
	})
	if err != nil {
		return err
	}
	if made.ProjectID == "" || made.URL == "" || key != "" && made.APIKey != key || made.APIKey == "" {
		return fmt.Errorf("publish was answered %+v %+v", made.Account, made.Change)
	}
	p.id, p.url, p.key, p.owner = made.ProjectID, made.URL, made.ProjectAPIKey, made.APIKey
	if err := p.acked(made); err != nil {
		return err
	}
	a.key = made.APIKey
	if key == "" {
		a.email = email
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	a.projects = append(a.projects, p)
	w.projects = append(w.projects, p)
	return nil
}

func (w *worker) update(a *account, p *project, name string) error {
	return w.change(a, p, name, false)
}

func (w *worker) parts(a *account, p *project) error { return w.change(a, p, primary, true) }

// change puts one file into a project.
func (w *worker) change(a *account, p *project, name string, inParts bool) error {
	content := w.content()
	p.sending(name, sum(content))
	f := api.Fields{ProjectID: p.id, Filename: name}
	if !inParts && w.random.IntN(2) == 0 {
		f.IfVersion = len(p.versions)
	}
	key := a.key
	if w.random.IntN(3) == 0 {
		key = p.key
	}
	made, err := w.put(key, f, content, inParts, func(c *api.Client, f api.Fields, r io.Reader) (api.Answer, error) {
		return c.Update(context.Background(), f, r)
	})
	if err != nil {
		return err
	}
	if made.SHA256 != sum(content) {
		return fmt.Errorf("update was answered %+v", made.Change)
	}
	return p.acked(made)
}

func (w *worker) remove(a *account, p *project) error {
	p.sending("data.txt", "")
	f := api.Fields{ProjectID: p.id, Filename: "data.txt", IdempotencyKey: w.once()}
	made, err := w.settle("delete-file", func(int) (api.Answer, error) { return w.as(a.key).DeleteFile(context.Background(), f) })
	if err != nil {
		return err
	}
	return p.acked(made)
}

// put sends content at once or in parts, which go to one node after another, in any order after the first.
func (w *worker) put(key string, f api.Fields, content []byte, inParts bool,
	call func(*api.Client, api.Fields, io.Reader) (api.Answer, error),
) (api.Answer, error) {
	if !inParts {
		f.IdempotencyKey = w.once()
		return w.settle("write", func(int) (api.Answer, error) { return call(w.as(key), f, bytes.NewReader(content)) })
	}
	total := 2 + w.random.IntN(3)
	upload := w.once()
	order := append([]int{1}, shifted(w.random.Perm(total-1), 2)...)
	each := (len(content) + total - 1) / total
	var made api.Answer
	for i, part := range order {
		g := api.Fields{ProjectID: f.ProjectID, UploadID: upload, Part: part, TotalParts: total, IdempotencyKey: w.once()}
		if part == 1 {
			g.Filename, g.Title = f.Filename, f.Title
		}
		begin := (part - 1) * each
		piece := content[min(begin, len(content)):min(begin+each, len(content))]
		var err error
		made, err = w.settle("part", func(int) (api.Answer, error) { return call(w.as(key), g, bytes.NewReader(piece)) })
		if err != nil {
			return made, fmt.Errorf("part %d, the %d. of %d: %w", part, i+1, total, err)
		}
		if last := i == total-1; last == (made.Status == http.StatusAccepted) {
			return made, fmt.Errorf("part %d, the %d. of %d, was answered %d", part, i+1, total, made.Status)
		}
	}
	return made, nil
}

func shifted(list []int, by int) []int {
	for i := range list {
		list[i] += by
	}
	return list
}

// settle sends a call until it is answered, by whichever node.
func (r *run) settle(what string, call func(times int) (api.Answer, error)) (api.Answer, error) {
	begun := time.Now()
	var codes []string
	for times := 0; ; times++ {
		a, err := call(times)
		if err == nil {
			r.counted(what, times, a.FromRecord)
			r.took(time.Since(begun), fmt.Sprintf("%s, sent %d times %v", what, times+1, slices.Compact(codes)))
			return a, nil
		}
		if !again(err) {
			return a, fmt.Errorf("%s, sent %d times (%v): %w", what, times+1, slices.Compact(codes), err)
		}
		codes = append(codes, short(err))
		if time.Since(begun) > patience {
			return a, fmt.Errorf("%s does not converge, sent %d times (%v): %w", what, times+1, slices.Compact(codes), err)
		}
		testenv.Wait(r.t, 100*time.Millisecond, "a client lets some time pass before it sends a call again")
	}
}

// again reports whether a call is to be sent again as it is.
func again(err error) bool {
	var refused *api.Error
	if errors.As(err, &refused) {
		return refused.Status >= http.StatusInternalServerError || refused.Code == "request_in_progress"
	}
	return errors.Is(err, api.ErrNoAnswer)
}

func short(err error) string {
	var refused *api.Error
	if errors.As(err, &refused) {
		return fmt.Sprintf("%d %s", refused.Status, refused.Code)
	}
	return "no answer"
}

// as is the API's client with a key, through the proxy.
func (r *run) as(key string) *api.Client { return r.client(r.http, key) }
