package sqlstore

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAPublishTakesAtMostSevenRoundTrips counts the round trips to PostgreSQL of each kind of publish.
// Each kind is made once before, so that its statements are prepared.
func TestAPublishTakesAtMostSevenRoundTrips(t *testing.T) {
	t.Parallel()
	const most = 7
	relayed, counted := countTrips(t, testenv.Postgres(t))
	db, err := OpenPostgres(t.Context(), relayed, postgres.Options{Connections: 2})
	expect.OK(t, err)
	defer db.Close()
	owner, err := db.Publish().CreateAccount(t.Context(), benchAccount(1))
	expect.OK(t, err)
	var made sandlot.Project
	var trips int64 // before the step
	inline := []byte("<p>inline")
	screened := publish.Screened{Blocks: 1, Publisher: publish.Publisher{Network: benchSum("network", 1), Wide: benchSum("wide", 1)}}
	file := func(name string, b []byte) sandlot.File {
		return sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Size: int64(len(b)), SHA256: sha256.Sum256(b), Inline: b, Text: true}}
	}
	record := func(n uint64) *publish.IdempotencyRecord {
		return &publish.IdempotencyRecord{Key: benchSum("record", n), Request: benchSum("request", n), ExpiresAt: db.Now().Add(time.Hour)}
	}
	edit := func(n uint64) publish.Edit {
		return publish.Edit{At: db.Now(), Expect: made.Version, Suffix: fmt.Sprint("s", n), Idempotency: record(n), Within: publish.Quota{Bytes: 1 << 40}, Screened: screened}
	}
	for i, kind := range []struct {
		name string
		step func(n uint64) error
	}{
		{"of somebody new", func(n uint64) error {
			np, na := benchProject(n, inline), benchAccount(n)
			np.Screened = screened
			na.Email, na.Job = "a@example.com", &sandlot.Job{Kind: "verify", Address: "a@example.com", Due: db.Now()}
			np.New, np.Idempotency, np.Within = &na, record(n), publish.Quota{Projects: 100, Bytes: 1 << 40}
			_, err := db.Publish().CreateProject(t.Context(), np)
			return err
		}},
		{"into an account", func(n uint64) (err error) {
			np := benchProject(n, inline)
			np.Screened = screened
			np.Account, np.Idempotency, np.Within = owner.ID, record(n), publish.Quota{Projects: 100, Bytes: 1 << 40}
			made, err = db.Publish().CreateProject(t.Context(), np)
			return err
		}},
		{"of many files into an account", func(n uint64) error {
			np := benchProject(n, inline)
			np.Screened = screened
			np.Account, np.Idempotency, np.Within = owner.ID, record(n), publish.Quota{Projects: 100, Bytes: 1 << 40}
			for f := range 20 {
				np.Files = append(np.Files, file(fmt.Sprint("m", f), fmt.Append(nil, "text ", f)))
			}
			_, err := db.Publish().CreateProject(t.Context(), np)
			return err
		}},
		{"of an upload", func(n uint64) (err error) {
			key := benchSum("upload", n)
			u := publish.Upload{Key: key, Account: owner.ID, Total: 1, ExpiresAt: db.Now().Add(time.Hour)}
			g, err := db.Publish().SaveUpload(t.Context(), u, nil, publish.UploadQuota{})
			expect.OK(t, err)
			trips = counted.Load()
			np := benchProject(n, inline)
			np.Screened = screened
			np.Account, np.Idempotency, np.Within = owner.ID, record(n), publish.Quota{Projects: 100, Bytes: 1 << 40}
			np.Upload = &publish.Completion{Key: key, Generation: g, ExpiresAt: u.ExpiresAt, Done: publish.UploadDone{Project: np.ID, Version: 1, Part: 1}}
			_, err = db.Publish().CreateProject(t.Context(), np)
			return err
		}},
		{"of another file", func(n uint64) (err error) {
			made, err = db.Publish().PutFile(t.Context(), made.ID, file(fmt.Sprint("f", n), inline), edit(n))
			return err
		}},
		{"of a file again", func(n uint64) (err error) {
			made, err = db.Publish().PutFile(t.Context(), made.ID, file("index.html", inline), edit(n))
			return err
		}},
		{"of many files", func(n uint64) (err error) {
			var c publish.Change
			for f := range 20 {
				c.Put = append(c.Put, file(fmt.Sprint("m", n, "-", f), inline))
			}
			made, err = db.Publish().Rearrange(t.Context(), made.ID, c, edit(n))
			return err
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			n := uint64(10 * (i + 1))
			expect.OK(t, kind.step(n), "the first")
			trips = counted.Load()
			expect.OK(t, kind.step(n+1), "the second")
			if took := counted.Load() - trips; took > most || took < 2 {
				t.Errorf("it took %d round trips, and %d are the most", took, most)
			}
		})
	}
}

// countTrips starts a relay to the server of a URL, and returns the URL that leads through it, with how often a client
// has sent something after the server had.
func countTrips(t *testing.T, address string) (string, *atomic.Int64) {
	u, err := url.Parse(address)
	expect.OK(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	server, trips := u.Host, &atomic.Int64{}
	var running sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", server)
			expect.Is(t, "dial", err, nil)
			var sent atomic.Bool // something since the server did
			running.Go(func() {
				forward(to, client, func() {
					if !sent.Swap(true) {
						trips.Add(1)
					}
				})
			})
			running.Go(func() { forward(client, to, func() { sent.Store(false) }) })
		}
	})
	u.Host = listener.Addr().String()
	return u.String(), trips
}

func forward(to, from net.Conn, passed func()) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		passed()
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
