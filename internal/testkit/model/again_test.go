package model_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// kept is a call that was made under an Idempotency-Key, with what came of it.
type kept struct {
	expires time.Time
	project *project
	version int  // 0 of a signup
	reads   bool // the answer is read from that version, which may be erased since
	account *account
	again   func(t *rapid.T, other bool) (firstAnswer, error)
}

// firstAnswer is what an answer that is given again is compared by.
type firstAnswer struct {
	replayed bool
	project  sandlot.Project
	keys     publish.Minted
}

// keptCalls is how many such calls are remembered, to be made again.
const keptCalls = 6

// onceKey draws whether a call has an Idempotency-Key. One that may have to be made again has.
func (m *machine) onceKey(t *rapid.T) string {
	m.onceKeys++
	if m.cut && !m.sure() {
		return fmt.Sprint("k", m.onceKeys)
	}
	return rapid.SampledFrom([]string{"", fmt.Sprint("k", m.onceKeys)}).Draw(t, "Idempotency-Key")
}

// keep remembers a call that was done under an Idempotency-Key.
func (m *machine) keep(once string, k kept) {
	if once == "" {
		return
	}
	k.expires = m.now.Add(24 * time.Hour)
	m.kept = append(m.kept, k)
	m.kept = m.kept[max(0, len(m.kept)-keptCalls):]
}

// repeat makes such a call again: within a day the same request yields the first
// answer and does nothing, and another is refused.
func (m *machine) repeat(t *rapid.T) {
	m.dropExpired()
	if len(m.kept) == 0 {
		m.signup(t)
		return
	}
	k, other := pick(t, "call", m.kept), !often(t, "the same request")
	got, err := k.again(t, other)
	if other {
		m.happened(t, "another request under the same key", err, []sandlot.Code{sandlot.CodeIdempotencyMismatch})
		return
	}
	if k.reads && k.project.versions[k.version-1].erased {
		m.happened(t, "a request again whose version was erased", err, []sandlot.Code{sandlot.CodeProjectNotFound})
		return
	}
	m.happened(t, "the same request again", err, nil)
	if !got.replayed {
		t.Fatal("a repeated call was made anew")
	}
	if k.version == 0 {
		if got.keys.Account != k.account.key {
			t.Fatal("the repeated signup yields another key")
		}
		return
	}
	v := k.project.versions[k.version-1]
	if got.project.ID != k.project.id || got.project.Version != k.version || got.project.Suffix != v.suffix ||
		got.project.Size != v.size() && !v.erased {
		t.Fatalf("repeated it yields %+v, want version %d of %s", got.project, k.version, k.project.id)
	}
	if k.account != nil && (got.keys.Account != k.account.key || got.keys.Project != k.project.key) {
		t.Fatal("the repeated publish yields other keys")
	}
}

// dropExpired forgets calls whose day is over: made again they would be new ones.
func (m *machine) dropExpired() {
	var left []kept
	for _, k := range m.kept {
		if m.now.Before(k.expires) {
			left = append(left, k)
		}
	}
	m.kept = left
}
