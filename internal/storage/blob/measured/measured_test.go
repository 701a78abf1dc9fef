package measured_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"sandlot"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/measured"
	"sandlot/internal/testkit/expect"
)

func TestCallsForFilesAreMeasuredByTheirOutcome(t *testing.T) {
	t.Parallel()
	folder, err := blob.OpenDisk(t.TempDir(), blob.Options{})
	expect.OK(t, err)
	defer folder.Close()
	m := measured.New()
	d := measured.Disk{Disk: folder, Meters: m}
	b, err := d.Put(t.Context(), d.Name(), strings.NewReader("some bytes"))
	expect.OK(t, err)
	_, err = d.Put(t.Context(), d.Name(), iotest.ErrReader(errors.New("the client left")))
	if err == nil {
		t.Error("a client that left was stored")
	}
	expect.OK(t, d.Delete(t.Context(), b.Ref))
	_, err = d.Open(t.Context(), b, 0, -1)
	expect.Is(t, "a deleted one", err, sandlot.ErrNotFound)
	var counted []string
	for call, seconds := range m.All() {
		if count, _, _ := seconds.Read(); count == 1 {
			counted = append(counted, call.Op+" "+call.Outcome)
		}
	}
	slices.Sort(counted)
	expect.Same(t, "calls", counted, []string{"delete ok", "put cut", "put ok", "read missing"})
}
