package api

import (
	"net/http"
	"slices"
	"testing"

	"sandlot/internal/publish"
)

// TestEveryCodeHasItsStatus which is one that its kind allows.
func TestEveryCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	allowed := map[publish.Kind][]int{
		publish.KindMistake:      {http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType},
		publish.KindUnidentified: {http.StatusUnauthorized},
		publish.KindForbidden:    {http.StatusForbidden},
		publish.KindMissing:      {http.StatusNotFound},
		publish.KindConflict:     {http.StatusConflict, http.StatusPreconditionFailed},
		publish.KindTooLarge:     {http.StatusRequestEntityTooLarge},
		publish.KindUnacceptable: {http.StatusUnprocessableEntity},
		publish.KindTakenDown:    {http.StatusUnavailableForLegalReasons},
		publish.KindTooMany:      {http.StatusTooManyRequests},
		publish.KindUnavailable:  {http.StatusServiceUnavailable},
		publish.KindFull:         {http.StatusInsufficientStorage},
		publish.KindFault:        {http.StatusInternalServerError},
	}
	for code, kind := range publish.Codes {
		if row, ok := codes[code]; !ok || row.about == "" || !slices.Contains(allowed[kind], row.status) {
			t.Errorf("%s is %+v here, which its kind does not allow", code, row)
		}
	}
	if len(codes) != len(publish.Codes) {
		t.Errorf("%d codes are answered, and there are %d", len(codes), len(publish.Codes))
	}
}
