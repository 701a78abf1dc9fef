package squeeze

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/testkit/expect"
)

func TestRegression36FilesThatCannotBeReadBlockNoOthers(t *testing.T) {
	for what, why := range map[string]error{"an error of the disk": errors.New("input/output error"), "permission": sandlot.ErrUnavailable} {
		t.Run(what, func(t *testing.T) {
			b := newBench()
			bad := 3 * batch
			for i := range bad {
				b.shelf.broken[b.add(fmt.Sprint(i, ".js"), program(500)).Blob.Ref] = why
			}
			good := b.add("good.js", program(500))
			for range bad/batch + 1 {
				if n, _ := b.Round(context.Background()); n == 0 {
					t.Error("a round ended, as if all would fail")
				}
			}
			if v, _ := b.records.recorded(good); len(v) == 0 {
				t.Error("the newer file has no variants")
			}
			expect.Equal(t, "failures counted", b.failures.Count(), int64(bad))
			opened := b.shelf.opened
			if b.round(t); b.shelf.opened != opened {
				t.Error("what failed is tried again at once")
			}
			clear(b.shelf.broken)
			b.later = time.Minute
			for range bad / batch {
				b.round(t)
			}
			if len(b.records.made) != bad+1 {
				t.Errorf("%d of %d files were looked at in the end", len(b.records.made), bad+1)
			}
		})
	}
}

func TestRegression36NoNumberOfFilesThatFailBlocksOthers(t *testing.T) {
	b := newBench()
	for i := range worker.MaxSetbacks + 1 {
		b.putOff.Failed(-int64(i), time.Now())
	}
	bad, good := b.add("bad.js", program(500)), b.add("good.js", program(500))
	b.shelf.broken[bad.Blob.Ref] = errors.New("input/output error")
	_, _ = b.Round(context.Background())
	if v, ok := b.records.recorded(bad); !ok || len(v) > 0 {
		t.Error("the file is not left plain")
	}
	if v, _ := b.records.recorded(good); len(v) == 0 {
		t.Error("the next file has no variants")
	}
}

func TestRegression36AFileThatFindsNoRoomIsNotTheFirstAgain(t *testing.T) {
	b := newBench()
	b.add("large.js", program(500))
	small := b.add("small.js", program(500))
	b.shelf.full = []error{sandlot.ErrFull}
	_, _ = b.Round(context.Background())
	b.round(t)
	if v, _ := b.records.recorded(small); len(v) == 0 {
		t.Error("the next file has no variants")
	}
}

// poison is content whose reader panics, as a compressor might.
type poison struct{}

func (poison) Read([]byte) (int, error) { panic("poison") }
func (poison) Close() error             { return nil }

func TestRegression36AFileThatMakesACompressorPanicStopsNothing(t *testing.T) {
	b := newBench()
	bad, good := b.add("bad.js", program(500)), b.add("good.js", program(500))
	b.shelf.poisoned = bad.Blob.Ref
	if _, err := b.Round(context.Background()); err == nil || !strings.Contains(err.Error(), "blob 1") {
		t.Errorf("got %v", err)
	}
	if v, _ := b.records.recorded(good); len(v) == 0 {
		t.Error("the next file has no variants")
	}
	if _, ok := b.records.recorded(bad); ok || b.failures.Count() != 1 {
		t.Errorf("recorded: %v, %d failures", ok, b.failures.Count())
	}
	b.clean(t)
}

func TestRegression36VariantsThatWereNeverRecordedAreDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		b.add("game.js", program(5000))
		for range putTries {
			b.records.fails = append(b.records.fails, sandlot.NoEffect(sandlot.ErrUnavailable))
		}
		if _, err := b.Round(context.Background()); !errors.Is(err, sandlot.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		b.clean(t)
	})
}
