package sandlot

import (
	"errors"
)

// The errors of a store or Blobs that cannot do a step.
var (
	// ErrNotFound: there is no such record.
	ErrNotFound = errors.New("not found")
	// ErrMoved: the record is no longer at the version or generation that the step was computed against.
	ErrMoved = errors.New("moved on")
	// ErrUploadMoved: the upload is over, expired, or no longer at the generation that the step was
	// computed against.
	ErrUploadMoved = errors.New("upload moved on")
	// ErrLeased: somebody else holds the lease.
	ErrLeased = errors.New("leased to another")
	// ErrExists: a record of that name is there already.
	ErrExists = errors.New("exists already")
	// ErrAlreadyDone: the same IdempotencyRecord.Key or Elsewhere has a step already, and its record has not expired.
	ErrAlreadyDone = errors.New("made already")
	// ErrVerified: the account has verified an address, which an unverified one does not replace.
	ErrVerified = errors.New("has a verified address")
	// ErrTooOften: a limit within its window of time is reached.
	ErrTooOften = errors.New("too often")
	// ErrRevoked, ErrSuspended: the caller's key was revoked since it was looked up, or the account or project to be
	// changed is suspended.
	ErrRevoked   = errors.New("key revoked")
	ErrSuspended = errors.New("suspended")
	// ErrBlocksMoved: the blocklist has changed since the step was checked against it.
	ErrBlocksMoved = errors.New("blocklist has changed")
	// ErrTooManyProjects, ErrTooManyBytes: an account would have more than its quota.
	ErrTooManyProjects = errors.New("too many projects")
	ErrTooManyBytes    = errors.New("too many bytes")
	// ErrTooManyUploads: an account or a network would have more open uploads than its limit.
	ErrTooManyUploads = errors.New("too many open uploads")
	// ErrNoPrimary: a version would lack its primary file.
	ErrNoPrimary = errors.New("no primary file")
	// ErrFull: the disk has no room; the step works again once it has.
	ErrFull = errors.New("storage full")
	// ErrUnavailable: the store cannot work now. ErrNoEffect says whether the step had its effect.
	ErrUnavailable = errors.New("store unavailable")
	// ErrCorrupt: stored bytes do not match their hash.
	ErrCorrupt = errors.New("stored bytes are damaged")
)

// ErrNoEffect: the step certainly changed nothing, now and after a crash. It comes with the
// error that says why. Without it a failed step may have had its effect: the connection broke
// before the answer, or a sync failed.
var ErrNoEffect = errors.New("nothing was changed")

// NoEffect marks the error of a step that certainly changed nothing. errors.Is and errors.As still find err. It returns
// nil for nil.
func NoEffect(err error) error {
	if err == nil {
		return nil
	}
	return noEffect{err}
}

// noEffect is an error that is ErrNoEffect as well.
type noEffect struct{ error }

func (e noEffect) Unwrap() error        { return e.error }
func (e noEffect) Is(target error) bool { return target == ErrNoEffect }

// EvenFull runs a step that frees room or protects people, on a full disk too: spend frees the reserve for such steps;
// nil means that there is no reserve.
func EvenFull(spend func(), step func() error) error {
	err := step()
	if !errors.Is(err, ErrFull) || spend == nil {
		return err
	}
	spend()
	return step()
}
