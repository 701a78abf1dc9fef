package api

import (
	"strings"
	"testing"
)

// TestRegressionM18ATicketsAddressLeadsToItsTicket: neither a POST nor a key gets a ticket for another project.
func TestRegressionM18ATicketsAddressLeadsToItsTicket(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.js"})
	path := "/v1/uploads/" + at.str("upload_id")
	want := "\ncurl -T '<file>' -H 'Authorization: Bearer <ticket>' " + at.str("url")
	w.unchanged(func() {
		for _, got := range []answer{
			w.send("POST", path, at.str("ticket"), "x", lax), w.send("POST", path, w.account, "x", lax), w.send("POST", path, "", "x", lax),
			w.send("PUT", path, w.account, "x", lax), w.send("PUT", path, w.project, "x", lax), w.send("PUT", path, "", "x", lax),
		} {
			if got.status < 400 || got.status > 405 || !strings.HasSuffix(got.str("hint"), want) || strings.Count(got.str("hint"), "curl") != 1 {
				t.Errorf("%s", got.text)
			}
		}
		gone := w.send("PUT", path, "slt_"+strings.Repeat("a", 36), "x", lax)
		if !strings.HasSuffix(gone.str("hint"), "}'") || !strings.Contains(gone.str("hint"), "/v1/uploads ") {
			t.Errorf("a ticket that is none: %s", gone.text)
		}
	})
	w.bytes(at, "x").wants(200)
}
