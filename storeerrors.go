package sandlot

import (
	"errors"
)

// What a store or Blobs answers when it cannot do a step.
var (
	// ErrNotFound: there is no such record.
	ErrNotFound = errors.New("not found")
	// ErrMoved: the record is no longer at the version or generation that the step was computed against.
	ErrMoved = errors.New("moved on")
	// ErrUploadMoved: the upload is over, expired, or no longer at the generation that the step was
	// computed against.
	ErrUploadMoved = errors.New("upload moved on")
	// ErrLeased: somebody else is at it.
	ErrLeased = errors.New("leased to another")
	// ErrExists: a record of that name is there already.
	ErrExists = errors.New("exists already")
	// ErrAlreadyDone: a step was made under the same IdempotencyRecord.Key or Elsewhere already,
	// and its record has not expired.
	ErrAlreadyDone = errors.New("made already")
	// ErrVerified: the account has verified an address, which an unverified one does not replace.
	ErrVerified = errors.New("has a verified address")
	// ErrTooOften: something was done as often as it may be within its window of time.
	ErrTooOften = errors.New("too often")
	// ErrRevoked, ErrSuspended: the key that asks was revoked since it was looked up, or what is to
	// be changed is suspended.
	ErrRevoked   = errors.New("key revoked")
	ErrSuspended = errors.New("suspended")
	// ErrTooManyProjects, ErrTooManyBytes: an account would have more than it may.
	ErrTooManyProjects = errors.New("too many projects")
	ErrTooManyBytes    = errors.New("too many bytes")
	// ErrTooManyUploads: an account or a network would have more open uploads than it may.
	ErrTooManyUploads = errors.New("too many open uploads")
	// ErrNoPrimary: a version would lack its primary file.
	ErrNoPrimary = errors.New("no primary file")
	// ErrFull: the disk has no room; it works again once there is.
	ErrFull = errors.New("storage full")
	// ErrUnavailable: the store cannot work now. Whether the step had its effect ErrNoEffect tells.
	ErrUnavailable = errors.New("store unavailable")
	// ErrCorrupt: stored bytes are not those that were stored.
	ErrCorrupt = errors.New("stored bytes are damaged")
)

// ErrNoEffect: the step certainly changed nothing, now and after a crash. It comes with the
// error that says why. Without it a failed step may have had its effect: the connection broke
// before the answer, or a sync failed.
var ErrNoEffect = errors.New("nothing was changed")

// NoEffect marks the error of a step that certainly changed nothing. errors.Is and errors.As
// still find what err is. It keeps nil.
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

// EvenFull takes a step that frees room or protects people, on a full disk too: spend frees what is kept there for such steps; nil: nothing is.
func EvenFull(spend func(), step func() error) error {
	err := step()
	if !errors.Is(err, ErrFull) || spend == nil {
		return err
	}
	spend()
	return step()
}

// Follow is handed what a step of a store changed, and the error of the step, before the step returns. It returns
// that error. A nil Follow does nothing else. It may be called concurrently.
type Follow func(Changed, error) error

// After hands a step's result to f.
func (f Follow) After(c Changed, err error) error {
	if f == nil {
		return err
	}
	return f(c, err)
}
