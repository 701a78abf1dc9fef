package publish

import (
	"errors"
	"fmt"
	"time"
)

// Code is the stable name of an error, the same in every transport and every
// release. It is itself an error, so that errors.Is(err, CodeRateLimited) works.
type Code string

// Error gives the code's name.
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
	CodeNotFound             Code = "not_found"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodeUploadCompleted      Code = "upload_completed"
	CodeUploadExists         Code = "upload_exists"
	CodeRequestInProgress    Code = "request_in_progress"
	CodeReplayedElsewhere    Code = "replayed_elsewhere"
	CodeVersionConflict      Code = "version_conflict"
	CodeContentTooLarge      Code = "content_too_large"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodePrimaryFileProtected Code = "primary_file_protected"
	CodePart1First           Code = "part_1_first"
	CodePartOutOfRange       Code = "part_out_of_range"
	CodeFilenameConflict     Code = "filename_conflict"
	CodeDoubleEncoded        Code = "double_encoded"
	CodeDigestMismatch       Code = "digest_mismatch"
	CodeKeyInContent         Code = "key_in_content"
	CodeIdempotencyMismatch  Code = "idempotency_mismatch"
	CodeRateLimited          Code = "rate_limited"
	CodeQuotaExceeded        Code = "quota_exceeded"
	CodeTakenDown            Code = "taken_down"
	CodeInternal             Code = "internal"
	CodeBlobCorrupt          Code = "blob_corrupt"
	CodeUnavailable          Code = "unavailable"
	CodeStorageFull          Code = "storage_full"
)

// Kind is the family of a code: what a transport needs to know to answer.
type Kind struct {
	Status int    // HTTP
	Exit   int    // of a command line: 2 wrong call, 3 refused, 4 not there, 5 try again, 6 ours
	About  string // one line for the documentation
}

// Codes is the one table of all codes. A test compares it with the documents.
var Codes = map[Code]Kind{
	CodeInvalidJSON:          {400, 2, "the body is not one well-formed JSON object (or form) within the limits"},
	CodeInvalidField:         {400, 2, "a field has the wrong type or a value that is not allowed"},
	CodeMissingField:         {400, 2, "a required field is missing"},
	CodeEmailRequired:        {400, 2, "a first publish without a key needs an email"},
	CodeInvalidEmail:         {400, 2, "the email is not one plain address"},
	CodeInvalidContent:       {400, 2, "content is not the base64 or gzip it should be"},
	CodeInvalidFilename:      {400, 2, "the filename cannot be used"},
	CodeProjectIDRequired:    {400, 2, "project_id is empty, or is missing with a project key"},
	CodeKeyNotInHeader:       {400, 2, "a key was sent outside the Authorization header; rotate it"},
	CodeKeyRequired:          {401, 3, "the call needs a key"},
	CodeInvalidKey:           {401, 3, "the key is mistyped, unknown or revoked"},
	CodeWrongProject:         {403, 3, "the key does not cover this project"},
	CodeAccountKeyRequired:   {403, 3, "a project key cannot publish a new project"},
	CodeAccountSuspended:     {403, 3, "the operator has suspended the account; it can still read and export"},
	CodePublishClosed:        {403, 3, "this instance takes no new projects, or none without a key"},
	CodeProjectNotFound:      {404, 4, "there is no such project"},
	CodeFileNotFound:         {404, 4, "the project has no such file"},
	CodeNoProjects:           {404, 4, "the account has no project yet"},
	CodeNotFound:             {404, 4, "there is no such path"},
	CodeMethodNotAllowed:     {405, 2, "the path does not support this method"},
	CodeUploadCompleted:      {409, 3, "the upload is already complete; the response names its project"},
	CodeUploadExists:         {409, 3, "an upload with this id is in progress; choose another id"},
	CodeRequestInProgress:    {409, 5, "the same request is still in progress"},
	CodeReplayedElsewhere:    {409, 3, "the same request was made from another network; its keys are not shown again"},
	CodeVersionConflict:      {412, 3, "the project has a newer version; nothing changed"},
	CodeContentTooLarge:      {413, 3, "the content is larger than the limit"},
	CodeUnsupportedMediaType: {415, 2, "the body has an unsupported type or encoding"},
	CodePrimaryFileProtected: {422, 3, "index.html and the primary file cannot be deleted"},
	CodePart1First:           {422, 3, "part 1 of the upload has not been accepted"},
	CodePartOutOfRange:       {422, 3, "the part is above total_parts, or total_parts was changed"},
	CodeFilenameConflict:     {422, 3, "the name clashes with another file (as a folder, or in another case)"},
	CodeDoubleEncoded:        {422, 3, "the HTML file is still encoded"},
	CodeDigestMismatch:       {422, 3, "the bytes that arrived do not have the declared size or sha256"},
	CodeKeyInContent:         {422, 3, "a text file holds one of the service's own keys"},
	CodeIdempotencyMismatch:  {422, 3, "the Idempotency-Key was already used for a different request"},
	CodeRateLimited:          {429, 5, "too many requests; retry after Retry-After"},
	CodeQuotaExceeded:        {429, 5, "a quota is used up"},
	CodeTakenDown:            {451, 3, "the operator has taken the project down"},
	CodeInternal:             {500, 6, "a fault of the service"},
	CodeBlobCorrupt:          {500, 6, "the stored bytes of this file are damaged"},
	CodeUnavailable:          {503, 5, "the service cannot do this now"},
	CodeStorageFull:          {507, 5, "the disk of the service is full; nothing was changed"},
}

// Error is a refusal that is safe to show: it says what was wrong with this
// request and how to mend it. Everything else that a Service method returns is
// a fault of the service.
type Error struct {
	Code       Code
	Message    string
	Field      string        // the field of the request at fault, if one is
	Fix        Fix           // how to mend it
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

// Unwrap makes the code, and the cause if there is one, visible to errors.Is.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.cause}
}

// Op is the operation that a Fix proposes. Each transport prints it in its own
// language: the API as a call that can be pasted, a command line as a command.
type Op string

// The operations a Fix can name.
const (
	OpNone       Op = ""
	OpSame       Op = "same" // the operation of the request, with its own arguments but for the Args, and without the Field at fault
	OpPublish    Op = "publish"
	OpUpdate     Op = "update"
	OpDeleteFile Op = "delete-file"
	OpSignup     Op = "signup"
	OpProject    Op = "project"
	OpStats      Op = "stats"
	OpWhoami     Op = "whoami"
	OpExport     Op = "export"
	OpHeader     Op = "header"  // send the key in the Authorization header
	OpEncode     Op = "encode"  // encode the file with a command
	OpRotate     Op = "rotate"  // the key has leaked: mint another, revoke this one
	OpWait       Op = "wait"    // send the same again later
	OpNothing    Op = "nothing" // no call mends it; the Note says what does
)

// PlaceholderEmail stands in a proposed call for an address that only the user
// knows. It is refused where it is sent: an example that worked would tie the
// account to nobody.
const PlaceholderEmail = "<your e-mail>"

// Arg is one argument of the proposed operation.
type Arg struct {
	Name  string
	Value any // string, int or bool
}

// Fix is a corrected request. Note says in a sentence what the operation does
// not.
type Fix struct {
	Op   Op
	Args []Arg
	Note string
	// Without names arguments of the request that the corrected one leaves out, beside the Field at fault.
	Without []string
}

// Refuse makes an Error. Transports use it for what they refuse themselves.
func Refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// In names the field at fault.
func (e *Error) In(field string) *Error { e.Field = field; return e }

// With proposes an operation that would work.
func (e *Error) With(op Op, args ...Arg) *Error { e.Fix.Op, e.Fix.Args = op, args; return e }

// Note adds a sentence to the proposal.
func (e *Error) Note(format string, args ...any) *Error {
	e.Fix.Note = fmt.Sprintf(format, args...)
	return e
}

// Detail adds a fact.
func (e *Error) Detail(name string, value any) *Error {
	e.Details = append(e.Details, Detail{name, value})
	return e
}

// After says when to try again.
func (e *Error) After(d time.Duration) *Error { e.RetryAfter = d; return e }

// Because keeps the cause for errors.Is and the log; it is never shown.
func (e *Error) Because(err error) *Error { e.cause = err; return e }

// Cause is what Because kept, or nil.
func (e *Error) Cause() error { return e.cause }

// AsError finds the Error in err, or makes one of what a store answered. It
// returns nil for a fault of the service that no caller can act on.
func AsError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, ErrCorrupt):
		return Refuse(CodeBlobCorrupt, "This file is damaged on the server, so it isn't served.").
			Because(err).With(OpUpdate).Note("Send the file again with /v1/update; the operator finds all damaged files with a check of the store.")
	case !errors.Is(err, ErrNoEffect) && (errors.Is(err, ErrFull) || errors.Is(err, ErrUnavailable)):
		return Refuse(CodeUnavailable, "The service cannot tell whether this was done.").
			Because(err).After(5 * time.Second).With(OpWait).Note("Look at the project before you send the request again; with an Idempotency-Key it is done once.")
	case errors.Is(err, ErrFull):
		return Refuse(CodeStorageFull, "The disk of this service is full. Nothing was changed.").
			Because(err).After(time.Minute).With(OpWait).Note("Send the same request again later; the operator has to make room.")
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrMoved), errors.Is(err, ErrUploadMoved), errors.Is(err, ErrRepeated):
		return Refuse(CodeUnavailable, "The service cannot do this now. Nothing was changed.").
			Because(err).After(5 * time.Second).With(OpWait).Note("Send the same request again after the time in Retry-After.")
	}
	return nil
}
