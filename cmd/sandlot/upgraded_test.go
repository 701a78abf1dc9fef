package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestASchemaThatIsAhead: the release after has brought the schema up to date, beside this program. This one goes on, and starts, if that only
// expanded it, and by one; otherwise it does not start, changes nothing, and says what to do.
func TestASchemaThatIsAhead(t *testing.T) {
	t.Parallel()
	set := fullSet(t)
	bin := testenv.Binary(t)
	beside := testenv.Start(t, bin, set...)
	key := signUp(t, beside)
	ahead := func(expands bool, change string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), set[1])
		expect.OK(t, err)
		defer conn.Close(t.Context())
		for _, query := range []string{
			change,
			fmt.Sprintf(`INSERT INTO migrations (n, name, sha256, expands, applied_at)
				SELECT max(n) + 1, 'later.sql', sha256(convert_to(max(n)::text, 'UTF8')), %v, 0 FROM migrations`, expands),
		} {
			_, err := conn.Exec(t.Context(), query)
			expect.OK(t, err)
		}
	}
	works := func(s *testenv.Server, word string) {
		t.Helper()
		made, err := apiOf(s, key).Publish(t.Context(), client.Fields{Title: word}, strings.NewReader("<p>"+word))
		expect.OK(t, err)
		big := bigFile(word)
		_, err = apiOf(s, key).Update(t.Context(), client.Fields{ProjectID: made.ProjectID, Filename: "big.bin"}, bytes.NewReader(big))
		expect.OK(t, err)
		sees(t, s, "http://"+made.ProjectID+".localhost/big.bin", http.StatusOK, big)
		testenv.Eventually(t, within, "it is found", func() bool {
			_, list := open(t, s, "http://localhost/?q="+word)
			return strings.Contains(string(list), made.ProjectID)
		})
		if status, body := open(t, s, s.URL()+"/readyz"); status != http.StatusOK {
			t.Errorf("readyz is %d: %s", status, body)
		}
	}
	refused := func(name string) {
		t.Helper()
		for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"admin", "list"}, {"verify"}} {
			out, err := exec.Command(bin, slices.Concat(command, []string{"--data", t.TempDir()}, set[:4])...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "was written by a newer sandlot") || !strings.Contains(string(out), "nothing was changed, start the newer one") {
				t.Errorf("%s on %s: %v\n%s", command[0], name, err, out)
			}
		}
	}

	works(beside, "before")
	ahead(true, "ALTER TABLE projects ADD COLUMN later TEXT NOT NULL DEFAULT ''; CREATE TABLE later (n BIGINT PRIMARY KEY)")
	works(beside, "beside")
	behind := testenv.Start(t, bin, set...)
	works(behind, "behind")
	if out, err := exec.Command(bin, append([]string{"admin", "list"}, set[:4]...)...).CombinedOutput(); err != nil {
		t.Errorf("admin list: %v\n%s", err, out)
	}
	ahead(true, "ALTER TABLE accounts ADD COLUMN later TEXT NOT NULL DEFAULT ''")
	refused("a schema that is two ahead")
	works(beside, "still")

	conn, err := pgx.Connect(t.Context(), set[1])
	expect.OK(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "DELETE FROM migrations WHERE n = (SELECT max(n) FROM migrations)")
	expect.OK(t, err)
	behind.Restart(t)
	_, err = conn.Exec(t.Context(), "UPDATE migrations SET expands = false WHERE n = (SELECT max(n) FROM migrations)")
	expect.OK(t, err)
	refused("a schema that did more than expand")
	works(behind, "going")
}
