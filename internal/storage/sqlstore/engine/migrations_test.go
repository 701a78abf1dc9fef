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

	t.Run("say that they only expand at their beginning", func(t *testing.T) {
		list, err := LoadMigrations(fstest.MapFS{
			"m/0001_a.sql": {Data: []byte("CREATE TABLE a (n BIGINT); -- expands: not here")},
			"m/0002_b.sql": {Data: []byte("-- expands: a table that nobody needs\nCREATE TABLE b (n BIGINT);")},
			"m/README.md":  {},
		}, "m")
		expect.OK(t, err)
		for i, m := range list {
			expect.Equal(t, "the number", m.N, i+1)
			expect.Equal(t, m.Name+" expands", m.Expands, i == 1)
		}
		expect.Equal(t, "migrations", len(list), 2)
	})

	t.Run("that a database lacks are those behind what it has", func(t *testing.T) {
		known := []Migration{{N: 1, Name: "0001_a.sql", Sum: [32]byte{1}}, {N: 2, Name: "0002_b.sql", Sum: [32]byte{2}}}
		sum := func(n byte) []byte { return append([]byte{n}, make([]byte, 31)...) }
		for _, c := range []struct {
			sums    [][]byte
			expands bool
			want    string
		}{
			{nil, false, "2 <nil>"},
			{[][]byte{sum(1)}, true, "1 <nil>"},
			{[][]byte{sum(1), sum(2)}, false, "0 <nil>"},
			{[][]byte{sum(1), sum(2), sum(3)}, true, "0 <nil>"},
			{[][]byte{sum(1), sum(2), sum(3)}, false, "0 x was written by a newer sandlot (its schema is 3, this one knows 2); nothing was changed, start the newer one"},
			{[][]byte{sum(1), sum(2), sum(3), sum(4)}, true, "0 x was written by a newer sandlot (its schema is 4, this one knows 2); nothing was changed, start the newer one"},
			{[][]byte{sum(1), sum(9)}, false, "0 x was made by another 0002_b.sql than the one in this sandlot; nothing was changed, start the sandlot that made it"},
			{[][]byte{sum(1), sum(9), sum(3)}, true, "0 x was made by another 0002_b.sql than the one in this sandlot; nothing was changed, start the sandlot that made it"},
		} {
			todo, err := Unapplied("x", known, c.sums, c.expands)
			expect.Equal(t, fmt.Sprint(len(c.sums), " applied"), fmt.Sprint(len(todo), " ", err), c.want)
		}
	})
}
