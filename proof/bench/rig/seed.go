package rig

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore"
)

const (
	perAccount     = 10 // except the first account, which has a page of them
	firstAccount   = 1000
	seeders        = 256 // the number that share a commit
	seedContentLen = 300
)

// Seeded returns a data folder below dir with n projects, at least a thousand. It makes the folder unless an earlier
// call for the same dir did.
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

// seed uses the store directly: through HTTP it would take three times as long.
func seed(ctx context.Context, data string, n int) error {
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(data, "sandlot.db"), sqlstore.Options{})
	if err != nil {
		return err
	}
	if err := errors.Join(Fill(ctx, db, n), db.Close()); err != nil {
		return err
	}
	return settle(ctx, filepath.Join(data, "sandlot.db"))
}

// Fill makes n projects in an empty store, at least a thousand.
func Fill(ctx context.Context, db *sqlstore.DB, n int) error {
	// As on the local instance that it is for: its first start would otherwise list a million projects before it
	// listens.
	if err := db.Gallery().ListUnverified(ctx, true); err != nil {
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
	return g.Wait()
}

// settle marks all content as compressed, as in a service that has run for a while: otherwise the compression would be
// measured along with the requests.
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
		Handles: []string{SeededHandle(a)}, CreatedAt: now,
		Key: sandlot.Key{Kind: sandlot.AccountKey, Hash: sandlot.Secret(SeededKey(a)).Hash(), CreatedAt: now},
	}
	made, err := db.Publish().CreateAccount(ctx, account)
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

func seedProject(ctx context.Context, db *sqlstore.DB, owner sandlot.AccountID, i int, now time.Time) error {
	content, digest := seedContent(i)
	_, err := db.Publish().CreateProject(ctx, publish.NewProject{
		ID: sandlot.ProjectID(SeededProject(i)), Account: owner, Title: seededTitle(i), Suffix: fmt.Sprintf("%x", digest[:5]),
		CreatedAt: now,
		Files: []sandlot.File{{
			Name: "index.bin", Folded: "index.bin",
			Blob: sandlot.Blob{Size: seedContentLen, SHA256: digest, Inline: content},
		}}, Primary: "index.bin",
		Key: sandlot.Key{Kind: sandlot.ProjectKey, Hash: sha256.Sum256(fmt.Appendf(nil, "project %d", i)), CreatedAt: now},
	})
	return err
}

// seededWords holds the words of titles.
var seededWords = strings.Fields(`space cat race jump puzzle mario ninja dragon tower defense chess
	snake pong zombie farm city cooking pirate
	robot battle arena soccer tennis piano quiz math garden ocean volcano castle knight wizard jelly candy maze
	tank plane train rocket alien galaxy moon desert jungle winter kitten horse unicorn mermaid princess hero 星の
	カービィ 麻雀 ゲーム 冒险 迷宫 гонки танки épée straße señor 태권도 게임`)

// seededTitle returns the title of the i-th project: two words shared by one in some 30, its number, and one of two
// words shared by half of all.
func seededTitle(i int) string {
	n := len(seededWords)
	half := [...]string{"foxtrot", "quebec"}[i%2]
	return fmt.Sprintf("A seeded game %s %s %d %s", seededWords[i%n], seededWords[(i/n*7+i)%n], i, half)
}

// SeededSearches returns paths of searches in the website of a service with n seeded projects. Of a hundred, 60 are for
// one word of a title, 10 for a part of one, 10 for two words, 5 for a number, 5 for a handle, 5 for an absent word, 3
// for a word of all titles and 2 for two words that half have and none both. A page shows the first 24 results.
func SeededSearches(n int) (paths []string) {
	word := func(i int) string { return seededWords[i%len(seededWords)] }
	add := func(times int, query func(i int) string) {
		for i := range times {
			paths = append(paths, "/?q="+url.QueryEscape(query(i)))
		}
	}
	add(60, word)
	add(10, func(i int) string { w := []rune(word(i * 7)); return string(w[len(w)/3:]) })
	add(10, func(i int) string { return word(i) + " " + word(i*11+3) })
	add(5, func(i int) string { return strconv.Itoa(n - 1 - i*n/7) })
	add(5, func(i int) string { return "seed-" + strconv.Itoa(1+i*n/100) })
	add(5, func(i int) string { return "nothing" + word(i) })
	add(3, func(int) string { return "seeded" })
	add(2, func(int) string { return "foxtrot quebec" })
	return paths
}

// seedContent returns the file of the i-th project, and its digest.
func seedContent(i int) (content []byte, digest [sha256.Size]byte) {
	content = make([]byte, seedContentLen)
	binary.LittleEndian.PutUint64(content, uint64(i))
	return content, sha256.Sum256(content)
}

// SeededProject returns the id of the i-th project of a seeded store.
func SeededProject(i int) string {
	_, digest := seedContent(i)
	return fmt.Sprintf("seed-%d-%x", i, digest[:3])
}

// SeededKey returns the key of the n-th account of a seeded store. The first account has a thousand projects.
func SeededKey(n int) string { return key(fmt.Sprintf("seeded%024d", n)) }

// SeededHandle returns the handle of the n-th account of a seeded store.
func SeededHandle(n int) string { return fmt.Sprintf("seed-%d", n) }

// SeedLogin makes a session of the n-th account of a seeded store, and returns the value of its cookie.
func SeedLogin(ctx context.Context, file string, n int) (cookie string, err error) {
	db, err := sqlstore.OpenSQLite(ctx, file, sqlstore.Options{})
	if err != nil {
		return "", err
	}
	defer db.Close()
	owner, err := db.Gallery().AccountOfHandle(ctx, SeededHandle(n))
	if err != nil {
		return "", err
	}
	now := time.Now()
	cookie = "seeded-login"
	_, err = db.Account().AddSession(ctx, sandlot.Secret(cookie).Hash(), sandlot.Session{
		Account: owner.ID, Agent: "bench", CreatedAt: now, ProvedAt: now, SeenAt: now, ExpiresAt: now.Add(sandlot.SessionLife),
	})
	return cookie, err
}

// MadeUpKey returns a well-formed key that does not exist.
func MadeUpKey(c, i int) string { return key(fmt.Sprintf("madeup%012d%012d", c, i)) }

// key adds the prefix and the checksum to the 30 random characters of a key.
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

// SeedAccount makes an account with n projects in a store. Its address is not verified yet; the token of Digest{1}
// verifies it.
func SeedAccount(ctx context.Context, db *sqlstore.DB, n int) (sandlot.AccountID, error) {
	now := time.Now()
	made, err := db.Publish().CreateAccount(ctx, publish.NewAccount{Handles: []string{"large"}, Email: "large@example.com", CreatedAt: now})
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
	_, err = db.Mail().AddVerification(ctx,
		account.Verification{Token: sandlot.Digest{1}, Account: made.ID, Email: "large@example.com", ExpiresAt: now.Add(time.Hour)})
	return made.ID, err
}

// SeedFiles adds n files to a project, in one version. Their bytes are never read.
func SeedFiles(ctx context.Context, db *sqlstore.DB, p sandlot.Project, n int) (sandlot.Project, error) {
	var c publish.Change
	for i := range n {
		name := fmt.Sprintf("levels/%05d.json", i)
		c.Put = append(c.Put,
			sandlot.File{
				Name: name, Folded: name,
				Blob: sandlot.Blob{
					Ref: sandlot.BlobRef(fmt.Sprintf("seed-%d", i)), Size: seedContentLen,
					SHA256: sha256.Sum256([]byte(name)),
				},
			})
	}
	p, err := db.Publish().Rearrange(ctx, p.ID, c, publish.Edit{At: time.Now(), Expect: p.Version, Suffix: "seeded"})
	return p, err
}

// SeedVersions adds n versions to a project, each with other bytes of one file.
func SeedVersions(ctx context.Context, file string, id sandlot.ProjectID, n int) error {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // has no effect after the commit
	const numbers = "WITH RECURSIVE v (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM v WHERE n < ?2) "
	for _, query := range []string{
		numbers + "INSERT INTO versions (project, n, suffix, title, primary_file, created_at) SELECT p.num, v.n, 'seeded', " +
			"p.title, p.primary_file, 0 FROM v, projects p WHERE p.id = ?1",
		numbers + `INSERT INTO blobs (ref, size, sha256, is_text, squeezed, created_at)
			SELECT 'version-' || v.n, 300, zeroblob(32), 1, 1, 0
			FROM v WHERE ?1 <> ''`,
		numbers + `INSERT INTO files (project, since, until, folded, name, blob) SELECT p.num, v.n, v.n + 1, 'a.js', 'a.js', b.id
			FROM v JOIN projects p ON p.id = ?1 JOIN blobs b ON b.ref = 'version-' || v.n`,
		"UPDATE projects SET version = ?2 + 1 WHERE id = ?1",
		"INSERT INTO versions (project, n, suffix, title, primary_file, created_at) SELECT num, ?2 + 1, suffix, title, " +
			"primary_file, 0 FROM projects WHERE id = ?1",
	} {
		if _, err := tx.ExecContext(ctx, query, string(id), n); err != nil {
			return err
		}
	}
	return tx.Commit()
}
