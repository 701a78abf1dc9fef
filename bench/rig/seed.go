package rig

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"sandlot/internal/publish"
	"sandlot/internal/sqlstore"
)

const (
	perAccount     = 10 // but the first account, which has a page of them
	firstAccount   = 1000
	seeders        = 256 // as many as share a commit
	seedContentLen = 300
)

// Seeded returns a data folder below dir with n projects, at least a thousand: made
// now, or by an earlier call for the same dir.
func Seeded(ctx context.Context, dir string, n int) (string, error) {
	data := filepath.Join(dir, fmt.Sprintf("projects-%d", n))
	done := data + ".done"
	if _, err := os.Stat(done); err == nil {
		return data, nil
	}
	if err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o700)); err != nil {
		return "", err
	}
	if err := seed(ctx, data, n); err != nil {
		return "", err
	}
	return data, os.WriteFile(done, nil, 0o600)
}

// seed goes through the store itself: through HTTP it would take three times as long.
func seed(ctx context.Context, data string, n int) error {
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(data, "sandlot.db"), sqlstore.Options{})
	if err != nil {
		return err
	}
	g, working := errgroup.WithContext(ctx)
	accounts := 1 + (n-firstAccount)/perAccount
	for s := range seeders {
		g.Go(func() error {
			for a := s; a < accounts; a += seeders {
				if err := seedAccount(working, db, a); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := errors.Join(g.Wait(), db.Close()); err != nil {
		return err
	}
	return settle(ctx, filepath.Join(data, "sandlot.db"))
}

// settle marks all content as compressed, as it is in a service that has run for a
// while: otherwise that work would be measured beside the requests.
func settle(ctx context.Context, file string) error {
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "UPDATE blobs SET squeezed = 1")
	return err
}

func seedAccount(ctx context.Context, db *sqlstore.DB, a int) error {
	now := time.Now()
	account := publish.NewAccount{
		Handles: []string{fmt.Sprintf("seed-%d", a)}, CreatedAt: now,
		Key: publish.Key{Kind: publish.AccountKey, Hash: publish.Secret(SeededKey(a)).Hash(), CreatedAt: now},
	}
	made, err := db.CreateAccount(ctx, account)
	if err != nil {
		return err
	}
	first, projects := firstAccount+(a-1)*perAccount, perAccount
	if a == 0 {
		first, projects = 0, firstAccount
	}
	for i := range projects {
		if err := seedProject(ctx, db, made.ID, first+i, now); err != nil {
			return err
		}
	}
	return nil
}

func seedProject(ctx context.Context, db *sqlstore.DB, owner publish.AccountID, i int, now time.Time) error {
	content, digest := seedContent(i)
	_, err := db.CreateProject(ctx, publish.NewProject{
		ID: publish.ProjectID(SeededProject(i)), Account: owner, Title: "A seeded game", Suffix: fmt.Sprintf("%x", digest[:5]), CreatedAt: now,
		File: publish.File{Name: "index.bin", Folded: "index.bin", Blob: publish.Blob{Size: seedContentLen, SHA256: digest, Inline: content}},
		Key:  publish.Key{Kind: publish.ProjectKey, Hash: sha256.Sum256(fmt.Appendf(nil, "project %d", i)), CreatedAt: now},
	})
	return err
}

// seedContent is the file of the i-th project.
func seedContent(i int) (content []byte, digest [sha256.Size]byte) {
	content = make([]byte, seedContentLen)
	binary.LittleEndian.PutUint64(content, uint64(i))
	return content, sha256.Sum256(content)
}

// SeededProject is the i-th project of a seeded store.
func SeededProject(i int) string {
	_, digest := seedContent(i)
	return fmt.Sprintf("seed-%d-%x", i, digest[:3])
}

// SeededKey is the key of the n-th account of a seeded store. The first has a
// thousand projects.
func SeededKey(n int) string { return key(fmt.Sprintf("seeded%024d", n)) }

// MadeUpKey is a key that is well formed and that nobody has.
func MadeUpKey(c, i int) string { return key(fmt.Sprintf("madeup%012d%012d", c, i)) }

// key puts a prefix before, and a checksum behind, the 30 characters that a key is drawn as.
func key(drawn string) string {
	const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	text := "sla_" + drawn
	sum := crc32.ChecksumIEEE([]byte(text))
	var check [6]byte
	for i := len(check) - 1; i >= 0; i-- {
		check[i] = base62[sum%62]
		sum /= 62
	}
	return text + string(check[:])
}

// SeedAccount makes a verified account of n projects in a store.
func SeedAccount(ctx context.Context, db *sqlstore.DB, n int) (publish.AccountID, error) {
	now := time.Now()
	made, err := db.CreateAccount(ctx, publish.NewAccount{Handles: []string{"large"}, Email: "large@example.com", CreatedAt: now})
	if err != nil {
		return 0, err
	}
	g, working := errgroup.WithContext(ctx)
	g.SetLimit(seeders)
	for i := range n {
		g.Go(func() error { return seedProject(working, db, made.ID, i, now) })
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	v := publish.Verification{Token: publish.Digest{1}, Account: made.ID, Email: "large@example.com", ExpiresAt: now.Add(time.Hour)}
	if _, err := db.AddVerification(ctx, v); err != nil {
		return 0, err
	}
	_, err = db.UseVerification(ctx, v.Token, now)
	return made.ID, err
}
