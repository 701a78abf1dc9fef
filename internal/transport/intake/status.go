package intake

import (
	"net/http"

	"sandlot"
)

// statuses has the status of each kind of error. It never changes.
var statuses = map[sandlot.Kind]int{
	sandlot.KindMistake:      http.StatusBadRequest,
	sandlot.KindUnidentified: http.StatusUnauthorized,
	sandlot.KindForbidden:    http.StatusForbidden,
	sandlot.KindMissing:      http.StatusNotFound,
	sandlot.KindConflict:     http.StatusConflict,
	sandlot.KindTooLarge:     http.StatusRequestEntityTooLarge,
	sandlot.KindUnacceptable: http.StatusUnprocessableEntity,
	sandlot.KindTakenDown:    http.StatusUnavailableForLegalReasons,
	sandlot.KindTooMany:      http.StatusTooManyRequests,
	sandlot.KindUnavailable:  http.StatusServiceUnavailable,
	sandlot.KindFull:         http.StatusInsufficientStorage,
	sandlot.KindFault:        http.StatusInternalServerError,
}

// StatusOf returns the HTTP status of a code.
func StatusOf(code sandlot.Code) int {
	switch code {
	case sandlot.CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case sandlot.CodeUnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case sandlot.CodeVersionConflict:
		return http.StatusPreconditionFailed
	}
	return statuses[sandlot.Codes[code]]
}
