package sandlot

import (
	"context"
	"time"
)

// SqueezeLeaseMax is the longest that a blob is claimed while its variants are made. A claim that seems longer got its
// time from a wrong clock.
const SqueezeLeaseMax = 15 * time.Minute

// VariantStore keeps the compressed representations, under the same promises as
// a Store.
type VariantStore interface {
	// Unsqueezed returns files whose variants have not been made yet and that nobody has claimed, except for those with
	// a blob in except, at most limit: the oldest of all, and then those of all accounts in turn, of each its oldest
	// first. One of over 16 MiB comes behind its account's smaller ones, and uses up a turn for each 16 MiB. Turns are
	// taken among the few hundred oldest and newest files, so the call costs the same however many wait.
	Unsqueezed(ctx context.Context, except []int64, limit int) ([]File, error)
	// ClaimSqueezing claims blobs without variants for a while, SqueezeLeaseMax at most, by the clock that all users of
	// the store share. It returns those that nobody else has claimed, and the number of the claim. A claim ends with
	// PutVariants.
	ClaimSqueezing(ctx context.Context, blobs []int64, lease time.Duration) (mine []int64, claim int64, err error)
	// EndSqueezing releases the claimed blobs that have no variants yet, but none that somebody else has claimed since.
	EndSqueezing(ctx context.Context, blobs []int64, claim int64) error
	// PutVariants records the variants of a blob (possibly none) as made. A missing blob is ErrNotFound.
	PutVariants(ctx context.Context, blobID int64, v []Variant) error
}
