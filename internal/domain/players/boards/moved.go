package boards

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sandlot"
)

const (
	// movedFor is the lifetime of the list of boards that moved.
	movedFor = 5 * time.Second
	// mostMoved bounds the boards that are read. Several may belong to one project.
	mostMoved = 300
)

// moved caches the list of boards that moved, with one board of each project.
type moved struct {
	mu   sync.Mutex
	list []Moved
	at   time.Time
}

// MovedToday returns boards of listed projects that moved since the beginning of the day in UTC, the last moved first: of
// each project the board that moved last, and of at most limit projects. The list is a few seconds old at most, and
// considers the 300 boards that moved last. Callers share it, and must not change it.
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
