package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/storage/sqlstore"
)

// Door returns the bytes of a request of a player to a door of a project.
func (s *Service) Door(project, method, door, player string, body []byte) []byte {
	head := fmt.Sprintf("%s /.sandlot/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n", method, door, s.Host(project))
	return fmt.Appendf([]byte(head), "X-Sandlot-Player: %s\r\nContent-Length: %d\r\n\r\n%s", player, len(body), body)
}

// BoardPlayer is the token of the player whose score OpenBoard places.
const BoardPlayer = "bench-00000000000000000000000000"

// OpenBoard makes a board of a project on which every score counts at once. It is born with a score of a player who has
// stayed until that counts.
func (s *Service) OpenBoard(ctx context.Context, key, project string) error {
	l, err := NewLane(ctx, s.Addr)
	if err != nil {
		return err
	}
	defer l.Close()
	hello, err := l.Want(http.StatusOK, s.Door(project, "GET", "player", BoardPlayer, nil))
	if err != nil {
		return err
	}
	var stay struct{ Since string }
	if err := json.Unmarshal(hello, &stay); err != nil {
		return err
	}
	first := s.Door(project, "POST", "scores/main", BoardPlayer, fmt.Appendf(nil, `{"score":1,"since":%q}`, stay.Since))
	for {
		res, text, err := l.Do(first)
		switch {
		case err != nil:
			return err
		case res.StatusCode == http.StatusOK:
			return s.amendBoard(l, key, project, `{"min_seconds":0}`)
		case res.StatusCode != http.StatusTooManyRequests:
			return fmt.Errorf("the first score: %s %s", res.Status, text)
		}
		time.Sleep(time.Second)
	}
}

func (s *Service) amendBoard(l *Lane, key, project, change string) error {
	_, err := l.Want(http.StatusOK, fmt.Appendf(nil, "PATCH /v1/project/%s/boards/main HTTP/1.1\r\nHost: %s\r\n"+
		"Content-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", project, s.Addr, key, len(change), change))
	return err
}

// SeedBoard adds n rows to the board of OpenBoard, as an import does: half of them are better than the row of BoardPlayer.
func SeedBoard(ctx context.Context, file, project string, n int) error {
	db, err := sqlstore.OpenSQLite(ctx, file, sqlstore.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	now := time.Now()
	rows := make([]boards.Row, 0, 1000)
	for i := range n {
		rows = append(rows, boards.Row{
			Player: fmt.Sprintf("s%09d", i), Name: fmt.Sprint("Player ", i), Score: float64((i*7919)%n - n/2), At: now, Seen: now,
		})
		if len(rows) < cap(rows) && i < n-1 {
			continue
		}
		if err := db.Boards().Bring(ctx, sandlot.ProjectID(project), boards.Board{Name: boards.Default}, rows, 0); err != nil {
			return err
		}
		rows = rows[:0]
	}
	return nil
}
