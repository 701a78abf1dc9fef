package boards

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sandlot"
)

const (
	// movedFor is how long the list of boards that moved is served.
	movedFor = 5 * time.Second
	// mostMoved is how many boards are looked at: several may be of one project, or of one that is not listed.
	mostMoved = 300
)

// moved is the list of boards that moved, as it was read last: one of each project.
type moved struct {
	mu   sync.Mutex
	list []Moved
	at   time.Time
}

// MovedToday returns the board that moved last of each of at most limit projects that may be listed and have a board
// that moved since the beginning of the day in UTC, last moved first; from a list at most a few seconds old. Where very
// many boards move it has those that moved last. Callers share the list, and must not change it.
func (s *Service) MovedToday(ctx context.Context, by sandlot.Caller, limit int) ([]Moved, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return nil, err
	}
	s.moved.mu.Lock()
	defer s.moved.mu.Unlock()
	if now := s.Now(); s.moved.at.IsZero() || now.Sub(s.moved.at).Abs() >= movedFor {
		list, err := s.Store.Moved(ctx, now.UTC().Truncate(24*time.Hour), mostMoved)
		if err != nil {
			return nil, fmt.Errorf("read boards that moved: %w", err)
		}
		s.moved.list, s.moved.at = oneOfEach(list), now
	}
	return s.moved.list[:min(len(s.moved.list), limit)], nil
}

// oneOfEach returns the first board of each project.
func oneOfEach(list []Moved) (out []Moved) {
	seen := map[sandlot.ProjectID]bool{}
	for _, m := range list {
		if !seen[m.Project] {
			seen[m.Project] = true
			out = append(out, m)
		}
	}
	return out
}
