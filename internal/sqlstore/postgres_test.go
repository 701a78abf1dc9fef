package sqlstore

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/sqlstore/postgres"
	"sandlot/internal/storetest"
	"sandlot/internal/testenv"
)

func TestPublishContractOnPostgres(t *testing.T) { storetest.TestPublish(t, openPostgresForSuite) }
func TestAccountContractOnPostgres(t *testing.T) { storetest.TestAccount(t, openPostgresForSuite) }
func TestGalleryContractOnPostgres(t *testing.T) { storetest.TestGallery(t, openPostgresForSuite) }
func TestTrialContractOnPostgres(t *testing.T)   { storetest.TestTrial(t, openPostgresForSuite) }
func TestOperateContractOnPostgres(t *testing.T) { storetest.TestOperate(t, openPostgresForSuite) }

func TestPublishContractBehindPgbouncer(t *testing.T) {
	storetest.TestPublish(t, openPgbouncerForSuite)
}

func TestAccountContractBehindPgbouncer(t *testing.T) {
	storetest.TestAccount(t, openPgbouncerForSuite)
}

func TestGalleryContractBehindPgbouncer(t *testing.T) {
	storetest.TestGallery(t, openPgbouncerForSuite)
}

func TestOperateContractBehindPgbouncer(t *testing.T) {
	storetest.TestOperate(t, openPgbouncerForSuite)
}

// Tests of a server wait for it, so others run meanwhile.
func openPostgresForSuite(t *testing.T) storetest.Records {
	t.Parallel()
	return postgresRecords(t, guardedServer.Postgres(t), &atomic.Int64{})
}

func openPgbouncerForSuite(t *testing.T) storetest.Records {
	t.Parallel()
	return postgresRecords(t, guardedServer.Pgbouncer(t), &atomic.Int64{})
}

// postgresRecords are a node's on the database of that URL. What a crash leaves is what
// another node finds: what was acknowledged the server has.
func postgresRecords(t *testing.T, url string, ahead *atomic.Int64) storetest.Records {
	t.Helper()
	db, err := OpenPostgres(t.Context(), url, postgres.Options{Now: clockAhead(ahead), Connections: 8})
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	r := storesOf(db, "", ahead)
	r.TendsRoom = true
	r.Copy = func(t *testing.T) storetest.Records { return postgresRecords(t, url, ahead) }
	return r
}

// serverTemplate is a database on the server that fill has filled.
func serverTemplate(fill func(*DB) error) *testenv.PostgresTemplate {
	return &testenv.PostgresTemplate{Make: func(url string) error {
		db, err := OpenPostgres(context.Background(), url, postgres.Options{})
		if err != nil {
			return err
		}
		return errors.Join(fill(db), db.Close())
	}}
}

var (
	// emptyServer is a database with its tables.
	emptyServer = serverTemplate(func(*DB) error { return nil })
	// guardedServer is one that is guarded besides.
	guardedServer = serverTemplate(guardChanges)
)
