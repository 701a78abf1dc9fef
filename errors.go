package sandlot

import (
	"errors"
	"fmt"
	"time"
)

// Code is the stable name of an error, the same in every transport and every release. It is itself an error, so that
// errors.Is(err, CodeRateLimited) reports whether err is an *Error of that code. Programs compare codes, and never
// messages.
type Code string

// Error returns the code's name.
func (c Code) Error() string { return string(c) }

// The codes, as the contract lists them.
const (
	CodeInvalidJSON          Code = "invalid_json"
	CodeInvalidField         Code = "invalid_field"
	CodeMissingField         Code = "missing_field"
	CodeEmailRequired        Code = "email_required"
	CodeInvalidEmail         Code = "invalid_email"
	CodeInvalidContent       Code = "invalid_content"
	CodeInvalidFilename      Code = "invalid_filename"
	CodeProjectIDRequired    Code = "project_id_required"
	CodeKeyNotInHeader       Code = "key_not_in_header"
	CodeKeyRequired          Code = "key_required"
	CodeInvalidKey           Code = "invalid_key"
	CodeWrongProject         Code = "wrong_project"
	CodeAccountKeyRequired   Code = "account_key_required"
	CodePublishClosed        Code = "publish_closed"
	CodeAccountSuspended     Code = "account_suspended"
	CodeProjectNotFound      Code = "project_not_found"
	CodeFileNotFound         Code = "file_not_found"
	CodeNoProjects           Code = "no_projects"
	CodeVersionNotFound      Code = "version_not_found"
	CodeNotFound             Code = "not_found"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodeUploadCompleted      Code = "upload_completed"
	CodeUploadExists         Code = "upload_exists"
	CodeRequestInProgress    Code = "request_in_progress"
	CodeReplayedElsewhere    Code = "replayed_elsewhere"
	CodeTicketUsed           Code = "ticket_used"
	CodeVersionConflict      Code = "version_conflict"
	CodeContentTooLarge      Code = "content_too_large"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodePrimaryFileProtected Code = "primary_file_protected"
	CodePart1First           Code = "part_1_first"
	CodePartOutOfRange       Code = "part_out_of_range"
	CodeFilenameConflict     Code = "filename_conflict"
	CodeDoubleEncoded        Code = "double_encoded"
	CodeDigestMismatch       Code = "digest_mismatch"
	CodeLooksDamaged         Code = "looks_damaged"
	CodeEditNotFound         Code = "edit_not_found"
	CodeEditAmbiguous        Code = "edit_ambiguous"
	CodeKeyInContent         Code = "key_in_content"
	CodeIdempotencyMismatch  Code = "idempotency_mismatch"
	CodeNoPrimaryFile        Code = "no_primary_file"
	CodeInvalidArchive       Code = "invalid_archive"
	CodeRateLimited          Code = "rate_limited"
	CodeQuotaExceeded        Code = "quota_exceeded"
	CodeTakenDown            Code = "taken_down"
	CodeHeld                 Code = "held"
	CodeBlocked              Code = "blocked"
	CodeRuntimeOff           Code = "runtime_off"
	CodePlaytestOff          Code = "playtest_off"
	CodePlayerRequired       Code = "player_required"
	CodeForeignOrigin        Code = "foreign_origin"
	CodeInvalidCode          Code = "invalid_code"
	CodeSaveNotFound         Code = "save_not_found"
	CodeBoardNotFound        Code = "board_not_found"
	CodeScoreRefused         Code = "score_refused"
	CodeTooEarly             Code = "too_early"
	CodeInternal             Code = "internal"
	CodeBlobCorrupt          Code = "blob_corrupt"
	CodeUnavailable          Code = "unavailable"
	CodeStorageFull          Code = "storage_full"
)

// Kind is the family of a code: it has all that a transport of any protocol needs to choose its status. Each code has
// one for ever.
type Kind int

// The kinds. A call that failed with one of the last four may succeed when it is sent again later.
const (
	KindMistake      Kind = iota + 1 // the call is wrong in itself
	KindUnidentified                 // the caller is not known
	KindForbidden                    // the caller may not do this
	KindMissing                      // it is about something that does not exist
	KindConflict                     // it conflicts with an earlier call
	KindTooLarge                     // it brings more than is ever accepted
	KindUnacceptable                 // it is well formed, but its content cannot be accepted
	KindTakenDown                    // it is about something that the operator has taken down
	KindTooMany                      // a limit or a quota is reached
	KindUnavailable                  // the service cannot do this now
	KindFull                         // the disk of the service is full
	KindFault                        // a fault of the service
)

// Codes has the kind of each code. The statuses of a transport are in a table of its own, and a test keeps the two in
// step. Nobody changes it.
var Codes = map[Code]Kind{
	CodeInvalidJSON:          KindMistake,
	CodeInvalidField:         KindMistake,
	CodeMissingField:         KindMistake,
	CodeEmailRequired:        KindMistake,
	CodeInvalidEmail:         KindMistake,
	CodeInvalidContent:       KindMistake,
	CodeInvalidFilename:      KindMistake,
	CodeProjectIDRequired:    KindMistake,
	CodeKeyNotInHeader:       KindMistake,
	CodeKeyRequired:          KindUnidentified,
	CodeInvalidKey:           KindUnidentified,
	CodeWrongProject:         KindForbidden,
	CodeAccountKeyRequired:   KindForbidden,
	CodeAccountSuspended:     KindForbidden,
	CodePublishClosed:        KindForbidden,
	CodeProjectNotFound:      KindMissing,
	CodeFileNotFound:         KindMissing,
	CodeNoProjects:           KindMissing,
	CodeVersionNotFound:      KindMissing,
	CodeNotFound:             KindMissing,
	CodeMethodNotAllowed:     KindMistake,
	CodeUploadCompleted:      KindConflict,
	CodeUploadExists:         KindConflict,
	CodeRequestInProgress:    KindConflict,
	CodeReplayedElsewhere:    KindConflict,
	CodeTicketUsed:           KindConflict,
	CodeVersionConflict:      KindConflict,
	CodeContentTooLarge:      KindTooLarge,
	CodeUnsupportedMediaType: KindMistake,
	CodePrimaryFileProtected: KindUnacceptable,
	CodePart1First:           KindUnacceptable,
	CodePartOutOfRange:       KindUnacceptable,
	CodeFilenameConflict:     KindUnacceptable,
	CodeDoubleEncoded:        KindUnacceptable,
	CodeDigestMismatch:       KindUnacceptable,
	CodeLooksDamaged:         KindUnacceptable,
	CodeEditNotFound:         KindUnacceptable,
	CodeEditAmbiguous:        KindUnacceptable,
	CodeKeyInContent:         KindUnacceptable,
	CodeIdempotencyMismatch:  KindUnacceptable,
	CodeNoPrimaryFile:        KindUnacceptable,
	CodeInvalidArchive:       KindUnacceptable,
	CodeRateLimited:          KindTooMany,
	CodeQuotaExceeded:        KindTooMany,
	CodeTakenDown:            KindTakenDown,
	CodeHeld:                 KindTakenDown,
	CodeBlocked:              KindForbidden,
	CodeRuntimeOff:           KindForbidden,
	CodePlaytestOff:          KindForbidden,
	CodePlayerRequired:       KindMistake,
	CodeForeignOrigin:        KindForbidden,
	CodeInvalidCode:          KindMistake,
	CodeSaveNotFound:         KindMissing,
	CodeBoardNotFound:        KindMissing,
	CodeScoreRefused:         KindUnacceptable,
	CodeTooEarly:             KindTooMany,
	CodeInternal:             KindFault,
	CodeBlobCorrupt:          KindFault,
	CodeUnavailable:          KindUnavailable,
	CodeStorageFull:          KindFull,
}

// Error is a refusal that is safe to show: it says what was wrong with this request and how to fix it. Any other error
// that a Service method returns is a fault of the service.
type Error struct {
	Code       Code
	Message    string
	Field      string        // the field of the request at fault, if one is
	Fix        Fix           // how to fix it
	RetryAfter time.Duration // when to try again, if that helps
	Details    []Detail      // further facts, by the names the API uses
	cause      error
}

// Detail is a fact about a refusal, such as the project an upload went to.
type Detail struct {
	Name  string
	Value any
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// Unwrap makes the code, and the cause if there is one, visible to errors.Is. A refusal for want of room is ErrFull,
// whichever part found it.
func (e *Error) Unwrap() []error {
	list := []error{e.Code}
	if e.cause != nil {
		list = append(list, e.cause)
	}
	if Codes[e.Code] == KindFull {
		list = append(list, ErrFull)
	}
	return list
}

// PlaceholderEmail stands in a proposed call for an address that only the user knows. A call that sends it is refused:
// an example that worked would tie the account to nobody.
const PlaceholderEmail = "<your e-mail>"

// PlaceholderText begins the placeholder, in a proposed call, for the text of a file; the file's name and ">" follow.
// It is refused as a text.
const PlaceholderText = "<text of "

// Arg is one argument of the proposed operation, under the operation's own name for it.
type Arg struct {
	Name  string
	Value any // string, int or bool
}

// Set returns an argument that a proposed call sets.
func Set(name string, value any) Arg { return Arg{Name: name, Value: value} }

// Fix is a corrected request: the operation and the arguments that differ. Note adds in a sentence the parts that the
// operation cannot express. A transport prints it in its own language; see package hint. The zero Fix proposes nothing.
type Fix struct {
	Op   Op
	Args []Arg
	Note string
	// Without names the arguments of the request that the corrected one leaves out, together with the Field at fault.
	Without []string
	// LeaveOut names the file that OpPack leaves out of the archive; empty: none.
	LeaveOut string
}

// Refuse returns an Error whose message is formatted from the remaining arguments. Transports use it for their own
// refusals. The message is shown as it is: it must hold no key, and text from a client only as inspect.Quoted returns
// it.
//
// The methods that follow change the Error and return it, so that they can be chained where it is made. It does not
// change after that.
func Refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// In sets the field at fault, by the operation's name for it.
func (e *Error) In(field string) *Error { e.Field = field; return e }

// With proposes an operation that would work, with these arguments.
func (e *Error) With(op Op, args ...Arg) *Error { e.Fix.Op, e.Fix.Args = op, args; return e }

// LeavingOut makes OpPack leave a file out of the archive.
func (e *Error) LeavingOut(name string) *Error { e.Fix.LeaveOut = name; return e }

// Note sets the sentence of the proposal, replacing an earlier one.
func (e *Error) Note(format string, args ...any) *Error {
	e.Fix.Note = fmt.Sprintf(format, args...)
	return e
}

// Detail adds a fact for programs: value is a string, an int, an int64,
// a bool or a list of strings or ints.
func (e *Error) Detail(name string, value any) *Error {
	e.Details = append(e.Details, Detail{name, value})
	return e
}

// After sets the earliest time to try again.
func (e *Error) After(d time.Duration) *Error { e.RetryAfter = d; return e }

// Because keeps the cause for errors.Is and the log; it is never shown.
func (e *Error) Because(err error) *Error { e.cause = err; return e }

// Cause returns the error that Because kept, or nil.
func (e *Error) Cause() error { return e.cause }

// AsError finds the Error in err, or makes one of a store's error: CodeBlobCorrupt, CodeStorageFull or CodeUnavailable,
// which says either that nothing was changed or that this is unknown. It returns nil for a fault of the service that no
// caller can act on, which is logged and answered with a fixed sentence.
func AsError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, ErrCorrupt):
		return Refuse(CodeBlobCorrupt, "This file is damaged on the server, so it isn't served.").
			Because(err).With(OpUpdate).
			Note("Send the file again with update; " +
				"the operator finds all damaged files with a check of the store.")
	case !errors.Is(err, ErrNoEffect) && (errors.Is(err, ErrFull) || errors.Is(err, ErrUnavailable)):
		return Refuse(CodeUnavailable, "The service cannot tell whether this was done.").
			Because(err).After(5 * time.Second).With(OpWait).
			Note("Look at the project before you send the request again; " +
				"with an idempotency key it is done once.")
	case errors.Is(err, ErrFull):
		return Refuse(CodeStorageFull, "The disk of this service is full. Nothing was changed.").
			Because(err).After(time.Minute).With(OpWait).Note("Send the same request again later; the operator has to make room.")
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrMoved), errors.Is(err, ErrUploadMoved), errors.Is(err, ErrAlreadyDone):
		return Refuse(CodeUnavailable, "The service cannot do this now. Nothing was changed.").
			Because(err).After(5 * time.Second).With(OpWait)
	}
	return nil
}

// Gone reports whether an error says that the project no longer exists, or that nobody may see it.
func Gone(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, CodeProjectNotFound) || errors.Is(err, CodeTakenDown) || errors.Is(err, CodeHeld)
}

// PlaceholderPart stands in a proposed call for the number of a part that only
// the client knows.
const PlaceholderPart = "<number of this part>"
