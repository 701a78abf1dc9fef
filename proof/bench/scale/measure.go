package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/proof/bench/rig"
)

const (
	measuredNodes = 3
	clients       = 18 // at each node
	smallSize     = 10 << 10
	largeSize     = 300 << 10
	settleWait    = 10 * time.Minute
)

// A stand is three nodes on their servers, with projects in the database, and the clients' keys.
type stand struct {
	*rig.Rig
	set      *rig.Set
	on       *rig.Shared
	nodes    []*rig.Service
	db       *pgxpool.Pool
	keys     []string
	projects []string // one of each key
	seeded   int
	log      func(string, ...any)
}

// newStand fills a database and starts three nodes on it, with flags.
func newStand(ctx context.Context, r *rig.Rig, tools string, projects int, flags ...string) (*stand, error) {
	s := &stand{Rig: r, seeded: projects, log: func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
	}}
	var err error
	if s.set, err = r.Set(ctx, tools); err != nil {
		return nil, err
	}
	if s.on, err = s.set.Installation(ctx); err != nil {
		return nil, err
	}
	s.log("%d projects are made", projects)
	store, err := sqlstore.OpenPostgres(ctx, s.on.Database, postgres.Options{Connections: 16})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(rig.Fill(ctx, store, projects), store.Close()); err != nil {
		return nil, err
	}
	if s.db, err = pgxpool.New(ctx, s.on.Database); err != nil {
		return nil, err
	}
	if _, err := s.db.Exec(ctx, "UPDATE blobs SET squeezed = 1"); err != nil {
		return nil, err
	}
	if s.nodes, err = r.Nodes(ctx, s.on, measuredNodes, flags...); err != nil {
		return nil, err
	}
	for c := range clients {
		key, err := s.nodes[0].Signup(ctx, fmt.Sprintf("client-%d@example.com", c))
		if err != nil {
			return nil, err
		}
		project, err := s.nodes[0].Publish(ctx, key, content(smallSize, c))
		if err != nil {
			return nil, err
		}
		s.keys, s.projects = append(s.keys, key), append(s.projects, project)
	}
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	_, err = s.db.Exec(ctx, "VACUUM ANALYZE")
	return s, err
}

func (s *stand) close() error {
	if s.db != nil {
		s.db.Close()
	}
	return rig.RemoveAll(s.nodes)
}

// settle waits until the nodes have finished the work after a publish: compression.
func (s *stand) settle(ctx context.Context) error {
	for until := time.Now().Add(settleWait); ; time.Sleep(200 * time.Millisecond) {
		var left int
		if err := s.db.QueryRow(ctx, "SELECT count(*) FROM blobs WHERE squeezed = 0").Scan(&left); err != nil || left == 0 {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("%d blobs are not compressed", left)
		}
	}
}

// addresses returns the addresses of the nodes.
func (s *stand) addresses() (list []string) {
	for _, n := range s.nodes {
		list = append(list, n.Addr)
	}
	return list
}

// sample holds the use of the parts and of the database's log over a time.
type sample struct {
	cpu  rig.Usage
	log  float64
	took time.Duration
}

// during returns a sample of the time in which do runs.
func (s *stand) during(ctx context.Context, do func() error) (sample, error) {
	at := func() (rig.Usage, float64, error) {
		u, err := rig.Used(s.set.Parts(s.nodes))
		if err != nil {
			return nil, 0, err
		}
		var log float64
		err = s.db.QueryRow(ctx, "SELECT CAST(pg_current_wal_lsn() - '0/0' AS DOUBLE PRECISION)").Scan(&log)
		return u, log, err
	}
	before, log, err := at()
	if err != nil {
		return sample{}, err
	}
	began := time.Now()
	if err := do(); err != nil {
		return sample{}, err
	}
	took := time.Since(began)
	after, end, err := at()
	return sample{after.Since(before), end - log, took}, err
}

// crowd lets clients send n requests in total, to the nodes in turns.
func (s *stand) crowd(ctx context.Context, n, status int, request func(c, i int) []byte) error {
	_, err := rig.CrowdOf(ctx, s.addresses(), clients, n/clients, time.Hour, func(l *rig.Lane, c, i int) error {
		_, err := l.Want(status, request(c, i))
		return err
	})
	return err
}

// A meter collects the costs of works.
type meter struct {
	*stand
	costs Costs
	idle  map[string]float64 // seconds in a second, of all parts with all nodes
	rest  float64            // bytes of log in a second
}

// work measures one work: do performs n of it, and less lists the other works contained in one.
func (m *meter) work(ctx context.Context, w Work, n int, less map[Work]float64, do func() error) error {
	got, err := m.during(ctx, do)
	if err != nil {
		return fmt.Errorf("%s: %w", w, err)
	}
	of := map[string]float64{}
	for _, part := range parts {
		us := (got.cpu[part].Seconds() - m.idle[part]*got.took.Seconds()) / float64(n) * 1e6
		for other, times := range less {
			us -= times * m.costs.CPU[other][part]
		}
		of[part] = round(max(0, us))
	}
	m.costs.CPU[w] = of
	if log := (got.log - m.rest*got.took.Seconds()) / float64(n); log > 1 {
		m.costs.Log[w] = round(log)
	}
	m.log("%-10s %v, %.0f bytes of log, %.1f s", w, of, m.costs.Log[w], got.took.Seconds())
	return nil
}

// round keeps three digits: more are noise.
func round(x float64) float64 {
	var v float64
	_, _ = fmt.Sscanf(fmt.Sprintf("%.3g", x), "%g", &v) // the printed form can be parsed
	return v
}

// measure writes the costs to a file.
func measure(ctx context.Context, r *rig.Rig, tools, file, beside string, projects int) error {
	s, err := newStand(ctx, r, tools, projects)
	if err != nil {
		return err
	}
	m := &meter{stand: s, costs: Costs{
		Date:    time.Now().UTC().Format(time.DateOnly),
		Machine: strings.TrimPrefix(rig.Machine(), time.Now().UTC().Format(time.DateOnly)+": "), Commit: commit(ctx), Load: beside,
		CPU: map[Work]map[string]float64{}, Log: map[Work]float64{},
	}}
	failed := errors.Join(m.all(ctx), s.close())
	b, err := json.MarshalIndent(m.costs, "", "\t")
	if err == nil {
		err = os.WriteFile(file, append(b, '\n'), 0o644) // even after a failure, with the figures measured so far
	}
	return errors.Join(failed, err)
}

func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

func (m *meter) all(ctx context.Context) error {
	for _, step := range []func(context.Context) error{m.stored, m.nothing, m.writes, m.reads, m.players, m.searches} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// nothing measures nodes at rest. Their idle use is not charged to the other works again.
func (m *meter) nothing(ctx context.Context) error {
	const rest = 15 * time.Second
	got, err := m.during(ctx, func() error { return sleep(ctx, rest) })
	if err != nil {
		return err
	}
	m.idle, m.rest = map[string]float64{}, got.log/got.took.Seconds()
	of := map[string]float64{}
	for _, part := range parts {
		m.idle[part] = got.cpu[part].Seconds() / got.took.Seconds()
		of[part] = round(m.idle[part] / measuredNodes * 1e6)
	}
	m.costs.CPU[Idle] = of
	m.log("%-10s %v", Idle, of)
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// content returns a page unlike that of any other publish, which compresses like a program.
func content(n, which int) []byte {
	r := rand.New(rand.NewPCG(uint64(which), uint64(n)))
	words := make([][]byte, 1000)
	for i := range words {
		w := make([]byte, 2+r.IntN(9))
		for j := range w {
			w[j] = byte('a' + r.IntN(26))
		}
		words[i] = append(w, " .;(){}=\n"[r.IntN(9)])
	}
	b := bytes.NewBufferString("<!doctype html><title>Game</title><pre>\n")
	for b.Len() < n {
		u := r.Float64() // some words are more frequent than others
		b.Write(words[int(u*u*u*float64(len(words)))])
	}
	return b.Bytes()[:n]
}

var contents atomic.Int64

// newContent returns a content that was never sent.
func newContent(n int) []byte { return content(n, int(contents.Add(1))+clients) }

// stored reads the sizes of all tables and indexes, in bytes per project.
func (m *meter) stored(ctx context.Context) error {
	rows, err := m.db.Query(ctx, `SELECT t.relname, pg_table_size(t.oid), coalesce(i.relname, ''), coalesce(pg_relation_size(i.oid), 0)
		FROM pg_class t LEFT JOIN pg_index x ON x.indrelid = t.oid LEFT JOIN pg_class i ON i.oid = x.indexrelid
		WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace AND t.relname <> 'contents'`)
	if err != nil {
		return err
	}
	all := map[string]Table{}
	var table, index string
	var size, indexSize float64
	_, err = pgx.ForEachRow(rows, []any{&table, &size, &index, &indexSize}, func() error {
		each := func(bytes float64) float64 { return round(bytes / float64(m.seeded)) }
		if each(size) < 0.5 && each(indexSize) < 0.5 {
			return nil
		}
		t, ok := all[table]
		if !ok {
			t = Table{Table: each(size), Indexes: map[string]float64{}}
		}
		if index != "" {
			t.Indexes[index] = each(indexSize)
		}
		all[table] = t
		return nil
	})
	m.costs.Stored.Rows, m.costs.Stored.Projects = all, m.seeded
	m.log("%.0f bytes of rows and indexes for each project", m.costs.Stored.RowBytes())
	return err
}

// kept returns the bytes of the database and of the bucket.
func (s *stand) kept(ctx context.Context) (database, bucket float64, err error) {
	if err = s.db.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&database); err != nil {
		return 0, 0, err
	}
	err = s.db.QueryRow(ctx, "SELECT coalesce(sum(size), 0) FROM blobs WHERE ref IS NOT NULL").Scan(&bucket)
	return database, bucket, err
}

// updated returns the fields of an update besides its content, for the primary file of the client's project.
func (s *stand) updated(client int) string {
	return "," + rig.JSON("project_id", s.projects[client]) + "," + rig.JSON("filename", "index.html")
}

const (
	publishes = 1800
	larges    = 180
)

func (m *meter) writes(ctx context.Context) error {
	before, _, err := m.kept(ctx)
	if err != nil {
		return err
	}
	put := func(n, size int, path string, more func(c int) string, status int) func() error {
		return func() error {
			err := m.crowd(ctx, n, status, func(c, _ int) []byte { return m.write(path, c, newContent(size), more(c)) })
			return errors.Join(err, m.settle(ctx))
		}
	}
	title := func(int) string { return "," + rig.JSON("title", "A small game") }
	if err := m.work(ctx, Publish, publishes, nil, put(publishes, smallSize, "/v1/publish", title, http.StatusCreated)); err != nil {
		return err
	}
	after, _, err := m.kept(ctx)
	if err != nil {
		return err
	}
	m.costs.Stored.Database = round((after - before) / publishes)
	if err := m.work(ctx, Update, publishes, nil, put(publishes, smallSize, "/v1/update", m.updated, http.StatusOK)); err != nil {
		return err
	}
	_, before, err = m.kept(ctx)
	if err != nil {
		return err
	}
	if err := m.work(ctx, Large, larges, nil, put(larges, largeSize, "/v1/publish", title, http.StatusCreated)); err != nil {
		return err
	}
	_, after, err = m.kept(ctx)
	m.costs.Stored.Bucket = round((after - before) / larges)
	// Redis's work for hints cannot be separated from the rest of a publish: all of it is charged to hints.
	m.costs.CPU[Hint] = map[string]float64{redis: round(m.costs.CPU[Publish][redis] / measuredNodes)}
	m.costs.CPU[Publish][redis], m.costs.CPU[Update][redis], m.costs.CPU[Large][redis] = 0, 0, 0
	return err
}
