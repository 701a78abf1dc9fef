package sqlstore

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAPublishTakesAtMostSevenRoundTrips counts what is sent to PostgreSQL and waited for, by each kind of publish. Each kind is made once
// before, so that its statements are prepared.
func TestAPublishTakesAtMostSevenRoundTrips(t *testing.T) {
	t.Parallel()
	const most = 7
	db, err := OpenPostgres(t.Context(), testenv.Postgres(t), postgres.Options{Connections: 2})
	expect.OK(t, err)
	defer db.Close()
	owner, err := db.Publish().CreateAccount(t.Context(), benchAccount(1))
	expect.OK(t, err)
	var made sandlot.Project
	var trips int64 // before the step
	inline := []byte("<p>inline")
	file := func(name string, b []byte) sandlot.File {
		return sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Size: int64(len(b)), SHA256: sha256.Sum256(b), Inline: b, Text: true}}
	}
	record := func(n uint64) *publish.IdempotencyRecord {
		return &publish.IdempotencyRecord{Key: benchSum("record", n), Request: benchSum("request", n), ExpiresAt: db.Now().Add(time.Hour)}
	}
	edit := func(n uint64) publish.Edit {
		return publish.Edit{At: db.Now(), Expect: made.Version, Suffix: fmt.Sprint("s", n), Idempotency: record(n), Within: publish.Quota{Bytes: 1 << 40}}
	}
	for i, kind := range []struct {
		name string
		step func(n uint64) error
	}{
		{"of somebody new", func(n uint64) error {
			np, na := benchProject(n, inline), benchAccount(n)
			na.Email, na.Job = "a@example.com", &sandlot.Job{Kind: "verify", Address: "a@example.com", Due: db.Now()}
			np.New, np.Idempotency, np.Within = &na, record(n), publish.Quota{Projects: 100, Bytes: 1 << 40}
			_, err := db.Publish().CreateProject(t.Context(), np)
			return err
		}},
		{"into an account", func(n uint64) (err error) {
			np := benchProject(n, inline)
			np.Account, np.Idempotency, np.Within = owner.ID, record(n), publish.Quota{Projects: 100, Bytes: 1 << 40}
			made, err = db.Publish().CreateProject(t.Context(), np)
			return err
		}},
		{"of many files into an account", func(n uint64) error {
			np := benchProject(n, inline)
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
			trips = db.engine.(*postgres.Engine).RoundTrips()
			np := benchProject(n, inline)
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
			engine := db.engine.(*postgres.Engine)
			trips = engine.RoundTrips()
			expect.OK(t, kind.step(n+1), "the second")
			if took := engine.RoundTrips() - trips; took > most || took < 2 {
				t.Errorf("it took %d round trips, and %d are the most", took, most)
			}
		})
	}
}
