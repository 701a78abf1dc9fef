package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// answers are what a service says to all that can be asked of it, by question.
type answers map[string]any

// answersOf asks, as the owners of some keys and as nobody.
func answersOf(t *testing.T, s *testenv.Server, keys, searches []string) answers {
	t.Helper()
	all := answers{}
	asked := func(question, address, key string) any {
		req, err := http.NewRequest(http.MethodGet, address, http.NoBody)
		expect.OK(t, err)
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		resp, err := s.Client().Do(req)
		expect.OK(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		expect.OK(t, err)
		kind := resp.Header.Get("Content-Type")
		told := map[string]any{"status": float64(resp.StatusCode), "type": kind}
		switch {
		case resp.StatusCode != http.StatusOK: // and in which words may change, too
		case strings.HasPrefix(question, "page"): // whose words may be others in the next release
			told["projects"] = idsIn(body)
			if strings.Contains(address, "/p/") { // it leads on to others, which each release may choose as it likes
				told["projects"] = told["projects"].([]any)[:1]
			}
		case kind == "application/json":
			var fields any
			expect.OK(t, json.Unmarshal(body, &fields))
			told["body"] = fields
		case kind == "application/zip":
			told["body"] = unzipped(t, body)
		default:
			told["tag"], told["body"] = resp.Header.Get("ETag"), string(body)
		}
		all[question] = told
		return told["body"]
	}
	api := s.URL() + "/v1/"
	var addresses []string // they come last, for they are played
	for i, key := range keys {
		mine := fmt.Sprint("owner ", i, ": ")
		asked(mine+"export", api+"export", key)
		who, _ := asked(mine+"whoami", api+"whoami?limit=1000", key).(map[string]any)
		list, _ := who["projects"].([]any)
		for _, p := range list {
			id, _ := p.(map[string]any)["project_id"].(string)
			asked(mine+id, api+"project/"+id+"?content=all", key)
			asked(id, api+"project/"+id, "")
			asked(id+" stats", api+"project/"+id+"/stats", "")
			asked("page of "+id, "http://"+upgradedBase+"/p/"+id, "")
			project, _ := all[mine+id].(map[string]any)["body"].(map[string]any)
			files, _ := project["files"].([]any)
			for _, f := range files {
				at, _ := f.(map[string]any)["url"].(string)
				addresses = append(addresses, at)
			}
			at, _ := project["url"].(string)
			addresses = append(addresses, at)
		}
		asked("page of owner "+fmt.Sprint(i), fmt.Sprintf("http://%s/@%s", upgradedBase, who["handle"]), "")
	}
	asked("page of all", "http://"+upgradedBase+"/?sort=newest", "")
	for _, q := range searches {
		asked("page of what is found by "+q, "http://"+upgradedBase+"/?q="+q, "")
	}
	for _, at := range addresses {
		asked(at, at, "")
	}
	return all
}

var projectLink = regexp.MustCompile(`/p/([a-z0-9-]+)`)

// idsIn are the projects that a page links to, in their order, without those of others that it ends with.
func idsIn(page []byte) (ids []any) {
	page, _, _ = bytes.Cut(page, []byte(`aria-labelledby="others"`))
	for _, m := range projectLink.FindAllSubmatch(page, -1) {
		ids = append(ids, string(m[1]))
	}
	return ids
}

func unzipped(t *testing.T, body []byte) any {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	expect.OK(t, err)
	files := map[string]any{}
	for _, f := range archive.File {
		r, err := f.Open()
		expect.OK(t, err)
		data, err := io.ReadAll(r)
		expect.OK(t, err)
		if strings.HasSuffix(f.Name, ".json") && json.Valid(data) {
			var fields any
			expect.OK(t, json.Unmarshal(data, &fields))
			files[f.Name] = fields
		} else {
			files[f.Name] = string(data)
		}
	}
	return files
}

// ofTheMoment are fields that tell when they were asked for. One whose meaning a release changes on purpose belongs here until the next
// migration.
var ofTheMoment = []string{"as_of", "exported_at", "last_used_at"}

// differences tells where the later answer lacks something of the earlier one. What it has beside is new.
func differences(at string, before, after any) (list []string) {
	switch before := before.(type) {
	case map[string]any:
		later, ok := after.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %v", at, after)}
		}
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if !slices.Contains(ofTheMoment, name) {
				list = append(list, differences(at+" › "+name, before[name], later[name])...)
			}
		}
	case []any:
		later, _ := after.([]any)
		if len(later) != len(before) {
			return []string{fmt.Sprintf("%s has %d entries and had %d: %.200v", at, len(later), len(before), after)}
		}
		for i := range before {
			list = append(list, differences(fmt.Sprint(at, " ", i), before[i], later[i])...)
		}
	default:
		if !reflect.DeepEqual(before, after) {
			list = append(list, fmt.Sprintf("%s was %.200q and is %.200q", at, fmt.Sprint(before), fmt.Sprint(after)))
		}
	}
	return list
}

// TestSoakADataFolderOfTheReleaseBeforeIsServedAsItWas: every answer, and what is found.
func TestSoakADataFolderOfTheReleaseBeforeIsServedAsItWas(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	old := previous(t)
	if old == nil {
		return
	}
	data := t.TempDir()
	start := func(bin string) *testenv.Server {
		return testenv.Start(t, bin, "--data", data, "--base-url", "http://"+upgradedBase, "--trusted-proxies", "127.0.0.1")
	}
	s := start(old.bin)
	var keys []string
	titles := []string{"Skyhopper", "迷路の猫", "Über die Berge", "Go fish", "", "дом у моря", "東京ゲーム", "İstanbul"}
	for range 2 {
		key := signUp(t, s)
		keys = append(keys, key)
		for i, title := range titles {
			made, err := apiOf(s, key).Publish(t.Context(), client.Fields{Title: title}, bytes.NewReader(page(100+40_000*i)))
			expect.OK(t, err)
			for n := range i {
				_, err := apiOf(s, key).Update(t.Context(), client.Fields{ProjectID: made.ProjectID, Filename: fmt.Sprintf("more%d.css", n/2)}, strings.NewReader(fmt.Sprint("body { margin: ", n, "px }")))
				expect.OK(t, err)
			}
			if i > 4 {
				_, err := apiOf(s, key).DeleteFile(t.Context(), client.Fields{ProjectID: made.ProjectID, Filename: "more1.css"})
				expect.OK(t, err)
			}
			for n := range i {
				p := popular{Server: s, t: t}
				p.ask(fmt.Sprintf("203.0.113.%d", n), "GET", strings.TrimSuffix(strings.TrimPrefix(made.URL, "http://"), "/"), "/", "")
			}
			if i == 3 {
				if out, err := exec.Command(old.bin, "admin", "suspend", made.ProjectID, "--data", data, "--reason", "a report").CombinedOutput(); err != nil {
					t.Fatalf("suspend: %v\n%s", err, out)
				}
			}
		}
	}
	first := once(t, s, keys[0], "once-and-for-all")
	f := &fleet{key: keys[1]}
	f.part(t, s, 1, http.StatusAccepted)
	f.part(t, s, 2, http.StatusAccepted)

	searches := []string{"sky", "hopp", "SKYHOPPER", "迷路", "の猫", "ber", "Berge", "fish", "дом", "東京", "istanbul", "迷路+猫"}
	expect.Equal(t, "exit code", s.Stop(t), 0) // and so the plays are counted
	s = start(old.bin)
	testenv.Eventually(t, 20*time.Second, "all is found", func() bool {
		_, body := open(t, s, "http://"+upgradedBase+"/?q=istanbul")
		return len(idsIn(body)) > 0
	})
	answersOf(t, s, keys, searches) // so that the test has played everything
	before := answersOf(t, s, keys, searches)
	expect.Equal(t, "exit code", s.Stop(t), 0)

	s = start(testenv.Binary(t))
	testenv.Eventually(t, 20*time.Second, "all is found", func() bool {
		_, body := open(t, s, "http://"+upgradedBase+"/?q=istanbul")
		return len(idsIn(body)) > 0
	})
	after := answersOf(t, s, keys, searches)
	for _, q := range searches {
		if found := before["page of what is found by "+q].(map[string]any)["projects"].([]any); len(found) == 0 && q != "fish" { // which is suspended
			t.Errorf("nothing is found by %s", q)
		}
	}
	t.Logf("%d answers", len(before))
	for _, d := range differences("", map[string]any(before), map[string]any(after)) {
		t.Error(d)
	}
	expect.Equal(t, "answers", len(after), len(before))
	expect.Equal(t, "the project of a call sent again", once(t, s, keys[0], "once-and-for-all"), first)
	whole := f.part(t, s, 3, http.StatusCreated)
	sees(t, s, whole["url"].(string), http.StatusOK, slices.Concat(page(100_001), page(100_002), page(100_003)))
	expect.Equal(t, "exit code", s.Stop(t), 0)
	if found, exit := verify(t, data); exit != 0 {
		t.Errorf("verify: exit code %d, %v", exit, found)
	}
}

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
