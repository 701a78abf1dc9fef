package api

import (
	"net/http"
	"slices"
	"testing"

	"sandlot"
)

// TestEveryCodeHasItsStatus which is one that its kind allows.
func TestEveryCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	allowed := map[sandlot.Kind][]int{
		sandlot.KindMistake:      {http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType},
		sandlot.KindUnidentified: {http.StatusUnauthorized},
		sandlot.KindForbidden:    {http.StatusForbidden},
		sandlot.KindMissing:      {http.StatusNotFound},
		sandlot.KindConflict:     {http.StatusConflict, http.StatusPreconditionFailed},
		sandlot.KindTooLarge:     {http.StatusRequestEntityTooLarge},
		sandlot.KindUnacceptable: {http.StatusUnprocessableEntity},
		sandlot.KindTakenDown:    {http.StatusUnavailableForLegalReasons},
		sandlot.KindTooMany:      {http.StatusTooManyRequests},
		sandlot.KindUnavailable:  {http.StatusServiceUnavailable},
		sandlot.KindFull:         {http.StatusInsufficientStorage},
		sandlot.KindFault:        {http.StatusInternalServerError},
	}
	for code, kind := range sandlot.Codes {
		if row, ok := codes[code]; !ok || row.about == "" || !slices.Contains(allowed[kind], row.status) {
			t.Errorf("%s is %+v here, which its kind does not allow", code, row)
		}
	}
	if len(codes) != len(sandlot.Codes) {
		t.Errorf("%d codes are answered, and there are %d", len(codes), len(sandlot.Codes))
	}
}
