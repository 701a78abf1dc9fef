// Package squeeze makes the compressed representations of published files: once, after the publish, never during a
// request.
//
// One worker makes them, one file after another, with a bounded amount of memory, and it rests while content is
// arriving. In the middle of a large file it handles small ones that came meanwhile. Until it is done with a file, the
// file is served uncompressed.
package squeeze

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/base/worker"
	"sandlot/internal/format/mediatype"
)

// Limits of the worker.
const (
	large     = 16 << 20 // larger files hold the worker for many seconds, and are compressed at lower levels
	huge      = 128 << 20
	restEvery = 4 << 20 // bytes of a file between two rests
	minSize   = 200     // a smaller file fits a packet either way
	batch     = 32      // files claimed at a time
	poll      = 500 * time.Millisecond
	restStep  = 50 * time.Millisecond
	maxRest   = 2 * time.Second // before each compression, so that endless load delays variants but never prevents them
	afterFail = 10 * time.Second

	// together is the largest file that shares the three compressors. These keep the memory that a file made them grow
	// to, which would soon be 10 MiB: for each larger file they are made anew, one at a time. Measured, all together:
	// 6.6 MiB; with 128 KiB here 8.0, with 256 KiB 9.0.
	together = 64 << 10

	// putTries is how often a step to record variants is tried while its effect is unknown, each time after a longer
	// wait; all together half an hour.
	putTries = 20
)

// Content reads and stores bytes; *publish.Contents is one.
type Content interface {
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
	StageDerived(ctx context.Context, r io.Reader) (sandlot.Blob, error)
	DiscardDerived(ctx context.Context, b sandlot.Blob)
	Receiving() bool // whether content is arriving now
}

// Worker makes variants. Only one Run at a time.
type Worker struct {
	records sandlot.VariantStore
	content Content
	log     *slog.Logger
	formats []format
	now     func() time.Time

	failures *worker.Failures
	putOff   worker.Setbacks[int64] // by the ID of the blob
}

// New returns a worker. It allocates its working memory, at most 8 MiB in use at a time, with the first file that is
// worth it, and frees it when there are no more. It counts the files that fail.
func New(records sandlot.VariantStore, content Content, log *slog.Logger, failures *worker.Failures) *Worker {
	return &Worker{records: records, content: content, log: log, formats: formats(0), now: time.Now, failures: failures}
}

// Run makes variants until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	for wait := time.Duration(0); worker.Wait(ctx, wait); {
		n, err := w.Round(ctx)
		if err == nil {
			w.failures.Worked()
		}
		switch {
		case err != nil:
			if ctx.Err() == nil {
				w.log.Warn("variants not made; they will be tried again", "error", err)
			}
			w.release()
			wait = 0
			if n == 0 {
				wait = afterFail
			}
		case n == 0:
			w.release()
			wait = poll
		default:
			wait = 0
		}
	}
}

// Round makes the variants of some files that have none yet, and returns how many files it handled. A file that fails
// is put off, and does not stop the others; if they would fail as well, Round returns 0 with the error.
func (w *Worker) Round(ctx context.Context) (int, error) { return w.round(ctx, math.MaxInt64) }

// round is Round for files of at most that many bytes.
func (w *Worker) round(ctx context.Context, most int64) (int, error) {
	files, claim, err := w.claim(ctx, most)
	if err != nil {
		w.failures.Add(1)
		return 0, fmt.Errorf("read files to squeeze: %w", err)
	}
	left := files // claimed, and not done
	defer func() { w.giveBack(ctx, left, claim) }()
	var failed error
	done := int64(0)
	for i, f := range files {
		if done >= large { // files that came meanwhile have a turn, too
			return i, failed
		}
		err := worker.Guarded(func() error { return w.squeeze(ctx, f) })
		if err == nil {
			left = slices.DeleteFunc(slices.Clone(left), func(l sandlot.File) bool { return l.Blob.ID == f.Blob.ID })
			done += f.Blob.Size
			w.putOff.Worked(f.Blob.ID)
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("squeeze blob %d: %w", f.Blob.ID, err))
		w.release() // its last file may have been large
		if ctx.Err() != nil || !w.goOn(ctx, f, err) {
			return 0, failed
		}
	}
	return len(files), failed
}

// claim returns files of at most that many bytes that no other process handles, and the number of the claim.
func (w *Worker) claim(ctx context.Context, most int64) ([]sandlot.File, int64, error) {
	files, err := w.records.Unsqueezed(ctx, w.putOff.Waiting(w.now()), batch)
	files = slices.DeleteFunc(files, func(f sandlot.File) bool { return f.Blob.Size > most })
	if err != nil || len(files) == 0 {
		return nil, 0, err
	}
	mine, claim, err := w.records.ClaimSqueezing(ctx, blobsOf(files), sandlot.SqueezeLeaseMax)
	return slices.DeleteFunc(files, func(f sandlot.File) bool { return !slices.Contains(mine, f.Blob.ID) }), claim, err
}

// giveBack ends the claims of files that are not done: another round may take them at once. If it fails they lapse.
func (w *Worker) giveBack(ctx context.Context, files []sandlot.File, claim int64) {
	if len(files) == 0 {
		return
	}
	if err := w.records.EndSqueezing(context.WithoutCancel(ctx), blobsOf(files), claim); err != nil {
		w.log.Warn("could not release the claims of files without variants; they will lapse", "error", err)
	}
}

func blobsOf(files []sandlot.File) []int64 {
	ids := make([]int64, len(files))
	for i, f := range files {
		ids[i] = f.Blob.ID
	}
	return ids
}

// goOn puts off a file that failed, and reports whether the next one may succeed. If more files fail than are
// remembered, for another reason than a full or missing disk, it leaves this one without variants: no number of them
// may hold up the others.
func (w *Worker) goOn(ctx context.Context, f sandlot.File, why error) bool {
	w.failures.Add(1)
	full := errors.Is(why, sandlot.ErrFull)
	if w.putOff.Failed(f.Blob.ID, w.now()) {
		return !full
	}
	if full || errors.Is(why, sandlot.ErrUnavailable) {
		return false
	}
	w.log.Error("too many files fail at a time; one of them is served uncompressed from now on", "blob", f.Blob.ID, "error", why)
	return w.records.PutVariants(ctx, f.Blob.ID, nil) == nil
}

// rest waits while content is arriving, but not for ever.
func (w *Worker) rest(ctx context.Context) error {
	for waited := time.Duration(0); waited < maxRest && w.content.Receiving(); waited += restStep {
		if !worker.Wait(ctx, restStep) {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// makeWay handles small files that came meanwhile, and rests: both between two pieces of a large one.
func (w *Worker) makeWay(ctx context.Context) error {
	if _, err := w.round(ctx, together); err != nil && ctx.Err() == nil {
		w.log.Warn("variants not made; they will be tried again", "error", err)
	}
	w.release()
	return w.rest(ctx)
}

func (w *Worker) squeeze(ctx context.Context, f sandlot.File) error {
	made, err := w.variants(ctx, f)
	if errors.Is(err, sandlot.ErrCorrupt) || errors.Is(err, sandlot.ErrNotFound) {
		w.log.Error("a stored file is damaged or missing; it gets no more variants", "blob", f.Blob.ID, "error", err)
		err = nil
	}
	if err != nil {
		w.discard(ctx, made)
		return err
	}
	return w.record(ctx, f.Blob.ID, made)
}

// record records variants. While a failed step may have had its effect, its bytes must neither be deleted nor be made a
// second time: the same step is tried again. Variants left over in the end are discarded, or collected if the effect
// stays unknown.
func (w *Worker) record(ctx context.Context, blobID int64, made []sandlot.Variant) (err error) {
	certain := true
	defer func() {
		if err != nil && certain {
			w.discard(ctx, made)
		}
	}()
	for try := 1; ; try++ {
		err := w.records.PutVariants(ctx, blobID, made)
		certain = certain && (errors.Is(err, sandlot.ErrNoEffect) || errors.Is(err, sandlot.ErrFull))
		switch {
		case err == nil, errors.Is(err, sandlot.ErrExists): // the latter: the step that seemed to fail had its effect
			return nil
		case errors.Is(err, sandlot.ErrNotFound): // the file was deleted meanwhile
			w.discard(ctx, made)
			return nil
		case errors.Is(err, sandlot.ErrFull), errors.Is(err, sandlot.ErrNoEffect) && !errors.Is(err, sandlot.ErrUnavailable):
			return err
		case try == putTries:
			return err
		}
		w.log.Warn("variants not recorded; trying again", "blob", blobID, "error", err)
		w.release()
		if !worker.Wait(ctx, time.Duration(try)*afterFail) {
			return err
		}
	}
}

// variants makes the variants that are smaller than the file. With an error it returns those made so far.
func (w *Worker) variants(ctx context.Context, f sandlot.File) (made []sandlot.Variant, err error) {
	if !mediatype.Compressible(f.Name) || f.Blob.Size < minSize {
		return nil, nil
	}
	kinds := w.formats
	if f.Blob.Size > large {
		w.release()
		kinds = formats(f.Blob.Size)
	}
	for i := range kinds {
		if err := w.rest(ctx); err != nil {
			return made, err
		}
		if f.Blob.Size > together {
			w.release()
		}
		v, err := w.variant(ctx, f.Blob, &kinds[i])
		if f.Blob.Size > large {
			kinds[i].encoder = nil // before the next is made
		}
		if err != nil {
			return made, err
		}
		failpoint.Hit(failpoint.MidVariant)
		if v.Blob.Size < f.Blob.Size {
			made = append(made, v)
		} else {
			w.discard(ctx, []sandlot.Variant{v})
		}
	}
	return made, nil
}

func (w *Worker) discard(ctx context.Context, variants []sandlot.Variant) {
	for _, v := range variants {
		w.content.DiscardDerived(ctx, v.Blob)
	}
}

// release frees the compressors' memory.
func (w *Worker) release() {
	for i := range w.formats {
		w.formats[i].encoder = nil
	}
}
