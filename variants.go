package sandlot

import (
	"context"
	"time"
)

// SqueezeLeaseMax is the longest that a blob is claimed for its variants to be made. One
// that seems to be claimed for longer got its time from a wrong clock.
const SqueezeLeaseMax = 15 * time.Minute

// VariantStore keeps the compressed representations, under the same promises as
// a Store.
type VariantStore interface {
	// Unsqueezed returns files whose variants have not been made yet and nobody has claimed, but
	// for those with a blob in except, at most limit: the oldest of all, and then those of all
	// accounts in turn, of each its oldest first. One of over 16 MiB comes behind its account's
	// smaller ones, and uses up a turn for each 16 MiB.
	Unsqueezed(ctx context.Context, except []int64, limit int) ([]File, error)
	// ClaimSqueezing keeps blobs without variants from others for a while, SqueezeLeaseMax at most,
	// by the clock that all users of the store share. It returns those that nobody else has
	// claimed, and what names the claim. A claim ends with PutVariants.
	ClaimSqueezing(ctx context.Context, blobs []int64, lease time.Duration) (mine []int64, claim int64, err error)
	// EndSqueezing gives back what was claimed and not done, and nothing that somebody else has claimed since.
	EndSqueezing(ctx context.Context, blobs []int64, claim int64) error
	// LeavePlain records as made, without any, the variants of files that are more than most turns
	// away for their account, 1,000 files at a time, and returns how many.
	LeavePlain(ctx context.Context, most int) (int, error)
	// PutVariants records the variants of a blob (possibly none) as made. A blob that is gone is ErrNotFound.
	PutVariants(ctx context.Context, blobID int64, v []Variant) error
}
