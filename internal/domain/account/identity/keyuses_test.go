package identity

import (
	"log/slog"
	"testing"
	"time"
)

func TestKeyUses(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	u := NewKeyUses(nil, slog.New(slog.DiscardHandler), nil)
	u.note(1, noon)
	u.note(1, noon.Add(time.Minute))
	u.note(2, noon)
	if got := u.take(); len(got) != 2 || !got[1].Equal(noon.Add(time.Minute)) {
		t.Errorf("got %v", got)
	}
	if got := u.take(); len(got) != 0 {
		t.Errorf("taken twice: %v", got)
	}
}
