package api

import (
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// CallerOf returns the caller of a request by its Authorization header, as every call of the API has it: nobody without
// one. A wrong key is counted, and refused.
func CallerOf(r *http.Request, limits *admission.Limits) (sandlot.Caller, error) {
	origin := admission.From(r.RemoteAddr, sandlot.Caller{})
	key, sent, err := bearer(r.Header)
	if err != nil || !sent {
		return sandlot.Caller{From: limits.Sender(origin)}, err
	}
	return limits.Identify(r.Context(), origin, sandlot.Presented{Key: key})
}
