package inspect

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"sandlot/internal/format/names"
	"sandlot/internal/testkit/testenv"
)

// keyFirst is keyPattern at the beginning of a text: for that, regexp prepares nothing at each place.
var keyFirst = regexp.MustCompile("^" + keyPattern.String())

// slowFindKey is FindKey by the words of the contract alone.
func slowFindKey(text []byte) int {
	for at := range text {
		rest := text[at:]
		if !keyFirst.Match(rest[:min(len(rest), keySize)]) {
			continue
		}
		if key := string(rest[:keySize]); names.KeyChecksum(key[:keySize-names.KeySum]) == key[keySize-names.KeySum:] {
			return at
		}
	}
	return -1
}

// worst are the contents that a search for keys finds hardest: each looks like a
// key for as long as it can.
func worst(t testing.TB, size int) map[string][]byte {
	key := testKey(t, names.AccountPrefix)
	random := make([]byte, size)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = names.Base62[r.IntN(len(names.Base62))]
	}
	// every stretch of so many characters begins with a prefix
	prefixed := func(every int, also ...int) []byte {
		out := bytes.Clone(random)
		for at := 0; at < size; at += every {
			for _, off := range append(also, 0) {
				copy(out[min(size, at+off):], "sla_")
			}
		}
		return out
	}
	fill := func(s string) []byte { return bytes.Repeat([]byte(s), size/len(s)) }
	mostlyRight := flip(key, keySize-names.KeySum) // all but one character of the checksum fits
	return map[string][]byte{
		"prefixes":                           fill("sla_"),
		"both prefixes, shifted":             fill("slasla_slp_p_a_"),
		"underscores":                        fill("_"),
		"l_":                                 fill("l_"),
		"sl":                                 fill("sl"),
		"base62":                             random,
		"wrong keys":                         prefixed(keySize),
		"wrong keys that overlap":            prefixed(keySize - 3),
		"a prefix before each wrong key":     prefixed(keySize+4, 4),
		"a body with one character too few":  prefixed(keySize - 1),
		"keys with one wrong character":      fill(flip(key, 20)),
		"keys with the last character wrong": fill(flip(key, keySize-1)),
		"keys with most of the sum right":    fill(mostlyRight),
		"right sums over a wrong body":       fill(key[:4] + "-" + key[5:]),
		"a hyphen at the end of each body":   fill(key[:keySize-1] + "-"),
		"cut keys":                           fill(key[:keySize-1]),
	}
}

func TestRegression01ASearchForKeysIsExact(t *testing.T) {
	a, p := testKey(t, names.AccountPrefix), testKey(t, names.ProjectPrefix)
	t.Run("in what it finds hardest, with a key at every place", func(t *testing.T) {
		for name, text := range worst(t, 400) {
			if got, want := FindKey(text), slowFindKey(text); got != want {
				t.Fatalf("%s: got %d, want %d", name, got, want)
			}
			for at := 0; at+keySize <= len(text); at++ {
				held := append(append(bytes.Clone(text[:at]), p...), text[at+keySize:]...)
				if got, want := FindKey(held), slowFindKey(held); got != want {
					t.Fatalf("%s with a key at %d: got %d, want %d", name, at, got, want)
				}
			}
		}
	})
	t.Run("with another byte at every place of a key", func(t *testing.T) {
		for at := range a {
			for c := range 256 {
				text := []byte(a)
				text[at] = byte(c)
				if got, want := FindKey(text), slowFindKey(text); got != want {
					t.Fatalf("%q: got %d, want %d", text, got, want)
				}
			}
		}
	})
	t.Run("however it is put together and cut", func(t *testing.T) {
		bits := rapid.SampledFrom([]string{a, p, a[:37], a[3:], p[4:], flip(a, 9), flip(a, 39), "sla_", "slp_", "sl", "_", "s", "slasla_", strings.Repeat("x", 36), "é", "-"})
		rapid.Check(t, func(t *rapid.T) {
			text := []byte(strings.Join(rapid.SliceOfN(bits, 0, 10).Draw(t, "bits"), ""))
			want := slowFindKey(text)
			if got := FindKey(text); got != want {
				t.Fatalf("%q: got %d, want %d", text, got, want)
			}
			k := keySearch{at: -1}
			for rest := text; len(rest) > 0; {
				n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
				k.write(rest[:n])
				rest = rest[n:]
			}
			if k.at != int64(want) {
				t.Fatalf("%q in pieces: got %d, want %d", text, k.at, want)
			}
		})
	})
}

// unmatched are contents that the other looks find hardest.
func unmatched(size int) map[string][]byte {
	r := rand.New(rand.NewPCG(3, 4))
	mixed := func(bits ...string) []byte {
		out := make([]byte, 0, size+4)
		for len(out) < size {
			out = append(out, bits[r.IntN(len(bits))]...)
		}
		return out
	}
	return map[string][]byte{
		"characters of every length": mixed("a", "é", "€", "🎮"),
		"characters of two bytes":    mixed("é", "ü", "я"),
		"base64 among line breaks":   mixed("A", "z", "+", "\r", "\n"),
	}
}

// leastCPU returns the least time of do in some tries, counting only while it had a processor: other work of the
// machine counts for little.
func leastCPU(tries int, do func()) time.Duration {
	now := func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
			panic(err)
		}
		return time.Duration(t.Nano())
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(math.MaxInt64)
	for range tries {
		begun := now()
		do()
		least = min(least, now()-begun)
	}
	return least
}

func TestSoakRegression01NoContentIsDearToLookAt(t *testing.T) {
	testenv.Unraced(t)
	const size, piece = 256 << 10, 32 << 10
	const most = 8 // times the hash of the same bytes; what grows with the square takes hundreds
	contents := worst(t, size)
	maps.Copy(contents, unmatched(size))
	for name, text := range contents {
		t.Run(name, func(t *testing.T) {
			through := func(write func([]byte)) func() {
				return func() {
					for p := range slices.Chunk(text, piece) {
						write(p)
					}
				}
			}
			sum := sha256.New()
			hash, search, all := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for round := 0; round < 3 || round < 400 && search > most*hash; round++ { // other users of the core slow one of them down at times
				hash = min(hash, leastCPU(3, through(func(p []byte) { sum.Write(p) })))
				k := keySearch{at: -1}
				search = min(search, leastCPU(3, through(k.write)))
				in := New()
				all = min(all, leastCPU(3, through(func(p []byte) { _, _ = in.Write(p) })))
			}
			t.Logf("the search takes %.2f times as long as the hash, the whole look at content %.2f times", float64(search)/float64(hash), float64(all)/float64(hash))
			if search > most*hash {
				t.Errorf("the search takes %v, the hash %v", search, hash)
			}
		})
	}
}
