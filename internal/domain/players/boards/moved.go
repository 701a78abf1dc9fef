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
	// mostMoved bounds the boards that are read: 3,000 of unlisted projects take 17 ms. Several may belong to one project.
	mostMoved = 3000
)

// moved caches the list of boards that moved, with one board of each project. It may be used concurrently.
type moved struct {
	mu   sync.Mutex
	list []Moved
	at   time.Time
}

// known returns the list; ok is false if it is older than movedFor.
func (m *moved) known(now time.Time) (list []Moved, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.list, !m.at.IsZero() && now.Sub(m.at).Abs() < movedFor
}

func (m *moved) set(list []Moved, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list, m.at = list, at
}

// MovedToday returns boards of listed projects that moved since the beginning of the day in UTC, the last moved first: of
// each project the board that moved last, and of at most limit projects. The list is a few seconds old at most, and
// considers the 3,000 boards that moved last. Callers share it, and must not change it.
func (s *Service) MovedToday(ctx context.Context, by sandlot.Caller, limit int) ([]Moved, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return nil, err
	}
	now := s.Now()
	list, ok := s.moved.known(now)
	if !ok {
		// Calls that miss the list share one read, as in Service.list. No board has this key.
		err := s.reads.Do(ctx, listKey{}, nil, func() (err error) {
			if list, ok = s.moved.known(now); ok {
				return nil
			}
			list, err = s.Store.Moved(ctx, now.UTC().Truncate(24*time.Hour), mostMoved)
			if err == nil {
				list = oneOfEach(list)
				s.moved.set(list, now)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read boards that moved: %w", err)
		}
	}
	return list[:min(len(list), limit)], nil
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
