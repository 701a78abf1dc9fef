package sqlstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// handed is what was begun before a house moves and is ended after it: tickets, an import that is sent again, and a project that is taken back.
type handed struct {
	waiting, used client.Ticket
	made          client.Answer
	export        []byte
	report        string
	deleted       houseProject
}

const (
	handedPage    = "<p>by ticket"
	handedSession = "a browser of the first account"
)

// hand begins it.
func (h *house) hand(t *testing.T, s *testenv.Server) {
	t.Helper()
	c := houseClient(s, h.first)
	var err error
	h.handed.waiting, err = c.Ticket(t.Context(), client.Fields{Title: "waiting"})
	expect.OK(t, err)
	h.handed.used, err = c.Ticket(t.Context(), client.Fields{Title: "used"})
	expect.OK(t, err)
	h.handed.made, err = c.SendWithTicket(t.Context(), h.handed.used, strings.NewReader(handedPage), 0)
	expect.OK(t, err)
	_, err = c.Amend(t.Context(), h.handed.made.ProjectID, client.Amendment{Description: new("About it.")})
	expect.OK(t, err)
	body, err := houseClient(s, h.handed.made.ProjectAPIKey).Export(t.Context(), true)
	expect.OK(t, err)
	h.handed.export, err = io.ReadAll(body)
	expect.OK(t, errors.Join(err, body.Close()))
	h.handed.report = h.imported(t, s, "")
	h.handed.deleted = houseProject{h.handed.made.ProjectID, h.handed.made.URL, h.first}
	expect.OK(t, houseDeleted(s, h.handed.deleted.id, h.first))
}

// imported imports the export and returns which project it has made.
func (h *house) imported(t *testing.T, s *testenv.Server, replayed string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/v1/import", bytes.NewReader(h.handed.export))
	expect.OK(t, err)
	for name, value := range map[string]string{"Authorization": "Bearer " + h.first, "Content-Type": "application/zip", "Idempotency-Key": "import-once"} {
		req.Header.Set(name, value)
	}
	resp, err := s.Client().Do(req)
	expect.OK(t, err)
	defer resp.Body.Close()
	expect.Equal(t, "replayed", resp.Header.Get("Idempotent-Replayed"), replayed)
	var report struct {
		Projects []struct {
			From string
			ID   string `json:"project_id"`
		}
	}
	expect.OK(t, json.NewDecoder(resp.Body).Decode(&report))
	return fmt.Sprint(report)
}

// handedRows has the tickets wait for longer than any move takes, and the owner logged in.
func (h *house) handedRows(x *tx, later int64) error {
	session, key := sha256.Sum256([]byte(handedSession)), sha256.Sum256([]byte(h.first))
	_, err := x.exec("INSERT INTO sessions (hash, account, agent, created_at, proved_at, seen_at, expires_at) SELECT ?, account, '', 1, 1, ?, ? FROM keys WHERE hash = ?", session[:], later, later, key[:])
	if err == nil {
		_, err = x.exec("UPDATE tickets SET expires_at = ?", later)
	}
	return err
}

// ended ends it, where the house has moved to.
func (h *house) ended(t *testing.T, s *testenv.Server) {
	t.Helper()
	bearer := houseClient(s, "")
	_, err := bearer.SendWithTicket(t.Context(), h.handed.used, strings.NewReader("<p>other"), 0)
	expect.Is(t, "other bytes with a ticket that was used before the move", err, client.Code("ticket_used"))
	made, err := bearer.SendWithTicket(t.Context(), h.handed.waiting, strings.NewReader(handedPage), 0)
	expect.OK(t, err)
	if made.Title != "waiting" || made.Version != 1 || made.ProjectID == h.handed.made.ProjectID {
		t.Errorf("a ticket that waited has made %+v", made.Change)
	}
	expect.Equal(t, "the import again", h.imported(t, s, "true"), h.handed.report)
	var got bytes.Buffer
	expect.OK(t, houseGet(s, h.handed.deleted.url, "", &got))
	expect.Equal(t, "a deleted project", got.String()[:3], "404")
	h.asOwner(t, s, http.MethodPost, "/account/projects/"+h.handed.deleted.id+"/take-back", "application/x-www-form-urlencoded", http.NoBody, http.StatusSeeOther)
	got.Reset()
	expect.OK(t, houseGet(s, h.handed.deleted.url, "", &got))
	expect.Equal(t, "a project that was taken back", got.String()[:3], "200")
	again, err := bearer.SendWithTicket(t.Context(), h.handed.used, strings.NewReader(handedPage), 0)
	expect.OK(t, err)
	if !again.FromRecord || again.ProjectID != h.handed.made.ProjectID {
		t.Errorf("the bytes of a ticket again have made %+v", again.Change)
	}
}
