package ticket_test

import (
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/testkit/testworld"
)

// TestWhoIsLetInToTickets calls every method of the Service as every kind of caller: who may make a call may ask for a ticket to it, but for
// sessions and the operator, who have pages and commands; and only a caller with a ticket learns its purpose.
func TestWhoIsLetInToTickets(t *testing.T) {
	t.Parallel()
	wants := map[string]map[string]error{
		"active":                      {"the project's key": sandlot.CodeAccountKeyRequired, "the key of another project": sandlot.CodeAccountKeyRequired},
		"account suspended":           {"the account's key": sandlot.CodeAccountSuspended, "the project's key": sandlot.CodeAccountSuspended, "the key of another project": sandlot.CodeAccountSuspended, "the owner's session": sandlot.CodeAccountSuspended},
		"account suspended meanwhile": {"the project's key": sandlot.CodeAccountKeyRequired, "the key of another project": sandlot.CodeAccountKeyRequired},
	}
	wants["project suspended"] = wants["active"]
	testworld.CheckAccess(t, reflect.TypeFor[*ticket.Service](), nil, map[string]testworld.Gate{
		"Issue": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Tickets.Issue(t.Context(), by, ticket.Told{Email: "max@example.org"})
				return err
			},
			Want: func(seen testworld.Seen) error {
				if err, ok := wants[seen.State][seen.Who]; ok {
					return err
				}
				switch seen.Who {
				case "the owner's session", "another's session", "the operator":
					return sandlot.CodeKeyRequired
				}
				return nil
			},
		},
		"Call": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Tickets.Call(t.Context(), by, "00")
				return err
			},
			Want: func(testworld.Seen) error { return sandlot.CodeInvalidKey },
		},
	})
}
