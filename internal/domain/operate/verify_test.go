package operate_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// unreadable are blobs that cannot be opened.
type unreadable struct {
	sandlot.Blobs
	err error
}

func (u unreadable) Open(context.Context, sandlot.Blob, int64, int64) (io.ReadCloser, error) {
	return nil, u.err
}

func TestRegression36VerifyListsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	by := w.NewAccount()
	p := w.PublishPage(by, large).Project
	w.PutFile(by, p.ID, "more.txt", large+"more")
	var found []operate.Finding
	v := operate.Verifier{Records: w.DB.Upkeep(), Blobs: unreadable{w.Blobs, errors.New("input/output error")}, Now: w.Now, Report: func(f operate.Finding) error {
		found = append(found, f)
		return nil
	}}
	seen, err := v.Run(t.Context())
	if err != nil || seen.Damaged != 2 || len(found) != 2 {
		t.Fatalf("%+v, %v, %v", seen, found, err)
	}
	for i, name := range []string{"index.html", "more.txt"} {
		if f := found[i]; f.Kind != operate.FoundUnread || f.Project != p.ID || f.Filename != name {
			t.Errorf("found %+v", f)
		}
	}
}

func TestRegression36VerifyListsWhatCannotBeDeleted(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	ref := strays(t, w, 1)[0]
	blobs := stuckBlobs{testworld.AllBlobs(w.Blobs), map[sandlot.BlobRef]bool{ref: true}, map[sandlot.BlobRef]int{}}
	if _, err := (&operate.Collector{Records: w.DB.Upkeep(), Blobs: blobs, Now: w.Now}).Collect(t.Context()); err == nil {
		t.Error("collected")
	}
	var found []operate.Finding
	v := operate.Verifier{Records: w.DB.Upkeep(), Blobs: blobs, Now: w.Now, Report: func(f operate.Finding) error {
		found = append(found, f)
		return nil
	}}
	if _, err := v.Run(t.Context()); err != nil || len(found) != 1 || found[0].Blob != string(ref) || found[0].Kind != operate.FoundStray {
		t.Errorf("found %+v, %v", found, err)
	}
}

// otherCheckpoints are records whose checkpoints are not what was kept.
type otherCheckpoints struct {
	operate.VerifyStore
	change func(string) string
}

func (o otherCheckpoints) Checkpoints(ctx context.Context, id int64) (string, error) {
	points, err := o.VerifyStore.Checkpoints(ctx, id)
	if points != "" {
		points = o.change(points)
	}
	return points, err
}

func TestVerifyNamesCheckpointsThatAreNotThoseOfTheBytes(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(string) string{
		"none":            func(string) string { return "" },
		"cut":             func(points string) string { return points[:33] },
		"of another blob": func(points string) string { return strings.Repeat("x", len(points)) },
	} {
		t.Run(what, func(t *testing.T) {
			w := testworld.New(t)
			by := w.NewAccount()
			p := w.PublishPage(by, large).Project
			w.PutFile(by, p.ID, "a.bin", strings.Repeat("large", 1<<20))
			var found []operate.Finding
			v := operate.Verifier{Records: otherCheckpoints{w.DB.Upkeep(), change}, Blobs: w.Blobs, Now: w.Now, Report: func(f operate.Finding) error {
				found = append(found, f)
				return nil
			}}
			_, err := v.Run(t.Context())
			expect.OK(t, err)
			if what == "none" {
				expect.Same(t, "findings", len(found), 0)
				return
			}
			if len(found) != 1 || found[0].Kind != operate.FoundDamaged || found[0].Filename != "a.bin" || !strings.Contains(found[0].Detail, "checkpoints") {
				t.Errorf("found %+v", found)
			}
		})
	}
}
