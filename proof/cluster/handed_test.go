package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	api "sandlot/internal/client/client"
)

// publishByTicket asks one node for a ticket and sends the bytes to another, until they are published. A ticket is good once, however
// often it is sent: what is recorded twice, compareRows finds.
func (r *run) publishByTicket(key, content string) (api.Answer, error) {
	var ticket api.Ticket
	if _, err := r.settle("ticket", func(int) (a api.Answer, err error) {
		ticket, err = r.as(key).Ticket(context.Background(), api.Fields{Title: "by ticket"})
		return a, err
	}); err != nil {
		return api.Answer{}, err
	}
	made, err := r.settle("publish by ticket", func(int) (api.Answer, error) {
		return r.as("").SendWithTicket(context.Background(), ticket, strings.NewReader(content), 0)
	})
	if err != nil {
		return made, err
	}
	_, err = r.settle("other bytes by ticket", func(int) (api.Answer, error) {
		twice, err := r.as("").SendWithTicket(context.Background(), ticket, strings.NewReader(content+" "), 0)
		if errors.Is(err, api.Code("ticket_used")) {
			return twice, nil
		}
		if err == nil {
			err = fmt.Errorf("a ticket that was used has made version %d of %s", twice.Version, twice.ProjectID)
		}
		return twice, err
	})
	return made, err
}

// transfer imports what an account exports into it, which every node shows within a second, and deletes it.
func (r *run) transfer(key string) error {
	var export []byte
	if _, err := r.settle("export", func(int) (a api.Answer, err error) {
		body, err := r.as(key).Export(context.Background(), true)
		if err != nil {
			return a, err
		}
		defer body.Close()
		export, err = io.ReadAll(body)
		return a, err
	}); err != nil {
		return err
	}
	var report struct {
		Projects []struct {
			URL string
			ID  string `json:"project_id"`
		}
	}
	once := rand.Text()
	if _, err := r.settle("import", func(int) (a api.Answer, err error) {
		text, header, err := r.call(http.MethodPost, "/v1/import", http.StatusOK, bytes.NewReader(export), "Authorization",
			"Bearer "+key, "Content-Type", "application/zip", "Idempotency-Key", once)
		if err == nil {
			err = json.Unmarshal(text, &report)
		}
		a.FromRecord = header.Get("Idempotent-Replayed") == "true"
		return a, err
	}); err != nil {
		return err
	}
	if len(report.Projects) != 1 || report.Projects[0].ID == "" {
		return fmt.Errorf("an import is answered %+v", report)
	}
	r.stamps.mu.Lock()
	r.stamps.imported++
	r.stamps.mu.Unlock()
	if err := r.seen("an import", report.Projects[0].URL, http.StatusOK); err != nil {
		return err
	}
	return r.deleteProject(key, report.Projects[0].ID)
}

// takeBack takes a project back that was deleted, as its owner does in the browser, until that is answered.
func (r *run) takeBack(key, id string) error {
	session := rand.Text()
	hash, of, now := sha256.Sum256([]byte(session)), sha256.Sum256([]byte(key)), time.Now()
	if _, err := r.settle("login", func(int) (a api.Answer, err error) {
		_, err = r.ask(`INSERT INTO sessions (hash, account, agent, created_at, proved_at, seen_at, expires_at)
			SELECT decode($1, 'hex'), account, '', $2::bigint, $2::bigint, $2::bigint, $3::bigint FROM keys WHERE hash = decode($4, 'hex')
			ON CONFLICT DO NOTHING`,
			hex.EncodeToString(hash[:]), fmt.Sprint(now.UnixMicro()), fmt.Sprint(now.Add(time.Hour).UnixMicro()), hex.EncodeToString(of[:]))
		return a, err
	}); err != nil {
		return err
	}
	_, err := r.settle("take back", func(int) (a api.Answer, err error) {
		_, header, err := r.call(http.MethodPost, "/account/projects/"+id+"/take-back", http.StatusSeeOther, nil, "Content-Type",
			"application/x-www-form-urlencoded", "Cookie", "__Host-session="+session)
		if to := header.Get("Location"); err == nil && !strings.Contains(to, id) {
			err = fmt.Errorf("to take %s back leads to %s", id, to)
		}
		return a, err
	})
	return err
}

// call makes a call that package client has none for. Another status than the one that is wanted is an api.Error.
func (r *run) call(method, path string, want int, body io.Reader, fields ...string) ([]byte, http.Header, error) {
	req, err := http.NewRequest(method, base+path, body)
	if err != nil {
		return nil, nil, err
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := r.http.Transport.RoundTrip(req) // which follows no redirect
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	if resp.StatusCode != want {
		refused := &api.Error{}
		_ = json.Unmarshal(text, refused) // a page has no code
		refused.Status, refused.Message = resp.StatusCode, fmt.Sprintf("%s is answered %d: %.200s", path, resp.StatusCode, text)
		return nil, resp.Header, refused
	}
	return text, resp.Header, nil
}

// backAndForth deletes a project that is there, takes it back and deletes it again, and looks each time when every node knows.
func (r *run) backAndForth(key, id, url string) error {
	for _, step := range []struct {
		what   string
		do     func(key, id string) error
		status int
	}{
		{"a deletion", r.deleteProject, http.StatusNotFound},
		{"a take-back", r.takeBack, http.StatusOK},
		{"a second deletion", r.deleteProject, http.StatusNotFound},
	} {
		if err := step.do(key, id); err != nil {
			return err
		}
		if err := r.seen(step.what, url, step.status); err != nil {
			return err
		}
	}
	return nil
}
