package storetest

import (
	"testing"
	"time"

	"sandlot/internal/domain/operate"
)

func recordRuns(t *testing.T, s Stores) {
	ctx, good, bad := t.Context(), base(), base().Add(time.Hour)
	runs := func() map[operate.RunKind]operate.Run {
		all := map[operate.RunKind]operate.Run{}
		for _, r := range must(s.Runs.All(ctx))(t) {
			all[r.Kind] = r
		}
		return all
	}
	same(t, "at first", len(runs()), 0)
	ok(t, s.Runs.Record(ctx, operate.RunVerify, good, 2))
	same(t, "one that never was good", runs()[operate.RunVerify], operate.Run{Kind: operate.RunVerify, At: good, Damaged: 2})
	ok(t, s.Runs.Record(ctx, operate.RunBackup, good, 0))
	ok(t, s.Runs.Record(ctx, operate.RunBackup, bad, 3))
	ok(t, s.Runs.Record(ctx, operate.RunBackup, good.Add(-time.Hour), 0))
	same(t, "one that was good", runs()[operate.RunBackup], operate.Run{Kind: operate.RunBackup, At: bad, GoodAt: good, Damaged: 3})
	ok(t, s.Runs.Record(ctx, operate.RunBackup, bad.Add(time.Hour), 0))
	same(t, "one that is good again", runs()[operate.RunBackup].GoodAt, bad.Add(time.Hour))
	same(t, "kinds", len(runs()), 2)
}
