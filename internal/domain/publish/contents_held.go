package publish

import (
	"context"
	"errors"
	"sync"

	"sandlot"
)

// A stage says how far a blob is on its way into a record.
type stage int

const (
	staged   stage = iota + 1 // being stored, or stored and in no step yet
	handed                    // a step that refers to it is running
	doubtful                  // such a step may have had its effect, and says it failed
)

// maxDoubtful bounds what is remembered of steps whose effect nobody knows. There
// are some only while the disk fails; beyond this every name counts as doubtful.
const maxDoubtful = 10_000

// heldBlobs is the record of the blobs that no record of the store names yet. It
// alone decides when one may be deleted: by whoever discards it only while it is
// staged, by the collector only once it is not in here. A crash forgets it, and
// with it every request that could still have recorded a blob.
type heldBlobs struct {
	mu     sync.Mutex
	names  map[sandlot.BlobRef]stage
	doubts int  // names that are doubtful
	full   bool // there were more than could be remembered
}

// newHeldBlobs knows no blobs yet.
func newHeldBlobs() *heldBlobs { return &heldBlobs{names: map[sandlot.BlobRef]stage{}} }

// add begins with a name, before anything is stored under it.
func (s *heldBlobs) add(ref sandlot.BlobRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[ref] = staged
}

// drop forgets a name that is staged.
func (s *heldBlobs) drop(ref sandlot.BlobRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[ref] == staged {
		delete(s.names, ref)
	}
}

// discardable reports whether a blob is staged, and so nobody's but its holder's.
func (s *heldBlobs) discardable(ref sandlot.BlobRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[ref] == staged
}

// holds reports whether a record may still come to name the blob.
func (s *heldBlobs) holds(ref sandlot.BlobRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[ref] != 0 || s.full
}

// use runs a step that refers to blobs. If it succeeds they are recorded; if it
// certainly had no effect they are staged as before; in any other case, a panic
// included, they are doubtful until the process ends, for only the next one reads
// from the disk what is there.
func (s *heldBlobs) use(step func() error, blobs ...sandlot.Blob) error {
	s.move(blobs, handed)
	to := doubtful
	defer func() { s.move(blobs, to) }()
	err := step()
	switch {
	case err == nil:
		to = 0
	case errors.Is(err, sandlot.ErrNoEffect):
		to = staged
	}
	return err
}

// move brings blobs to a stage; 0 is out of here. One that is doubtful stays so
// until a step succeeds: that a second one had no effect says nothing of the first.
func (s *heldBlobs) move(blobs []sandlot.Blob, to stage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blobs {
		was := s.names[b.Ref]
		switch {
		case was == 0 || was == doubtful && to != 0:
		case to == 0:
			delete(s.names, b.Ref)
			if was == doubtful {
				s.doubts--
			}
		case to == doubtful && s.doubts >= maxDoubtful:
			delete(s.names, b.Ref)
			s.full = true
		default:
			s.names[b.Ref] = to
			if to == doubtful {
				s.doubts++
			}
		}
	}
}

// guardedStore is a Store whose steps tell heldBlobs what became of the blobs
// that they refer to. A test finds every step that takes blobs in here.
type guardedStore struct {
	Store
	held  *heldBlobs
	spend func()
}

func (g guardedStore) CreateProject(ctx context.Context, np NewProject) (p sandlot.Project, err error) {
	blobs := blobsOf(np.Files)
	for _, v := range np.Later {
		blobs = append(blobs, blobsOf(v.Change.Put)...)
	}
	np.Yield = func() {
		yield(g.spend, np.Files)
		for _, v := range np.Later {
			yield(nil, v.Change.Put)
		}
	}
	err = g.held.use(func() error { p, err = g.Store.CreateProject(ctx, np); return err }, blobs...)
	return p, err
}

func (g guardedStore) PutFile(ctx context.Context, id sandlot.ProjectID, f sandlot.File, at Edit) (p sandlot.Project, changed sandlot.Changed, err error) {
	err = g.held.use(func() error { p, changed, err = g.Store.PutFile(ctx, id, f, at); return err }, f.Blob)
	return p, changed, err
}

func (g guardedStore) SaveUpload(ctx context.Context, u Upload, part *Part, within UploadQuota) (generation int64, err error) {
	var blobs []sandlot.Blob
	if part != nil {
		blobs = append(blobs, part.Blob)
	}
	err = g.held.use(func() error { generation, err = g.Store.SaveUpload(ctx, u, part, within); return err }, blobs...)
	return generation, err
}

// guardedManagement is the same for what owners do by hand.
type guardedManagement struct {
	ManagementStore
	held  *heldBlobs
	spend func()
}

func (g guardedManagement) Rearrange(ctx context.Context, id sandlot.ProjectID, c Change, at Edit) (p sandlot.Project, changed sandlot.Changed, err error) {
	at.Yield = func() { yield(g.spend, c.Put) }
	err = g.held.use(func() error { p, changed, err = g.ManagementStore.Rearrange(ctx, id, c, at); return err }, blobsOf(c.Put)...)
	return p, changed, err
}

// yield frees the room of the bytes that files bring, which a step that failed does not record
// any more, and that which is kept for deletions: to take back what there is of them is one.
func yield(spend func(), files []sandlot.File) {
	for _, f := range files {
		if f.Blob.Spooled != nil {
			_ = f.Blob.Spooled.File.Close() // its maker closes it once more
		}
	}
	if spend != nil {
		spend()
	}
}

// blobsOf are the blobs of files that have names, which alone can be held.
func blobsOf(files []sandlot.File) (blobs []sandlot.Blob) {
	for _, f := range files {
		if f.Blob.Ref != "" {
			blobs = append(blobs, f.Blob)
		}
	}
	return blobs
}

// Guard returns the store of variants with steps that tell what became of the blobs that
// they refer to: the bytes of variants come from Stage as well.
func (c *Contents) Guard(store sandlot.VariantStore) sandlot.VariantStore {
	return guardedVariants{store, c.held}
}

// guardedVariants is what Guard returns.
type guardedVariants struct {
	sandlot.VariantStore
	held *heldBlobs
}

func (g guardedVariants) PutVariants(ctx context.Context, blobID int64, list []sandlot.Variant) error {
	blobs := make([]sandlot.Blob, len(list))
	for i, v := range list {
		blobs[i] = v.Blob
	}
	return g.held.use(func() error { return g.VariantStore.PutVariants(ctx, blobID, list) }, blobs...)
}

// Recording runs a step that records blobs which came from Stage, and so tells what became of them: a store of another room
// has no other guard.
func (c *Contents) Recording(step func() error, blobs ...sandlot.Blob) error {
	held := blobs[:0:0]
	for _, b := range blobs {
		if b.Ref != "" {
			held = append(held, b)
		}
	}
	return c.held.use(step, held...)
}
