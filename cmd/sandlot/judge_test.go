package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate/judge"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// judgedApp is an app whose judge is the text of a program of the shell, with a page of nobody's that is due.
func judgedApp(t *testing.T, program string) (*app, sandlot.ProjectID) {
	t.Helper()
	testenv.Need(t, "sh")
	a := smallApp(t)
	path := filepath.Join(t.TempDir(), "judge")
	expect.OK(t, os.WriteFile(path, []byte("#!/bin/sh\n"+program), 0o755))
	a.settings.Judge, a.settings.JudgeFails = "cmd:"+path, "pass"
	a.workers = nil
	a.guard()
	expect.OK(t, a.store.Operate().Verdicts().StartJudging(t.Context(), time.Hour)) // so that the page is not from before it
	staged, err := a.service.Contents.Stage(t.Context(), strings.NewReader("<!doctype html><title>Bank</title><p>PIN?"))
	expect.OK(t, err)
	out, _, err := a.service.Publish(t.Context(), sandlot.Caller{From: sandlot.Sender{Network: "192.0.2.1"}}, publish.PublishInput{Content: staged, Email: "ada@mail.internal"})
	expect.OK(t, err)
	return a, out.Project.ID
}

// TestAJudgeHoldsAProjectUntilItsVerdictIsReversed, by the commands that the book names.
func TestAJudgeHoldsAProjectUntilItsVerdictIsReversed(t *testing.T) {
	t.Parallel()
	a, id := judgedApp(t, `grep -q '"text":"[^"]*PIN?' && echo '{"answer":"hold","reason":"It asks for a PIN."}'`)
	ctx, stop := context.WithCancel(t.Context())
	for _, w := range a.workers {
		a.running.Go(func() { w(ctx) })
	}
	defer func() { stop(); a.running.Wait() }()
	a.judgedOnce(t)
	held := func() sandlot.Rule {
		p, err := a.store.Publish().Project(t.Context(), id)
		expect.OK(t, err)
		return p.Held.Rule
	}
	expect.Equal(t, "the hold", held(), sandlot.HeldJudge)
	command := func(args ...string) string {
		var out strings.Builder
		expect.OK(t, run(t.Context(), append(append([]string{"admin"}, args...), "--data", a.settings.Data), nil, &out, &out))
		return out.String()
	}
	expect.Contains(t, "the list", command("verdicts", "--answer", "hold"), string(id)+"  1        hold    true")
	expect.Equal(t, "those that passed", strings.Contains(command("verdicts", "--answer", "pass"), string(id)), false)
	expect.Contains(t, "the reversal", command("release", "https://"+string(id)+".example.net/", "--reason", "a game"), string(id)+" is released.")
	expect.Equal(t, "the hold afterwards", held(), sandlot.NotHeld)
	expect.Contains(t, "the log", command("log"), "release  "+string(id)+"  a game")
	expect.Equal(t, "the verdict, reversed", strings.Contains(command("verdicts", "--json"), `"reversed_at":null`), false)
	var out strings.Builder
	expect.Contains(t, "another word", fmt.Sprint(run(t.Context(), []string{"admin", "verdicts", "--answer", "maybe"}, nil, &out, &out)), "is not pass, hold or refuse")
}

// judgedOnce waits for a verdict.
func (a *app) judgedOnce(t *testing.T) {
	t.Helper()
	testenv.Eventually(t, 20*time.Second, "a verdict", func() bool {
		list, err := a.store.Operate().Verdicts().Verdicts(t.Context(), judge.Query{Limit: 1})
		return err == nil && len(list) == 1
	})
}

// TestNothingIsLookedUpBeforeAListIsSet, and then the public names of the instance alone.
func TestNothingIsLookedUpBeforeAListIsSet(t *testing.T) {
	t.Parallel()
	a := smallApp(t)
	a.guard()
	expect.Equal(t, "guards without settings", a.looker == nil && a.judged == nil, true)
	s := settings{BaseURL: "https://play.example.com", ContentHost: "example-content.net", PathForm: "auto"}
	places, err := s.places("")
	expect.OK(t, err)
	l := listedSettings{SafeBrowsingKey: "k", URLhausKey: "k", DNSLists: "dbl.example.org, multi.example.org"}.looker(places, a.store.Operate().Sightings())
	expect.Same(t, "hosts", l.Own, []string{"play.example.com", "example.com", "example-content.net", "example-content.net"})
	var names []string
	for _, list := range l.Lists {
		names = append(names, list.Name())
	}
	expect.Same(t, "lists", names, []string{"safe-browsing", "urlhaus", "dbl.example.org", "multi.example.org"})
	expect.Equal(t, "hosts of a local one", len(listedSettings{DNSLists: "dbl.example.org"}.looker(a.places, l.Store).Own), 0)
}
