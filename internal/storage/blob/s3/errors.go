package s3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"sandlot"
)

// fullCodes are the error codes of stores without room.
var fullCodes = []string{
	"QuotaExceeded", "InsufficientStorage", "InsufficientCapacity", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded",
	"StorageFull", "BucketQuotaExceeded",
}

// explained returns the meaning of an error of the SDK, without any secret. An error of ctx, of the caller, stays as it is,
// and so does one of the domain.
func (s *Store) explained(ctx context.Context, err error) error {
	if err == nil || isDomain(err) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	says, kind := s.meaning(err)
	return fmt.Errorf("%w: %s (%s)", kind, says, s.hideKeys(detail(err)))
}

func isDomain(err error) bool {
	return errors.Is(err, sandlot.ErrNotFound) || errors.Is(err, sandlot.ErrCorrupt) ||
		errors.Is(err, sandlot.ErrUnavailable) || errors.Is(err, sandlot.ErrFull)
}

// meaning returns a sentence for the log, and the matching error of the domain.
func (s *Store) meaning(err error) (says string, kind error) {
	code, status := codeOf(err), statusOf(err)
	late, timed := errors.AsType[net.Error](err)
	bucket := "the bucket " + s.config.Bucket
	switch {
	case code == "NoSuchKey":
		return "no such object in " + bucket, sandlot.ErrNotFound
	case code == "NoSuchBucket":
		return bucket + " does not exist", sandlot.ErrUnavailable
	case slices.Contains(fullCodes, code) || status == http.StatusInsufficientStorage:
		return bucket + " has no room", sandlot.ErrFull
	case isDenied(err):
		return "the keys may not do this in " + bucket + ": they are wrong, or may only read", sandlot.ErrUnavailable
	case status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
		return "the store of " + bucket + " is overloaded", sandlot.ErrUnavailable
	case errors.Is(err, context.Canceled) || errors.Is(err, errStalled) || timed && late.Timeout():
		return "the store of " + bucket + " did not answer in time", sandlot.ErrUnavailable
	case status != 0:
		return "the store of " + bucket + fmt.Sprintf(" answers with status %d", status), sandlot.ErrUnavailable
	}
	return "the store of " + bucket + " cannot be reached", sandlot.ErrUnavailable
}

// isDenied reports whether the store refuses the call to these keys.
func isDenied(err error) bool {
	status := statusOf(err)
	return codeOf(err) == "AccessDenied" || status == http.StatusForbidden || status == http.StatusUnauthorized
}

func codeOf(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	return ""
}

// isMissing reports whether the object is missing. No other answer with status 404 shows that: a wrong endpoint gives
// one, and a missing bucket.
func isMissing(err error) bool { return codeOf(err) == "NoSuchKey" }

func statusOf(err error) int {
	if answer, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return answer.HTTPStatusCode()
	}
	return 0
}

// detailLength bounds the text of a store in a log.
const detailLength = 300

// detail returns the text of the store or the network.
func detail(err error) string {
	text := err.Error()
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		text = api.ErrorCode() + ": " + api.ErrorMessage()
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?")
	if len(text) > detailLength {
		text = strings.ToValidUTF8(text[:detailLength], "") + "..."
	}
	return text
}

// hideKeys removes the credentials from a text.
func (s *Store) hideKeys(text string) string {
	known, cancel := context.WithCancel(context.Background())
	cancel() // the known keys, without a request for new ones
	keys, err := s.keys.Retrieve(known)
	if err != nil {
		return "what it said is not shown, for its keys are not known any more"
	}
	for _, secret := range []string{keys.SecretAccessKey, keys.SessionToken, keys.AccessKeyID} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "(hidden)")
		}
	}
	return text
}
