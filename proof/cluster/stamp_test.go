package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/testenv"
)

// A stamped project is one whose files all say of which version they are. One client changes all of them at once, and
// others look whether they ever see two versions together.
type stamped struct {
	mu  sync.Mutex
	url string // empty while there is none to look at

	projects, versions int // made so far
	imported           int // of them again, of one version each
	looks              int // at a page and one more file
}

const (
	stampedFiles    = 300 // more than one step records at once
	stampedVersions = 6   // until it is deleted, and the next one made
)

// stamp publishes a project of many files, updates it and deletes it, again and again.
func (r *run) stamp(ctx context.Context, random *rand.Rand) {
	if err := r.stampAll(ctx, random); err != nil {
		r.wrong("stamped project: %w", err)
	}
}

func (r *run) stampAll(ctx context.Context, random *rand.Rand) error {
	owner, err := r.settle("signup", func(int) (api.Answer, error) {
		return r.as("").Signup(context.Background(), api.Fields{IdempotencyKey: fmt.Sprintf("stamped-%d-%032d", r.seed, r.seed)})
	})
	for err == nil && ctx.Err() == nil {
		err = r.stampOne(ctx, owner.APIKey, random)
	}
	return err
}

// stampOne is the life of one project. The first version, which is imported again, has one file: what is left of a project of many
// that was never there would be a row more.
func (r *run) stampOne(ctx context.Context, key string, random *rand.Rand) error {
	s := &r.stamps
	first, err := r.publishByTicket(key, "<!doctype html><title>stamp 1</title>")
	if err != nil {
		return err
	}
	s.began()
	if err := r.transfer(key); err != nil {
		return err
	}
	s.looking(first.URL)
	for n := 2; n <= stampedVersions && ctx.Err() == nil; n++ {
		made, err := r.sendStamps(key, map[string]any{"project_id": first.ProjectID, "replace": true}, n, stampedFiles+n, random)
		if err != nil || made.Version != n {
			return fmt.Errorf("version %d was answered %d: %w", n, made.Version, err)
		}
		testenv.Wait(r.t, 20*time.Millisecond, "readers look at each version")
	}
	s.looking("")
	return r.backAndForth(key, first.ProjectID, first.URL)
}

// began counts the first version of a project.
func (s *stamped) began() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects, s.versions = s.projects+1, s.versions+1
}

// looking says which project is to be looked at.
func (s *stamped) looking(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url = url
}

// sendStamps sends so many files of one version.
func (r *run) sendStamps(key string, fields map[string]any, n, files int, random *rand.Rand) (api.Answer, error) {
	list := []map[string]string{{"filename": primary, "text": fmt.Sprintf("<!doctype html><title>stamp %d</title>", n)}}
	for i := range files - 1 {
		list = append(list, map[string]string{"filename": fmt.Sprintf("js/%d.js", i), "text": fmt.Sprintf("stamp %d of file %d", n, i)})
	}
	fields["files"] = list
	body, err := json.Marshal(fields)
	if err != nil {
		return api.Answer{}, err
	}
	once := fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64())
	made, err := r.settle("update of many files", func(int) (api.Answer, error) {
		return r.as(key).Send(context.Background(),
			api.Request{Call: "update", ContentType: "application/json", IdempotencyKey: once, Body: bytes.NewReader(body)})
	})
	if err == nil {
		r.stamps.mu.Lock()
		defer r.stamps.mu.Unlock()
		r.stamps.versions++
	}
	return made, err
}

// deleteProject asks for it until it is answered.
func (r *run) deleteProject(key, id string) error {
	status := 0
	if !testenv.Poll(patience, func() bool {
		req, err := http.NewRequest(http.MethodDelete, r.as(key).Base.JoinPath("v1", "project", id).String(),
			strings.NewReader(fmt.Sprintf(`{"confirm":%q}`, id)))
		if err != nil {
			return false
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := r.http.Do(req)
		if err != nil {
			return false
		}
		status = resp.StatusCode
		return errors.Join(resp.Body.Close()) == nil && status < http.StatusInternalServerError
	}) || status != http.StatusOK {
		return fmt.Errorf("the deletion of %s is answered %d", id, status)
	}
	r.counted("delete project", 0, false)
	return nil
}

// watchStamps looks at one node after another until the time is over.
func (r *run) watchStamps(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		r.stamps.mu.Lock()
		url := r.stamps.url
		r.stamps.mu.Unlock()
		if url != "" {
			if err := r.watchOnce(url, random); err != nil {
				r.wrong("stamped project: %w", err)
				return
			}
		}
		testenv.Wait(r.t, readPause, "readers leave some of the machine to writers")
	}
}

// watchOnce opens a page, a file that it would load, and the page again, at one node. What the page says before and
// after, the file says too; and it never says less than before.
func (r *run) watchOnce(url string, random *rand.Rand) error {
	n, i := r.nodes[random.IntN(nodeCount)], random.IntN(stampedVersions-1)
	if random.IntN(2) == 0 {
		i = random.IntN(stampedFiles - 1)
	}
	var says [3]int
	var lives [3]int
	for at, path := range []string{"", fmt.Sprintf("js/%d.js", i), ""} {
		a, answered := n.open(url+path, "identity")
		if !answered || a.status == http.StatusNotFound && path == "" {
			return nil // a fault, or it was deleted
		}
		lives[at] = a.life
		if a.status == http.StatusNotFound {
			says[at] = 1 // the first version has few files
			continue
		}
		_, text, _ := strings.Cut(string(a.body), "stamp ")
		if _, err := fmt.Sscanf(text, "%d", &says[at]); err != nil {
			return fmt.Errorf("%s%s is answered %d %.100q", url, path, a.status, a.body)
		}
	}
	if lives[0] == lives[2] && (says[0] > says[1] || says[1] > says[2]) {
		return fmt.Errorf("%s shows version %d, then js/%d.js of version %d, then version %d", url, says[0], i, says[1], says[2])
	}
	r.stamps.mu.Lock()
	defer r.stamps.mu.Unlock()
	r.stamps.looks++
	return nil
}
