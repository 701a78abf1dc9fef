package oauth

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // the engine of the program

	"sandlot/internal/testkit/expect"
)

// TestNoRegistrationLeavesARow, nor does a request that nobody decides.
func TestNoRegistrationLeavesARow(t *testing.T) {
	t.Parallel()
	registrations(t, 200)
}

func TestSoakTenThousandRegistrationsLeaveNoRow(t *testing.T) { registrations(t, 10_000) }

func registrations(t *testing.T, n int) {
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	before := s.rows(t)
	ids := make([]string, n)
	at(n, func(i int) {
		body := fmt.Sprintf(`{"client_name":"Agent %d","redirect_uris":["https://agent.example/%d"]}`, i, i)
		got, err := s.try(t, "POST", registerPath, body, "Content-Type", "application/json")
		if err != nil || got.status != http.StatusCreated {
			t.Errorf("registration %d: %v %d %s", i, err, got.status, got.text)
			return
		}
		_, rest, _ := strings.Cut(got.text, `"client_id":"`)
		ids[i], _, _ = strings.Cut(rest, `"`)
	})
	for i := range min(n, 20) {
		ada.ask(t, mine.request("state", fmt.Sprint(i)))
		ada.code(t, mine, "")
		one := program{s, ids[i], fmt.Sprintf("https://agent.example/%d", i), mine.verifier}
		expect.Contains(t, "the page of a registration", ada.ask(t, one.request()).text, fmt.Sprintf("Agent %d", i))
	}
	for table, count := range s.rows(t) {
		expect.Equal(t, "rows of "+table, count, before[table])
	}
}

// at does something for each number below n, some at a time.
func at(n int, do func(i int)) {
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := worker; i < n; i += 4 {
				do(i)
			}
		})
	}
	all.Wait()
}

// rows returns the number of rows of each table.
func (s *site) rows(t *testing.T) map[string]int {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.Data(), "sandlot.db")+"?mode=ro")
	expect.OK(t, err)
	defer db.Close()
	tables, err := db.QueryContext(t.Context(), "SELECT name FROM sqlite_master WHERE type = 'table'")
	expect.OK(t, err)
	var names []string
	for tables.Next() {
		var name string
		expect.OK(t, tables.Scan(&name))
		names = append(names, name)
	}
	expect.OK(t, tables.Err())
	counts := map[string]int{}
	for _, name := range names {
		var n int
		expect.OK(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM "`+name+`"`).Scan(&n))
		counts[name] = n
	}
	return counts
}

// TestSoakTenThousandRequestsOfDevicesAreLimited by the network that sends them: another is served meanwhile, and the table stays small.
func TestSoakTenThousandRequestsOfDevicesAreLimited(t *testing.T) {
	s := start(t, limited...)
	var mu sync.Mutex
	statuses := map[int]int{}
	at(10_000, func(int) {
		got, err := s.try(t, "POST", devicePath, "", "X-Forwarded-For", "203.0.113.7")
		if err != nil {
			t.Error(err)
			return
		}
		if got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") == "" {
			t.Errorf("429 without Retry-After: %s", got.text)
		}
		mu.Lock()
		defer mu.Unlock()
		statuses[got.status]++
	})
	t.Logf("answers: %v", statuses)
	if statuses[http.StatusOK] > 1500 || statuses[http.StatusTooManyRequests] < 8000 || len(statuses) != 2 {
		t.Errorf("10,000 requests of one network: %v", statuses)
	}
	got := s.send(t, "POST", devicePath, "", "X-Forwarded-For", "203.0.113.8")
	expect.Equal(t, "status for another network", got.status, http.StatusOK)
}

// TestSoakRefreshesAreLimited as other changes are: each leaves rows.
func TestSoakRefreshesAreLimited(t *testing.T) {
	s := start(t, limited...)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	of := ada.grant(t, mine, "")
	for n := 0; ; n++ {
		f := form("grant_type", "refresh_token", "refresh_token", of.Refresh, "client_id", mine.id)
		got := s.send(t, "POST", tokenPath, f.Encode(), "X-Forwarded-For", "203.0.113.7")
		if got.status == http.StatusTooManyRequests {
			t.Logf("refused after %d", n)
			break
		}
		if of = got.tokens(t); n > 1200 {
			t.Fatalf("%d refreshes at once", n)
		}
	}
	got := s.send(t, "POST", tokenPath, form("grant_type", "refresh_token", "refresh_token", of.Refresh, "client_id", mine.id).Encode())
	expect.Equal(t, "status for another network", got.status, http.StatusOK)
}
