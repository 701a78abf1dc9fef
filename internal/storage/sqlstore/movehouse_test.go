package sqlstore

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// houseProjects is how many projects move; scripts/soak has many more.
var houseProjects = flag.Int("house", 150, "how many projects TestSoakAHouseMovesThereAndBack makes")

// A house is an installation that moves: what is asked of it, and the keys to ask with.
type house struct {
	keys     []string
	first    string // the key with which the first page was published
	projects []houseProject
	handed   handed
	pictures []string // where they are, on the service's own address
	mu       sync.Mutex
}

type houseProject struct{ id, url, key string }

// housed is a place that it lives in.
type housed struct {
	serve, from, to []string // flags
	open            place
}

// houseBase is what it is called by, wherever it lives.
const houseBase = "sandlot.test"

// houseTitle is one in some script, and a word that few have.
func houseTitle(n int) string {
	return fmt.Sprintf("%s n%07d", []string{"Skyhopper", "迷路の猫", "Über die Berge", "дом у моря"}[n%4], n)
}

// filled makes all that a client can make.
func (h *house) filled(t *testing.T, s *testenv.Server) {
	t.Helper()
	const each = 15 // projects of an account
	todo := make(chan int)
	var makers sync.WaitGroup
	for range 8 {
		makers.Go(func() {
			for n := range todo {
				if err := h.account(t, s, n, min(each, *houseProjects-n*each)); err != nil {
					t.Errorf("account %d: %v", n, err)
				}
			}
		})
	}
	for n := range (*houseProjects + each - 1) / each {
		todo <- n
	}
	close(todo)
	makers.Wait()
	expect.OK(t, h.part(t, s, 1))
	expect.OK(t, h.part(t, s, 3))
	h.hand(t, s)
}

// part sends one of the upload that is under way while the house moves.
func (h *house) part(t *testing.T, s *testenv.Server, n int) error {
	f := client.Fields{UploadID: "an-upload-under-way", Part: n, TotalParts: 3}
	_, err := houseClient(s, h.first).Publish(t.Context(), f, bytes.NewReader(houseBytes(n, 90_000)))
	return err
}

func houseClient(s *testenv.Server, key string) *client.Client {
	return &client.Client{Base: &url.URL{Scheme: "http", Host: s.Addr()}, Key: key, HTTP: s.Client()}
}

// houseBytes do not compress, and are others for each number.
func houseBytes(n, size int) []byte {
	var b []byte
	for block := 0; len(b) < size; block++ {
		sum := sha256.Sum256(fmt.Append(nil, n, " ", block))
		b = append(b, sum[:]...)
	}
	return b[:size]
}

// account makes one with its projects: every tenth has a file that is kept as a blob, most have several versions, some are deleted in part.
func (h *house) account(t *testing.T, s *testenv.Server, number, projects int) error {
	made, err := houseClient(s, "").Signup(t.Context(), client.Fields{Email: fmt.Sprintf("person%d@example.com", number)})
	if err != nil {
		return err
	}
	c := houseClient(s, made.APIKey)
	var list []houseProject
	for i := range projects {
		n := number*100 + i
		p, err := c.Publish(t.Context(), client.Fields{Title: houseTitle(n), IdempotencyKey: fmt.Sprint("publish-", n)}, strings.NewReader(fmt.Sprint("<p>page ", n)))
		if err != nil {
			return err
		}
		files := map[string][]byte{"a.css": bytes.Repeat(fmt.Append(nil, "p { top: ", n, "px }\n"), 200), "b.js": houseBytes(n, 3000)}
		if n%10 == 0 {
			files["big.bin"] = houseBytes(n, 80_000)
		}
		for name, text := range files {
			if n%3 == 0 || name == "big.bin" {
				_, err = c.Update(t.Context(), client.Fields{ProjectID: p.ProjectID, Filename: name}, bytes.NewReader(text))
			}
			if err == nil && n%9 == 0 && name == "a.css" {
				_, err = c.DeleteFile(t.Context(), client.Fields{ProjectID: p.ProjectID, Filename: name})
			}
			if err != nil {
				return err
			}
		}
		if n%6 == 0 {
			if _, err := c.Restore(t.Context(), client.Fields{ProjectID: p.ProjectID, Version: 1}); err != nil {
				return err
			}
		}
		if err := houseGet(s, p.URL, "", io.Discard); err != nil { // a play
			return err
		}
		if n%7 == 1 {
			if err := houseDeleted(s, p.ProjectID, made.APIKey); err != nil {
				return err
			}
		}
		list = append(list, houseProject{p.ProjectID, p.URL, made.APIKey})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if number == 0 {
		h.first = made.APIKey
	}
	h.keys, h.projects = append(h.keys, made.APIKey), append(h.projects, list...)
	return nil
}

// houseGet reads an answer, its status and its bytes.
func houseGet(s *testenv.Server, address, key string, into io.Writer) error {
	req, err := http.NewRequest(http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	req.Host, req.URL.Host = req.URL.Host, s.Addr() // over the same connections, whatever project it asks for
	resp, err := s.Client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	fmt.Fprintln(into, resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header.Get("ETag"))
	_, err = io.Copy(into, resp.Body)
	return err
}

// houseDeleted deletes a project, so that its owner could take it back.
func houseDeleted(s *testenv.Server, id, key string) error {
	req, err := http.NewRequest(http.MethodDelete, s.URL()+"/v1/project/"+id, strings.NewReader(`{"confirm":"`+id+`"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.Client().Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the deletion of %s is answered %d", id, resp.StatusCode)
	}
	return errors.Join(err, resp.Body.Close())
}

// houseRows are what no client of the API makes, but people, operators and days: for each of some accounts and projects.
// Their times are 20 days from now, and of messages that wait an hour: the program mends what no clock of its own can have written.
var houseRows = []string{
	"INSERT INTO handles (handle, account, renamed_at) SELECT 'given-up-' || id, id, 5 FROM accounts WHERE id % 3 = 0",
	"INSERT INTO people (account, line, link) SELECT id, 'näher', 'https://example.org/' || id FROM accounts",
	"INSERT INTO likes (project, visitor, counted) SELECT num, randomblob(32), 1 FROM projects WHERE num % 2 = 0",
	"UPDATE projects SET likes = (SELECT count(*) FROM likes WHERE project = num)",
	"INSERT INTO play_days (day, project, plays) SELECT 20000 + d.id, num, num % 7 + 1 FROM projects, (SELECT id FROM accounts LIMIT 10) d",
	"INSERT INTO day_figures (project, day, plays, likes, seen, lengths) SELECT num, 20000, num % 7 + 1, -1, randomblob(4), x'0102' FROM projects",
	"INSERT OR REPLACE INTO version_figures (project, version, day, plays, likes, players, seen, lengths) SELECT num, 1, 20000, num % 7 + 1, 1, 3, NULL, NULL FROM projects",
	"INSERT INTO trials (project, version, at, outcome, seen) SELECT num, 1, 5, 'done', '{\"moved\":true}' FROM projects WHERE num % 3 = 0",
	"UPDATE projects SET tags = 'puzzle größer' WHERE num % 4 = 0",
	"INSERT INTO day_sources (project, day, host, plays) SELECT num, 20000, 'example.org', 1 FROM projects",
	"INSERT INTO sessions (hash, account, agent, created_at, proved_at, seen_at, expires_at) SELECT randomblob(32), id, 'Firefox', 1, 1, ?1, ?1 FROM accounts",
	"INSERT INTO stops (mailbox, kind, at, until) SELECT randomblob(32), 'login', 1, ?1 FROM accounts",
	"INSERT INTO reports (number, form, project, reason, details, contact, job, at) SELECT 'R-' || num, randomblob(32), id, 'other', 'näheres', '', NULL, 7 FROM projects WHERE num % 5 = 0",
	"INSERT INTO acts (at, actor, action, target, reason) SELECT ?1, 'root', 'suspend', id, 'a report' FROM projects WHERE num % 6 = 0",
	"INSERT INTO mails (mailbox, at) SELECT randomblob(32), ?1 FROM accounts",
	"INSERT INTO verifications (token, account, email, expires_at) SELECT randomblob(32), id, 'x' || id || '@example.com', ?1 FROM accounts",
	"INSERT INTO logins (browser, token, code, email, back, tries, proved, asked_at, expires_at) SELECT randomblob(32), randomblob(32), NULL, 'x@example.com', '/', 1, 0, ?1, ?1 FROM accounts",
	"INSERT INTO jobs (kind, account, address, lang, attempts, due) SELECT 'verify', id, 'x' || id || '@example.com', 'de', 1, ?1 - 1724400000000 FROM accounts",
	"INSERT INTO email_moves (account, email, undo, expires_at) SELECT id, 'y@example.com', 0, ?1 FROM accounts",
	"INSERT INTO email_links (token, move) SELECT randomblob(32), id FROM email_moves",
}

// houseFilled are the tables that must have rows, or the test proves nothing of them.
var houseFilled = strings.Fields(`trash tickets secrets accounts people handles projects keys versions blobs contents files uploads upload_parts mails verifications acts once
	sessions play_days day_figures version_figures day_sources logins jobs email_moves email_links reports likes stops listing project_tags trials pictures picture_sizes covers`)

// digests are the rows of each table, in the order of keys, each by its hash.
func digests(t *testing.T, db *DB) map[string][][sha256.Size]byte {
	t.Helper()
	out := map[string][][sha256.Size]byte{}
	for _, table := range movedTables {
		var from values
		for page := []values{nil}; len(page) > 0; {
			expect.OK(t, db.engine.Snapshot(t.Context(), func(q engine.Querier) (err error) {
				page, err = readPage(t.Context(), q, table, from, nil, 1000)
				return err
			}))
			for _, v := range page {
				h := sha256.New()
				for _, x := range v {
					text := fmt.Sprint(x)
					if b, ok := x.([]byte); ok {
						text = string(b)
					}
					fmt.Fprintf(h, "%T %d ", x, len(text))
					io.WriteString(h, text)
				}
				out[table.Name] = append(out[table.Name], [sha256.Size]byte(h.Sum(nil)))
				from = v[:table.Keys]
			}
		}
	}
	return out
}

// answered is what the service says to all that its owners, and everybody, can ask, each by its hash: bytes and fields.
func (h *house) answered(t *testing.T, s *testenv.Server) map[string][sha256.Size]byte {
	t.Helper()
	var mu sync.Mutex
	all := map[string][sha256.Size]byte{}
	ask := func(question, address, key string) {
		var got bytes.Buffer
		if err := houseGet(s, address, key, &got); err != nil {
			t.Error(err)
		}
		text := ofTheMoment.ReplaceAll(got.Bytes(), nil)
		if strings.HasPrefix(question, "search") {
			found, _, _ := strings.Cut(got.String(), `aria-labelledby="others"`) // what is popular beside few results changes with the hour
			text = fmt.Append(nil, houseLink.FindAllString(found, -1))
			if len(text) < len("[]")+1 {
				t.Errorf("nothing comes of a %s", question)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		all[question] = sha256.Sum256(text)
	}
	type question struct{ name, address, key string }
	todo := make(chan question)
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for q := range todo {
				ask(q.name, q.address, q.key)
			}
		})
	}
	for i, key := range h.keys {
		todo <- question{fmt.Sprint("who is ", i), s.URL() + "/v1/whoami?limit=1000", key}
	}
	for _, p := range h.projects {
		todo <- question{p.id, s.URL() + "/v1/project/" + p.id + "?content=all", p.key}
		todo <- question{"versions of " + p.id, s.URL() + "/v1/project/" + p.id + "/versions", p.key}
		todo <- question{"checks of " + p.id, s.URL() + "/v1/project/" + p.id + "/checks", p.key}
	}
	for _, at := range h.pictures {
		todo <- question{at, "http://" + houseBase + at, ""}
	}
	for _, q := range []string{"n000010", "n000011", "hopp+n00000", "迷路+n00000", "の猫+n00000", "ber+n00000", "дом+n00000"} {
		todo <- question{"search for " + q, "http://" + houseBase + "/?q=" + q, ""}
	}
	for _, p := range h.projects { // last, for these are plays
		todo <- question{p.url, p.url, ""}
		todo <- question{p.url + "big.bin", p.url + "big.bin", ""}
	}
	close(todo)
	asking.Wait()
	return all
}

// ofTheMoment is what is another at each time it is asked. Plays are: the questions are some.
var ofTheMoment = regexp.MustCompile(`"(as_of|last_used_at|request_id)":"[^"]*"|"(plays|player_count)":\d+`)

var houseLink = regexp.MustCompile(`/p/[a-z0-9-]+`)

// houseMoved moves a house: the process is killed when it has said each of the words, and begun again.
func houseMoved(t *testing.T, args, words []string) {
	t.Helper()
	killed := 0
	for _, word := range words {
		cmd := exec.Command(testenv.Binary(t), append([]string{"move"}, args...)...)
		out, err := cmd.StdoutPipe()
		expect.OK(t, err)
		cmd.Stderr = os.Stderr
		expect.OK(t, cmd.Start())
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), word) {
				expect.OK(t, cmd.Process.Kill())
				killed++
				break
			}
		}
		if cmd.Wait() == nil {
			t.Fatalf("it ended before it was killed at %q", word)
		}
	}
	expect.Equal(t, "interruptions", killed, len(words))
	begun := time.Now()
	out, err := exec.Command(testenv.Binary(t), append([]string{"move"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("move: %v\n%s", err, out)
	}
	last := regexp.MustCompile(`moved to .*changes were held up for \d+\.\d s`).FindString(string(out))
	if last == "" {
		t.Errorf("it does not say for how long nothing could be changed:\n%s", out)
	}
	t.Logf("the last of %d runs took %.1f s: %s", killed+1, time.Since(begun).Seconds(), last)
}

// lives takes a house from one place to another, where a client publishes all the while.
func (h *house) lives(t *testing.T, s *testenv.Server, from, to housed) (next *testenv.Server) {
	t.Helper()
	written := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	go func() { written <- h.writes(ctx, t, s) }()
	begun := time.Now()
	houseMoved(t, slices.Concat(from.from, to.to), []string{"copied versions", "compared accounts"})
	if err := <-written; !strings.Contains(fmt.Sprint(err), "moving to other storage") {
		t.Errorf("a change that came after the switch: %v", err)
	}
	t.Logf("%d projects moved in %.1f s", len(h.projects), time.Since(begun).Seconds())
	source, target := from.open.opened(t, Options{}), to.open.opened(t, Options{})
	want, got := digests(t, source), digests(t, target)
	for _, table := range movedTables {
		if !slices.Equal(want[table.Name], got[table.Name]) {
			t.Errorf("%s has %d rows, and had %d; they differ", table.Name, len(got[table.Name]), len(want[table.Name]))
		}
		if len(want[table.Name]) == 0 && slices.Contains(houseFilled, table.Name) {
			t.Errorf("%s is empty, so nothing is known of it", table.Name)
		}
	}
	before := h.answered(t, s)
	next = testenv.Start(t, testenv.Binary(t), to.serve...)
	after := h.answered(t, next)
	expect.Equal(t, "answers", len(after), len(before))
	for question, answer := range before {
		if after[question] != answer {
			t.Errorf("another answer to %s", question)
		}
	}
	t.Logf("%d answers compared", len(after))
	expect.Equal(t, "exit code", s.Stop(t), 0)
	return next
}

// writes publishes until it is refused.
func (h *house) writes(ctx context.Context, t *testing.T, s *testenv.Server) error {
	c := houseClient(s, h.keys[0])
	for n := 0; ; n++ {
		testenv.Wait(t, 50*time.Millisecond, "as many changes as a small service has")
		p, err := c.Publish(ctx, client.Fields{Title: "meanwhile"}, strings.NewReader(fmt.Sprint("<p>meanwhile ", n)))
		if err != nil {
			return err
		}
		h.projects = append(h.projects, houseProject{p.ProjectID, p.URL, h.keys[0]})
	}
}

// TestSoakAHouseMovesThereAndBack: from SQLite and a folder to PostgreSQL and a bucket, and back, killed twice on either way, while a client
// publishes: every row, every answer and every byte is as before.
func TestSoakAHouseMovesThereAndBack(t *testing.T) {
	testenv.Unraced(t)
	bucket := testenv.S3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Secret)
	files := (&url.URL{Scheme: "s3", Host: bucket.Name, Path: "/files", RawQuery: url.Values{"endpoint": {bucket.Endpoint}, "region": {bucket.Region}, "path-style": {"true"}}.Encode()}).String()
	database := testenv.Postgres(t)
	folder := func(data string) housed {
		return housed{
			serve: []string{"--data", data, "--base-url", "http://" + houseBase}, from: []string{"--from", data}, to: []string{"--to", data},
			open: func(t *testing.T, opts Options) (*DB, error) {
				return OpenSQLite(t.Context(), filepath.Join(data, "sandlot.db"), opts)
			},
		}
	}
	first, last := folder(filepath.Join(testenv.MemoryDir(t), "first")), folder(filepath.Join(testenv.MemoryDir(t), "last"))
	full := housed{
		serve: []string{"--database-url", database, "--blob-url", files, "--base-url", "http://" + houseBase},
		from:  []string{"--from-database-url", database, "--from-blob-url", files}, to: []string{"--to-database-url", database, "--to-blob-url", files},
		open: func(t *testing.T, opts Options) (*DB, error) {
			return OpenPostgres(t.Context(), database, postgres.Options{Filling: opts.Filling})
		},
	}
	h := &house{}
	s := testenv.Start(t, testenv.Binary(t), first.serve...)
	h.filled(t, s)
	if t.Failed() {
		return
	}
	expect.Equal(t, "exit code", s.Stop(t), 0)
	h.lived(t, first)
	s.Restart(t)
	h.pictured(t, s)
	s = h.lives(t, s, first, full)
	s = h.lives(t, s, full, last)
	expect.OK(t, h.part(t, s, 2))
	h.ended(t, s)
	again, err := houseClient(s, h.first).Publish(t.Context(), client.Fields{Title: houseTitle(0), IdempotencyKey: "publish-0"}, strings.NewReader("<p>page 0"))
	expect.OK(t, err)
	if !again.FromRecord {
		t.Error("a call that was sent before the move has another effect after it")
	}
	out, err := exec.Command(testenv.Binary(t), "verify", "--data", last.serve[1]).CombinedOutput()
	if err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}

// lived adds what people, operators and days have left in a year.
func (h *house) lived(t *testing.T, at housed) {
	t.Helper()
	db, err := at.open(t, Options{})
	expect.OK(t, err)
	later := micros(time.Now().Add(20 * 24 * time.Hour))
	expect.OK(t, db.step(t.Context(), 0, func(x *tx) error {
		for _, query := range houseRows {
			var args []any
			if strings.Contains(query, "?1") {
				args = append(args, later)
			}
			if _, err := x.exec(query, args...); err != nil {
				return fmt.Errorf("%s: %w", query, err)
			}
		}
		return h.handedRows(x, later)
	}))
	expect.OK(t, db.Close())
}
