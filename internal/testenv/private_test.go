//go:build unix

package testenv

import (
	"context"
	"testing"
	"time"

	"sandlot/internal/expect"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestAPrivateServerComesAgain at the same address, after each way in which it may end; PostgreSQL with what was committed.
func TestAPrivateServerComesAgain(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *Private{"PostgreSQL": StartPostgres, "Redis": StartRedis} {
		t.Run(name, func(t *testing.T) {
			server := start(t)
			if name == "PostgreSQL" {
				ask(t, connect(t, server.URL()), "CREATE TABLE t (n INTEGER)")
			}
			for _, end := range []func(testing.TB){server.Kill, server.Stop} {
				end(t)
				if err := server.ready(); err == nil {
					t.Error("it still serves")
				}
				server.Start(t)
				if name == "PostgreSQL" {
					expect.Equal(t, "rows", ask(t, connect(t, server.URL()), "SELECT count(*) FROM t"), "0")
				}
			}
		})
	}
}

func TestAPrivateS3ServerKeepsItsBucket(t *testing.T) {
	server, bucket := StartS3(t)
	expect.OK(t, bucket.do("PUT", "a", nil, nil))
	server.Kill(t)
	if err := bucket.do("PUT", "b", nil, nil); err == nil {
		t.Error("it still serves")
	}
	server.Start(t)
	expect.Equal(t, "objects", objects(t, bucket), 1)
}

func TestAPausedServerTakesNobody(t *testing.T) {
	server := StartPostgres(t)
	server.Pause(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if c, err := pgconn.Connect(ctx, server.URL()); err == nil {
		c.Close(t.Context())
		t.Error("it took a connection")
	}
	server.Resume(t)
	connect(t, server.URL())
}
