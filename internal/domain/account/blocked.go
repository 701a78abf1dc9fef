package account

import (
	"context"
	"errors"

	"sandlot"
)

// A Blocklist refuses addresses that the operator has blocked. It may be used concurrently.
type Blocklist interface {
	// Address returns the number of the list that allows an address. A blocked one is sandlot.CodeBlocked.
	Address(ctx context.Context, address string) (generation int64, err error)
}

// movesMax bounds how often a step is tried again because the blocklist has changed.
const movesMax = 100

// Unblocked takes a step that sets an address, with the number of the blocklist that allows it, and again where the list
// has changed meanwhile. A nil list allows all addresses, under the number 0.
func Unblocked(ctx context.Context, list Blocklist, address string, step func(checked int64) error) (err error) {
	if list == nil {
		return step(0)
	}
	for range movesMax {
		checked, err := list.Address(ctx, address)
		if err != nil {
			return err
		}
		if err = step(checked); !errors.Is(err, sandlot.ErrBlocksMoved) {
			return err
		}
	}
	return sandlot.Refuse(sandlot.CodeUnavailable, "The blocklist changed too often meanwhile. Nothing was changed.").With(sandlot.OpWait)
}
