package main

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"sandlot"
	"sandlot/internal/storage/blob"
	"sandlot/internal/testkit/expect"
)

func TestCallsForFilesAreMeasuredByTheirOutcome(t *testing.T) {
	t.Parallel()
	folder, err := blob.OpenDisk(t.TempDir(), blob.Options{})
	expect.OK(t, err)
	defer folder.Close()
	m := newBlobMeters()
	d := measuredDisk{folder, m}
	b, err := d.Put(t.Context(), d.Name(), strings.NewReader("some bytes"))
	expect.OK(t, err)
	_, err = d.Put(t.Context(), d.Name(), iotest.ErrReader(errors.New("the client left")))
	if err == nil {
		t.Error("a client that left was stored")
	}
	expect.OK(t, d.Delete(t.Context(), b.Ref))
	_, err = d.Open(t.Context(), b, 0, -1)
	expect.Is(t, "a deleted one", err, sandlot.ErrNotFound)
	for _, call := range []blobCall{{"put", "ok"}, {"put", "cut"}, {"delete", "ok"}, {"read", "missing"}} {
		count, _, _ := m.seconds[call].Read()
		expect.Equal(t, call.op+" "+call.outcome, count, 1)
	}
}
