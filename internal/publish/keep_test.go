package publish_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"sandlot/internal/operate"
	"sandlot/internal/publish"
	"sandlot/internal/testworld"
)

func TestKeepVersions(t *testing.T) {
	w := newWorld(t)
	by := w.account()
	p := w.publish(by, large).Project
	suffixes := map[int]string{1: p.Suffix}
	for n := 2; n <= 5; n++ {
		w.clock.move(time.Hour)
		p = w.put(by, p.ID, "index.html", large+fmt.Sprint(n)).Project
		suffixes[n] = p.Suffix
	}
	collector := &operate.Collector{Records: w.db, Blobs: testworld.AllBlobs(w.blobs), Trim: w.db, Keep: 2, Log: slog.New(slog.DiscardHandler), Now: w.clock.now}
	collect := func() {
		t.Helper()
		if _, err := collector.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	there := func() (list []int) {
		t.Helper()
		for n := 1; n <= 5; n++ {
			if _, err := w.SiteVersion(t.Context(), nobody(), p.ID, n, suffixes[n]); err == nil {
				list = append(list, n)
			} else {
				refused(t, err, publish.CodeProjectNotFound)
			}
		}
		return list
	}
	collect()
	same(t, "within a day", there(), []int{1, 2, 3, 4, 5})
	w.clock.move(22*time.Hour + time.Minute) // versions 1 and 2 were superseded 25 and 24 hours ago
	collect()
	same(t, "some later", there(), []int{3, 4, 5})
	w.clock.move(48 * time.Hour)
	collect()
	same(t, "in the end", there(), []int{4, 5})
	same(t, "blobs on the disk", w.onDisk(), 2)
	same(t, "the current page", w.text(p.ID, 5, "index.html"), large+"5")
	same(t, "the next version", w.put(by, p.ID, "a.txt", "more").Project.Version, 6)

	all := &operate.Collector{Records: w.db, Blobs: testworld.AllBlobs(w.blobs), Log: slog.New(slog.DiscardHandler), Now: w.clock.now}
	w.clock.move(1000 * time.Hour)
	if _, err := all.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "where all are kept", there(), []int{4, 5})
}
