package sandlot

import (
	"context"
	"io"
	"iter"
	"time"
)

// Blobs stores bytes that never change, each under a new name that is never used again. It knows nothing of the
// records: a blob that no record names is found by List and deleted. All methods may be called concurrently.
type Blobs interface {
	// Name returns a name that no blob ever had.
	Name() BlobRef
	// Put stores the bytes of r under a fresh name, and is durable when it returns nil. If r fails, nothing is stored
	// and the error wraps r's. No room is ErrFull. Only Ref and Size of the Blob are set.
	Put(ctx context.Context, ref BlobRef, r io.Reader) (Blob, error)
	// Open returns n bytes from off (n < 0: up to the end). Bytes that do not have the blob's size and SHA-256 are
	// ErrCorrupt, a missing blob is ErrNotFound, and not one byte of a MiB is yielded before it was compared. Of a blob
	// that comes with its Checkpoints only the MiBs that a range lies in are read and compared: damage elsewhere does
	// not matter. Checkpoints that do not match the bytes are ErrCorrupt. The whole blob, and an empty range, are
	// compared with the SHA-256 of the whole.
	//
	// The first MiB is compared before Open returns. Where the bytes come from afar the next ones may be compared while
	// they are read: then damage there, or a failure of the store, is an error of Read, after the bytes before that MiB
	// and none of it. So ctx must last until the reader is closed, and only a read to the end, or of an empty range,
	// proves that all bytes are right. A blob without Checkpoints is compared whole before Open returns.
	Open(ctx context.Context, b Blob, off, n int64) (io.ReadCloser, error)
	// Delete removes a blob; deleting a missing blob is not an error.
	Delete(ctx context.Context, ref BlobRef) error
	// List yields the names of all blobs that were stored before the time given, or, by a clock that was ahead, in the
	// future; in no order.
	List(ctx context.Context, before time.Time) iter.Seq2[BlobRef, error]
	// Ping returns nil while Put can be expected to work.
	Ping(ctx context.Context) error
}
