package model_test

import (
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/heads"
)

// leave deletes an account with all its projects. At once no node knows its keys.
func (m *machine) leave(t *rapid.T) {
	if len(m.accounts) < 2 {
		m.signup(t)
		return
	}
	a := pick(t, "account", m.accounts)
	if err := m.owners.DeleteAccount(t.Context(), m.owner(t, a), a.handle); err != nil {
		t.Fatalf("delete an account: %v", err)
	}
	keys := []sandlot.Secret{a.key}
	for _, p := range m.of(a) {
		keys = append(keys, p.key)
	}
	m.drop(a)
	of := func(p *project) bool { return p != nil && p.owner == a }
	m.recent = slices.DeleteFunc(m.recent, func(c partCall) bool { return c.by.account == a || of(c.project) })
	m.kept = slices.DeleteFunc(m.kept, func(k kept) bool { return k.account == a || of(k.project) })
	for _, n := range m.nodes {
		for _, key := range keys {
			_, err := n.Identify(t.Context(), sandlot.Presented{Key: key}, nobody.From)
			m.happened(t, "present the key of an account that was deleted", err, []sandlot.Code{sandlot.CodeInvalidKey})
		}
	}
}

// erase takes the bytes of a version away, unless it is the current one.
func (m *machine) erase(t *rapid.T) {
	if len(m.projects) == 0 {
		m.publish(t)
		return
	}
	p := pick(t, "project", m.projects)
	n := rapid.IntRange(1, len(p.versions)).Draw(t, "version")
	err := m.EraseVersion(t.Context(), m.owner(t, p.owner), p.id, n)
	if n == len(p.versions) {
		if !errors.Is(err, sandlot.ErrMoved) {
			t.Fatalf("erase the current version: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("erase a version: %v", err)
	}
	p.versions[n-1].erased = true
	m.change(p, change{version: len(p.versions), by: m.here})
}

// suspend has the operator, who is at no node, take a project down, and bring it back.
func (m *machine) suspend(t *rapid.T) {
	if len(m.projects) == 0 {
		m.publish(t)
		return
	}
	p := pick(t, "project", m.projects)
	if _, err := m.operator.Suspend(t.Context(), sandlot.AsOperator(""), string(p.id), "spam"); err != nil {
		t.Fatalf("suspend: %v", err)
	}
	m.change(p, change{version: len(p.versions), suspended: true})
	m.checkHeads(t)
	m.elapsed += rapid.SampledFrom([]time.Duration{heads.Hold + time.Millisecond, 300 * time.Millisecond}).Draw(t, "a moment")
	m.checkHeads(t)
	if _, err := m.operator.Reinstate(t.Context(), sandlot.AsOperator(""), string(p.id), ""); err != nil {
		t.Fatalf("end a suspension: %v", err)
	}
	m.change(p, change{version: len(p.versions)})
}
