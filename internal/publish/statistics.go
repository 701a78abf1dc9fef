package publish

import "context"

// Statistics tells the public numbers of projects. The methods may be called
// concurrently, and never fail: what cannot be counted is 0.
type Statistics interface {
	// Stats returns the numbers of a project as they are now, with those that are not written yet.
	Stats(ctx context.Context, p Project) Stats
	// ListStats is Stats without reading the project again: for lists, where a count written in the same instant may be missed once.
	ListStats(ctx context.Context, p Project) Stats
}

// storedStatistics are the numbers that the record of a project has.
type storedStatistics struct{}

func (storedStatistics) Stats(_ context.Context, p Project) Stats {
	return Stats{Plays: p.Plays, Likes: p.Likes}
}

func (s storedStatistics) ListStats(ctx context.Context, p Project) Stats { return s.Stats(ctx, p) }
