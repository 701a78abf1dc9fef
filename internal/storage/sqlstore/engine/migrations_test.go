package engine

import (
	"fmt"
	"testing"
	"testing/fstest"

	"sandlot/internal/testkit/expect"
)

func TestMigrations(t *testing.T) {
	t.Run("are numbered without gaps", func(t *testing.T) {
		for _, names := range [][]string{{"0002_b.sql"}, {"0001_a.sql", "0003_c.sql"}, {"0001_a.sql", "0001_b.sql"}, {"first.sql"}} {
			files := fstest.MapFS{}
			for _, n := range names {
				files["m/"+n] = &fstest.MapFile{}
			}
			if _, err := LoadMigrations(files, "m"); err == nil {
				t.Errorf("%v was loaded", names)
			}
		}
	})

	t.Run("name the oldest schema of their programs at their beginning, or mean their own", func(t *testing.T) {
		list, err := LoadMigrations(fstest.MapFS{
			"m/0001_a.sql": {Data: []byte("CREATE TABLE a (n BIGINT); -- oldest: 9")},
			"m/0002_b.sql": {Data: []byte("-- oldest: 1\nCREATE TABLE b (n BIGINT);")},
			"m/0003_c.sql": {Data: []byte("-- oldest: 2, v0.2.0 no longer reads a\nDROP TABLE a;")},
			"m/0004_d.sql": {Data: []byte("-- oldest: 2nd\nDROP TABLE b;")},
			"m/README.md":  {},
		}, "m")
		expect.OK(t, err)
		for i, m := range list {
			expect.Equal(t, "the number", m.N, i+1)
			expect.Equal(t, "the oldest of "+m.Name, m.Oldest, []int{1, 1, 2, 4}[i])
		}
		expect.Equal(t, "migrations", len(list), 4)
	})

	t.Run("that a database lacks are those behind what it has", func(t *testing.T) {
		known := []Migration{{N: 1, Name: "0001_a.sql", Sum: [32]byte{1}}, {N: 2, Name: "0002_b.sql", Sum: [32]byte{2}}}
		sum := func(n byte) []byte { return append([]byte{n}, make([]byte, 31)...) }
		newer := func(has, oldest int) string {
			return fmt.Sprintf("0 x was written by a newer sandlot (its schema is %d, for programs that know %d; this one knows 2); "+
				"nothing was changed, start the newer one, or a copy from before its upgrade", has, oldest)
		}
		const other = "0 x was made by another 0002_b.sql than the one in this sandlot; nothing was changed, start the sandlot that made it"
		for _, c := range []struct {
			sums   [][]byte
			oldest int
			want   string
		}{
			{nil, 0, "2 <nil>"},
			{[][]byte{sum(1)}, 1, "1 <nil>"},
			{[][]byte{sum(1), sum(2)}, 2, "0 <nil>"},
			{[][]byte{sum(1), sum(2), sum(3)}, 2, "0 <nil>"},
			{[][]byte{sum(1), sum(2), sum(3), sum(4)}, 1, "0 <nil>"},
			{[][]byte{sum(1), sum(2), sum(3)}, 3, newer(3, 3)},
			{[][]byte{sum(1), sum(2), sum(3), sum(4)}, 3, newer(4, 3)},
			{[][]byte{sum(1), sum(9)}, 2, other},
			{[][]byte{sum(1), sum(9), sum(3)}, 2, other},
		} {
			todo, err := Unapplied("x", known, c.sums, c.oldest)
			expect.Equal(t, fmt.Sprint(len(c.sums), " applied"), fmt.Sprint(len(todo), " ", err), c.want)
		}
	})
}
