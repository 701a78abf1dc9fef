package publish

import (
	"context"
	"fmt"

	"sandlot"
)

// A Blocklist refuses contents, words and callers that the operator has blocked. It may be used concurrently.
type Blocklist interface {
	// Check returns the number of the list that allows v. A blocked file is sandlot.CodeTakenDown, anything else that is
	// blocked sandlot.CodeBlocked.
	Check(ctx context.Context, by sandlot.Caller, v Screening) (generation int64, err error)
	// Moved has the next Check read the list again: a step was sandlot.ErrBlocksMoved.
	Moved()
}

// NetworkHashes hashes the network of a caller, so that it can be compared and not read. It may be used concurrently.
type NetworkHashes interface {
	Of(ctx context.Context, from sandlot.Sender) (Publisher, error)
}

// Publisher holds the hashes of a caller's network under a key that changes each month. The zero Publisher is unknown.
type Publisher struct {
	Network sandlot.Digest // of an IPv4 address, or an IPv6 network of 64 bits
	Wide    sandlot.Digest // of the network of 24 or 48 bits around it
}

// Screening is a version that is about to be recorded, with the words of its call.
type Screening struct {
	Project sandlot.Project // as it is; zero for a new one
	Title   string          // empty: as it is
	Email   string          // the address that the call brings; empty: none
	Files   []sandlot.File  // all files of the version
	New     []sandlot.File  // those of them that the call brings
	// Read returns the bytes of a file of at most 1 MiB.
	Read func(ctx context.Context, f sandlot.File) ([]byte, error)
}

// Screened is the outcome of a Screening, for the step that records the version.
type Screened struct {
	Blocks    int64        // the number of the blocklist that allows it: with another one the step is sandlot.ErrBlocksMoved; 0: none
	Hold      sandlot.Rule // HeldFields where others must not see the version; else a hold of that rule ends with the step
	Publisher Publisher    // recorded for an account without a verified address
}

// screen checks a version before its step.
func (s *Service) screen(ctx context.Context, by sandlot.Caller, v Screening) (out Screened, err error) {
	v.Read = func(ctx context.Context, f sandlot.File) ([]byte, error) {
		return s.piece(ctx, f.Blob, 0, f.Blob.Size, nil)
	}
	if out.Blocks, err = s.unblocked(ctx, by, v); err != nil {
		return out, err
	}
	if s.Networks != nil && !v.Project.Verified {
		if out.Publisher, err = s.Networks.Of(ctx, by.From); err != nil {
			return out, fmt.Errorf("hash the network: %w", err)
		}
	}
	return out, nil
}

// unblocked returns the number of the blocklist that allows v. Without v.Read texts are compared by all their bytes alone.
func (c Config) unblocked(ctx context.Context, by sandlot.Caller, v Screening) (int64, error) {
	if c.Blocklist == nil {
		return 0, nil
	}
	n, err := c.Blocklist.Check(ctx, by, v)
	if err != nil {
		return 0, fmt.Errorf("check the blocklist: %w", err)
	}
	return n, nil
}

// address returns the address that a step sets; a nil NewEmail sets none.
func (e *NewEmail) address() string {
	if e == nil {
		return ""
	}
	return e.Address
}
