package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	api "sandlot/internal/client/client"
)

// compare holds everything that was acknowledged against what the nodes have.
func (r *run) compare(workers []*worker) {
	var all sync.WaitGroup
	for i, w := range workers {
		all.Go(func() {
			for _, a := range w.accounts {
				if err := r.compareAccount(r.nodes[i%nodeCount], a); err != nil {
					r.t.Error(err)
				}
			}
		})
	}
	all.Wait()
	r.t.Logf("every version is compared after %v", r.since())
	r.compareRows()
	r.compareMails()
}

func (r *run) compareAccount(n *node, a *account) error {
	c := r.client(n.http, a.key)
	who, err := c.WhoAmI(context.Background(), 1000)
	if err != nil {
		return fmt.Errorf("the account %s: %w", a.email, err)
	}
	has := map[string]int{}
	for _, p := range who.Projects {
		has[p.ID] = p.Version
	}
	if len(has) != len(a.projects) {
		return fmt.Errorf("the account %s has %d projects, and %d were acknowledged", a.email, len(has), len(a.projects))
	}
	for _, p := range a.projects {
		if has[p.id] != len(p.versions) {
			return fmt.Errorf("%s is at version %d, and %d were acknowledged", p.id, has[p.id], len(p.versions))
		}
		shown, err := c.Project(context.Background(), p.id, "none")
		if err != nil {
			return fmt.Errorf("%s: %w", p.id, err)
		}
		if err := compareFiles(shown, p.files); err != nil {
			return err
		}
		if err := r.compareBytes(n, p); err != nil {
			return err
		}
	}
	return nil
}

// compareBytes opens every version at one node, and the newest at all.
func (r *run) compareBytes(n *node, p *project) error {
	for i, v := range p.versions {
		if status, body, err := fetch(n.http, v.url, "gzip"); err != nil || status != http.StatusOK || sum(body) != v.files[primary] {
			return fmt.Errorf("version %d of %s is answered %d with %d other bytes, %v", i+1, p.id, status, len(body), err)
		}
	}
	for i, n := range r.nodes {
		if status, body, err := fetch(n.http, p.url, "identity"); err != nil || status != http.StatusOK || sum(body) != p.files[primary] {
			return fmt.Errorf("%s is answered %d with %d other bytes by node %d, %v", p.id, status, len(body), i+1, err)
		}
	}
	return nil
}

// compareRows counts rows without an acknowledged call: a call that was sent again and had its effect twice has left a row more.
func (r *run) compareRows() {
	// of the project that several write, of that which is suspended, of those with players, and of those with many files
	versions := r.newest + 1 + gamers + r.stamps.versions + r.stamps.imported
	for _, p := range r.projects {
		versions += len(p.versions)
	}
	for table, want := range map[string]int{
		"accounts": len(r.accounts) + 3 + gamers,
		"projects": len(r.projects) + 2 + gamers + r.stamps.projects + r.stamps.imported, "versions": versions,
	} {
		if has := r.query("SELECT count(*) FROM " + table); has != strconv.Itoa(want) {
			r.t.Errorf("there are %s %s, and %d were acknowledged", has, table, want)
		}
	}
}

// query asks the database for one value.
func (r *run) query(statement string, args ...string) string {
	r.t.Helper()
	value, err := r.ask(statement, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return value
}

// ask is query while PostgreSQL may be down: that is ErrNoAnswer.
func (r *run) ask(statement string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), requestWait)
	defer cancel()
	c, err := pgconn.Connect(ctx, r.postgres.URL())
	if err != nil {
		return "", fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	defer c.Close(context.WithoutCancel(ctx))
	var values [][]byte
	for _, a := range args {
		values = append(values, []byte(a))
	}
	result := c.ExecParams(ctx, statement, values, nil, nil, nil).Read()
	var refused *pgconn.PgError
	switch {
	case errors.As(result.Err, &refused) && refused.Code != "57P01" && refused.Code != "57P02": // admin_shutdown, crash_shutdown
		return "", fmt.Errorf("%s: %w", statement, result.Err)
	case result.Err != nil:
		return "", fmt.Errorf("%s: %w: %w", statement, api.ErrNoAnswer, result.Err)
	case len(result.Rows) == 0:
		return "", nil
	}
	return string(result.Rows[0][0]), nil
}

// compareAnswers looks whether each call whose answer was lost was answered from its record.
func (r *run) compareAnswers() {
	if lost := int(r.lost.Load()); r.replayed < lost {
		r.t.Errorf("%d answers to clients were lost, and %d calls were answered from their records", lost, r.replayed)
	}
}
