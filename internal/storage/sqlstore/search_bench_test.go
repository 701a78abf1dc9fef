package sqlstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

// searchWords are what made-up titles are made of.
var searchWords = strings.Fields(`space cat race jump puzzle super mario ninja dragon tower defense chess snake pong zombie farm city cooking
	pirate robot battle arena soccer tennis drawing piano quiz math learn garden ocean submarine volcano castle knight wizard jelly candy maze tank plane
	train subway rocket alien galaxy moon desert jungle winter halloween christmas kitten puppy horse unicorn mermaid princess hero legend adventure 星の カービィ
	麻雀 ゲーム 冒险 迷宫 гонки танки война кошка épée écran straße größe señor mañana ação coração 태권도 게임`)

// BenchmarkSearch searches among listed projects, SANDLOT_BENCH_PROJECTS of them or
// 50,000, from several callers at once.
func BenchmarkSearch(b *testing.B) {
	n := 50_000
	if s := os.Getenv("SANDLOT_BENCH_PROJECTS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	db, err := OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "bench.db"), Options{})
	expect.OK(b, err)
	defer db.Close()
	expect.OK(b, db.Gallery().ListUnverified(b.Context(), true))
	a, err := db.Publish().CreateAccount(b.Context(), benchAccount(0))
	expect.OK(b, err)
	began := processorTime()
	var all sync.WaitGroup
	for part := range benchCallers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(part)))
			for i := part; i < n; i += benchCallers {
				np := benchProject(uint64(i), nil)
				np.Account = a.ID
				np.Title = fmt.Sprint("A seeded game ", searchWords[r.IntN(len(searchWords))], " ", searchWords[r.IntN(len(searchWords))], " ", i)
				if i%2 == 0 {
					np.Title += " foxtrot"
				} else {
					np.Title += " quebec"
				}
				if _, err := db.Publish().CreateProject(context.Background(), np); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	b.Logf("%v of processor time for each of %d projects", (processorTime()-began)/time.Duration(n), n)
	for _, table := range []string{"search_grams", "search_texts"} {
		bytes, err := one(b.Context(), db, scanValue[int64], "SELECT sum(pgsize) FROM dbstat WHERE name = ?", table)
		b.Logf("%s has %d bytes for each project, error %v", table, bytes/int64(n), err)
	}
	for _, words := range [][]string{{"seeded"}, {"dragon"}, {"foxtrot", "quebec"}, {"a"}, {"unicorn", "mermaid", "seeded"}, {"nothing"}, {"カービ"}, {"12345"}} {
		b.Run(strings.Join(words, " "), func(b *testing.B) {
			used := processorTime()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := db.Gallery().Listed(context.Background(), gallery.ListedQuery{Words: words, Limit: 25}); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "searches/s")
			b.ReportMetric((processorTime()-used).Seconds()*1e6/float64(b.N), "cpu-us/op")
		})
	}
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // never fails for oneself
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
