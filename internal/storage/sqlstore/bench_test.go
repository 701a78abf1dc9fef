package sqlstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// benchCallers is how many publish at once.
const benchCallers = 64

// BenchmarkCreateProject publishes files of 10 KiB that are kept in their
// records, from 64 callers at once: once for one account, once with a new account
// for each. An op is one durable publish.
func BenchmarkCreateProject(b *testing.B) {
	for _, c := range []struct {
		name string
		new  bool
		size int
	}{{"keyed", false, 10 << 10}, {"anonymous", true, 10 << 10}, {"metadata", false, 0}} {
		b.Run(c.name, func(b *testing.B) { benchCreate(b, c.new, c.size) })
	}
}

func benchCreate(b *testing.B, anonymous bool, size int) {
	db, err := OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "bench.db"), Options{})
	expect.OK(b, err)
	defer db.Close()
	a, err := db.Publish().CreateAccount(b.Context(), benchAccount(0))
	expect.OK(b, err)
	content := make([]byte, size)
	rand.Read(content)
	var n atomic.Uint64
	commits, steps := onSQLite(db).Commits()
	b.SetParallelism(benchCallers / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			np := benchProject(n.Add(1), content)
			np.Account = a.ID
			if anonymous {
				na := benchAccount(n.Load()<<32 | n.Add(1))
				np.New = &na
			}
			if _, err := db.Publish().CreateProject(context.Background(), np); err != nil {
				b.Error(err)
			}
		}
	})
	commitsAfter, stepsAfter := onSQLite(db).Commits()
	b.ReportMetric(float64(commitsAfter-commits)/b.Elapsed().Seconds(), "commits/s")
	b.ReportMetric(float64(stepsAfter-steps)/b.Elapsed().Seconds(), "steps/s")
}

func benchSum(kind string, n uint64) sandlot.Digest {
	return sha256.Sum256(binary.BigEndian.AppendUint64([]byte(kind), n))
}

func benchName(kind string, n uint64) string {
	sum := benchSum(kind, n)
	return kind + "-" + strings.ToLower(base32.HexEncoding.EncodeToString(sum[:10]))
}

func benchAccount(n uint64) publish.NewAccount {
	key := sandlot.Key{Hash: benchSum("account key", n), Kind: sandlot.AccountKey, Name: "account key", LastFour: "abcd", CreatedAt: time.Now()}
	return publish.NewAccount{
		Handles: []string{benchName("handle", n)}, Email: "a@example.com", CreatedAt: time.Now(), Key: key,
		Job: &sandlot.Job{Kind: "verify", Address: "a@example.com", Due: time.Now()},
	}
}

func benchProject(n uint64, content []byte) publish.NewProject {
	blob := sandlot.Blob{Size: int64(len(content)), SHA256: benchSum("content", n), Text: true, Inline: content}
	if len(content) == 0 {
		blob.Ref = sandlot.BlobRef(benchName("blob", n))
	}
	return publish.NewProject{
		ID: sandlot.ProjectID(benchName("project", n)), Title: "A game", CreatedAt: time.Now(), Suffix: "0123456789",
		Files: []sandlot.File{{Name: "index.html", Folded: "index.html", Blob: blob}}, Primary: "index.html",
		Key: sandlot.Key{Hash: benchSum("project key", n), Kind: sandlot.ProjectKey, LastFour: "abcd", CreatedAt: time.Now()},
	}
}
