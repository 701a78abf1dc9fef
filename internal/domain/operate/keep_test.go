package operate_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestKeepVersions(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	by := w.NewAccount()
	p := w.PublishPage(by, large).Project
	suffixes := map[int]string{1: p.Suffix}
	for n := 2; n <= 5; n++ {
		w.Clock.Move(time.Hour)
		p = w.PutFile(by, p.ID, "index.html", large+fmt.Sprint(n)).Project
		suffixes[n] = p.Suffix
	}
	collector := &operate.Collector{Records: w.DB.Upkeep(), Blobs: testworld.AllBlobs(w.Blobs), Trim: w.DB.Upkeep(), Keep: 2, Log: slog.New(slog.DiscardHandler), Now: w.Now}
	collect := func() {
		t.Helper()
		_, err := collector.Collect(t.Context())
		expect.OK(t, err)
	}
	there := func() (list []int) {
		t.Helper()
		for n := 1; n <= 5; n++ {
			if _, err := w.Publish.Reader.AtVersion(t.Context(), testworld.Nobody(), p.ID, n, suffixes[n]); err == nil {
				list = append(list, n)
			} else {
				testworld.Refused(t, err, sandlot.CodeProjectNotFound)
			}
		}
		return list
	}
	collect()
	expect.Same(t, "within a day", there(), []int{1, 2, 3, 4, 5})
	w.Clock.Move(22*time.Hour + time.Minute) // versions 1 and 2 were superseded 25 and 24 hours ago
	collect()
	expect.Same(t, "some later", there(), []int{3, 4, 5})
	w.Clock.Move(48 * time.Hour)
	collect()
	expect.Same(t, "in the end", there(), []int{4, 5})
	expect.Same(t, "blobs on the disk", w.BlobsOnDisk(), 2)
	expect.Same(t, "the current page", w.Text(p.ID, 5, "index.html"), large+"5")
	expect.Same(t, "the next version", w.PutFile(by, p.ID, "a.txt", "more").Project.Version, 6)

	all := &operate.Collector{Records: w.DB.Upkeep(), Blobs: testworld.AllBlobs(w.Blobs), Log: slog.New(slog.DiscardHandler), Now: w.Now}
	w.Clock.Move(1000 * time.Hour)
	_, err := all.Collect(t.Context())
	expect.OK(t, err)
	expect.Same(t, "where all are kept", there(), []int{4, 5})
}
