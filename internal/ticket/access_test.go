package ticket_test

import (
	"reflect"
	"testing"

	"sandlot/internal/publish"
	"sandlot/internal/testworld"
	"sandlot/internal/ticket"
)

// TestWhoIsLetInToTickets calls every method of the Service as every kind of caller: who may make a call may ask for a ticket to it, but for
// sessions and the operator, who have pages and commands; and nobody but who presents a ticket is told what it is for.
func TestWhoIsLetInToTickets(t *testing.T) {
	t.Parallel()
	wants := map[string]map[string]error{
		"active":                      {"the project's key": publish.CodeAccountKeyRequired, "the key of another project": publish.CodeAccountKeyRequired},
		"account suspended":           {"the account's key": publish.CodeAccountSuspended, "the project's key": publish.CodeAccountSuspended, "the key of another project": publish.CodeAccountSuspended, "the owner's session": publish.CodeAccountSuspended},
		"account suspended meanwhile": {"the project's key": publish.CodeAccountKeyRequired, "the key of another project": publish.CodeAccountKeyRequired},
	}
	wants["project suspended"] = wants["active"]
	testworld.CheckAccess(t, reflect.TypeFor[*ticket.Service](), nil, map[string]testworld.Gate{
		"Issue": {
			Call: func(s *testworld.Scene, by publish.Caller) error {
				_, err := s.Tickets.Issue(t.Context(), by, ticket.Told{Email: "max@example.org"})
				return err
			},
			Want: func(seen testworld.Seen) error {
				if err, ok := wants[seen.State][seen.Who]; ok {
					return err
				}
				switch seen.Who {
				case "the owner's session", "another's session", "the operator":
					return publish.CodeKeyRequired
				}
				return nil
			},
		},
		"Call": {
			Call: func(s *testworld.Scene, by publish.Caller) error {
				_, err := s.Tickets.Call(t.Context(), by, "00")
				return err
			},
			Want: func(testworld.Seen) error { return publish.CodeInvalidKey },
		},
	})
}
