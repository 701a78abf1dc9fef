package content

import "errors"

// A refusal is the first refusal of a body that is read on, if may allows that.
type refusal struct {
	may   func(error) bool
	first error
}

// putOff keeps err for the end, or returns it if the body is not to be read on.
func (r *refusal) putOff(err error) error {
	if err == nil || r.first == nil && (r.may == nil || !r.may(err)) {
		return err
	}
	if r.first == nil {
		r.first = err
	}
	return nil
}

// bounding reports whether err says that the body goes beyond a bound, or cannot be read: then nothing more is read.
func bounding(err error) bool {
	var e *Error
	return !errors.As(err, &e) || e.Reason == RestTooLarge || e.Reason == TooManyNames || e.Reason == UTF8 || e.Reason == BadMultipart
}
