package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func noise(n int) []byte {
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(data)
	return data
}

func hashed(data []byte) *Hash {
	h := New()
	h.Write(data)
	return h
}

// The states are from an implementation of FIPS 180-4 that shares nothing with the standard
// library: if that one came to save its state in another form, this would show.
func TestCheckpointsAreTheStatesOfSHA256(t *testing.T) {
	pattern := make([]byte, 256)
	for i := range pattern {
		pattern[i] = byte(7 * i)
	}
	const want = "fc7f84dd8cbec5e1b59eb06e875e2fea4dd745a69b321cb66daec17faec29e19" +
		"22d239375c88716796e9c8d21f248738fe910de84ae7c5c1740734adeeb451d0"
	if got := hex.EncodeToString([]byte(hashed(bytes.Repeat(pattern, 3*Step/256)).Points())); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestAHashIsTheSameHoweverItIsWritten(t *testing.T) {
	for _, size := range []int{0, 1, Step - 1, Step, Step + 1, 2*Step - 1, 2 * Step, 2*Step + 1, 3*Step + 7} {
		data := noise(size)
		want := hashed(data).Points()
		if len(want) != max(size-1, 0)/Step*32 || Complete(want, int64(size)) != (size > Step) {
			t.Errorf("%d bytes have %d bytes of checkpoints", size, len(want))
		}
		for _, step := range []int{997, 64 << 10, Step, 5 * Step} {
			h := New()
			for rest := data; len(rest) > 0; rest = rest[min(step, len(rest)):] {
				if n, err := h.Write(rest[:min(step, len(rest))]); err != nil || n != min(step, len(rest)) {
					t.Fatal(n, err)
				}
				_, _ = h.Points(), h.Sum() // asking changes nothing
			}
			if h.Size() != int64(size) || h.Sum() != sha256.Sum256(data) || h.Points() != want {
				t.Errorf("%d bytes in steps of %d: %d bytes, %x", size, step, h.Size(), h.Sum())
			}
		}
	}
}

// piece reports whether data is MiB n.
func piece(t *testing.T, points string, n int64, data []byte, whole [32]byte) bool {
	t.Helper()
	p, err := NewPiece(points, n)
	expect.OK(t, err)
	for rest := data; len(rest) > 0; rest = rest[min(100_000, len(rest)):] {
		p.Write(rest[:min(100_000, len(rest))])
	}
	return p.OK(whole)
}

func TestAPieceIsCheckedWithoutTheRest(t *testing.T) {
	for _, size := range []int{Step + 1, 2 * Step, 3*Step + 7} {
		data := noise(size)
		points, whole := hashed(data).Points(), sha256.Sum256(data)
		for n := range (size + Step - 1) / Step {
			mine := data[n*Step : min((n+1)*Step, size)]
			other := bytes.Clone(mine)
			other[len(other)/2] ^= 1
			elsewhere := data[(n+1)*Step%size:][:min(Step, size-(n+1)*Step%size)]
			for what, c := range map[string]struct {
				data []byte
				want bool
			}{
				"itself": {mine, true}, "with another bit": {other, false}, "nothing": {nil, false}, "the MiB behind": {elsewhere, false},
				"a byte less": {mine[:len(mine)-1], false}, "a byte more": {append(bytes.Clone(mine), 0), false}, "twice": {append(bytes.Clone(mine), mine...), false},
			} {
				if got := piece(t, points, int64(n), c.data, whole); got != c.want {
					t.Errorf("MiB %d of %d bytes, %s: %v", n, size, what, got)
				}
			}
		}
	}
}

func TestOtherCheckpointsFitNoPieceBesideThem(t *testing.T) {
	data := noise(3 * Step)
	points, whole := hashed(data).Points(), sha256.Sum256(data)
	wrong := "x" + points[1:]
	for n, want := range []bool{false, false, true} {
		if got := piece(t, wrong, int64(n), data[n*Step:][:Step], whole); got != want {
			t.Errorf("MiB %d: %v", n, got)
		}
	}
	same := strings.Repeat(points[:32], 2) // as if a MiB changed nothing
	if piece(t, same, 1, nil, whole) {
		t.Error("nothing passed for a MiB")
	}
}
