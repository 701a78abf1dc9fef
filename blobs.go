package sandlot

import (
	"context"
	"io"
	"iter"
	"time"
)

// Blobs stores bytes that never change, each under a new name that is never used again. It
// knows nothing of the records: what none of them names is found by List and deleted. All
// methods may be called concurrently.
type Blobs interface {
	// Name returns a name that no blob ever had.
	Name() BlobRef
	// Put stores what r yields under a fresh name, and is durable when it returns nil. If r fails,
	// nothing is stored and the error wraps r's. No room is ErrFull. Only Ref and Size of the Blob
	// are set.
	Put(ctx context.Context, ref BlobRef, r io.Reader) (Blob, error)
	// Open returns n bytes from off (n < 0: up to the end). Bytes that do not have the blob's size
	// and SHA-256 are ErrCorrupt, a missing blob is ErrNotFound, and not one byte is yielded of a
	// MiB that was not compared. Of a blob that comes with its Checkpoints only the MiBs that a
	// range lies in are read and compared: damage elsewhere does not matter. Checkpoints that are
	// not those of the bytes that are compared are ErrCorrupt. The whole, and an empty range, are
	// compared with the SHA-256 of the whole.
	//
	// The first MiB is compared before Open returns. Where the bytes come from afar the next ones
	// may be compared while it is read: then damage there, and a store that fails, is an error of
	// Read, after the bytes before that MiB and none of it. So ctx must last until the reader is
	// closed, and only who reads to the end, or asks for an empty range, has seen that all is
	// right. Of a blob without Checkpoints all is compared before Open returns.
	Open(ctx context.Context, b Blob, off, n int64) (io.ReadCloser, error)
	// Delete removes a blob; deleting a missing blob is not an error.
	Delete(ctx context.Context, ref BlobRef) error
	// List yields the names of all blobs that were stored before the time given, or, as a clock had
	// it that was ahead, in a time to come; in no order.
	List(ctx context.Context, before time.Time) iter.Seq2[BlobRef, error]
	// Ping returns nil while Put can be expected to work.
	Ping(ctx context.Context) error
}
