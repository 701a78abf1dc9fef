package listed_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// A list is one whose answers a test sets.
type list struct {
	name  string
	mu    sync.Mutex
	bad   []string
	err   error
	asked [][]string
}

func (l *list) Name() string { return l.name }

func (l *list) Look(_ context.Context, hosts []string) (map[string]bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, hosts)
	found := map[string]bool{}
	for _, h := range hosts {
		if h != l.unseen() {
			found[h] = slices.Contains(l.bad, h)
		}
	}
	return found, l.err
}

// unseen is the host that cannot be looked up where there is an error.
func (l *list) unseen() string {
	if l.err != nil {
		return "play.example"
	}
	return ""
}

func looker(w *testworld.World, lists ...listed.List) *listed.Looker {
	return &listed.Looker{
		Store: w.DB.Operate().Sightings(), Lists: lists, Own: []string{"play.example", "example-content.net", "play.example", "localhost", "192.0.2.1", "2001:db8::1"},
		Places: w.Config.Places, Log: slog.New(slog.DiscardHandler), Failures: &worker.Failures{}, Counts: &listed.Counts{},
	}
}

// sightings are the hosts that are listed, as the desk reads them.
func sightings(t *testing.T, w *testworld.World) (hosts []string) {
	t.Helper()
	s := listed.Service{Store: w.DB.Operate().Sightings()}
	found, err := s.Listed(t.Context(), sandlot.AsOperator(""))
	expect.OK(t, err)
	for _, f := range found {
		hosts = append(hosts, f.Service+" "+f.Host)
	}
	return hosts
}

// TestAHostIsLookedUpOnceADayByOneNode, each once, and no address or local name.
func TestAHostIsLookedUpOnceADayByOneNode(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	a, b := &list{name: "a", bad: []string{"play.example"}}, &list{name: "b"}
	nodes := []*listed.Looker{looker(w, a, b), looker(w.Node(t), a, b), looker(w.Node(t), a, b)}
	for day := range 2 {
		var all sync.WaitGroup
		for _, n := range nodes {
			all.Go(func() {
				for range 2 {
					if err := n.Round(context.WithoutCancel(t.Context())); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		expect.Same(t, "looks at both", []int{len(a.asked), len(b.asked)}, []int{day + 1, day + 1})
		w.Clock.Move(24*time.Hour + time.Minute)
	}
	expect.Same(t, "hosts", a.asked[0], []string{"example-content.net", "play.example"})
	expect.Same(t, "what is listed", sightings(t, w), []string{"a play.example"})
	a.bad = nil
	expect.OK(t, nodes[2].Round(t.Context()))
	expect.Equal(t, "what is listed then", len(sightings(t, w)), 0)
	done := int64(0)
	for _, n := range nodes {
		done += n.Counts.Done.Load()
	}
	expect.Equal(t, "looks that are counted", done, 6)
}

// TestAFailureIsTriedAgainAfterAnHour: earlier findings stay, and the other lists are looked at.
func TestAFailureIsTriedAgainAfterAnHour(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	a, b := &list{name: "a", bad: []string{"example-content.net"}, err: errors.New("refused")}, &list{name: "b"}
	l := looker(w, a, b)
	expect.Contains(t, "the error", l.Round(t.Context()).Error(), "look at a: refused")
	expect.Same(t, "what is listed", sightings(t, w), []string{"a example-content.net"})
	w.Clock.Move(59 * time.Minute)
	expect.OK(t, l.Round(t.Context()))
	w.Clock.Move(2 * time.Minute)
	a.err = nil
	expect.OK(t, l.Round(t.Context()))
	expect.OK(t, l.Round(t.Context()))
	expect.Same(t, "looks at both", []int{len(a.asked), len(b.asked)}, []int{2, 1})
	expect.Same(t, "those that are counted", []int64{l.Counts.Done.Load(), l.Counts.Failed.Load(), l.Failures.Count()}, []int64{2, 1, 1})
	s := listed.Service{Store: l.Store, Looker: l}
	expect.OK(t, s.Look(t.Context(), sandlot.AsOperator("")))
	expect.Same(t, "looks with one by hand", []int{len(a.asked), len(b.asked)}, []int{3, 2})
}

// TestReportedProjectsAreLookedUp while a report is open, at their own hosts.
func TestReportedProjectsAreLookedUp(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	p := w.PublishPage(testworld.Nobody(), "<p>1").Project
	_, form, err := w.Operate.Reportable(t.Context(), testworld.Nobody(), p.ID)
	expect.OK(t, err)
	number, err := w.Operate.Report(t.Context(), testworld.Nobody(), operate.NewReport{Project: p.ID, Reason: "malware", FormToken: form})
	expect.OK(t, err)
	a := &list{name: "a"}
	l := looker(w, a)
	l.Places.Content = "example-content.net"
	expect.OK(t, l.Now(t.Context()))
	_, err = w.Operate.CloseReport(t.Context(), sandlot.AsOperator(""), number, "")
	expect.OK(t, err)
	expect.OK(t, l.Now(t.Context()))
	expect.Equal(t, "that its host is among them", slices.Contains(a.asked[0], string(p.ID)+".example-content.net"), true)
	expect.Same(t, "hosts once the report is closed", a.asked[1], []string{"example-content.net", "play.example"})
}

// TestWhoMaySeeWhatIsListed calls every method as every kind of caller.
func TestWhoMaySeeWhatIsListed(t *testing.T) {
	t.Parallel()
	operatorAlone := func(seen testworld.Seen) error {
		if seen.Who == "the operator" {
			return nil
		}
		return sandlot.ErrOperatorNeeded
	}
	of := func(s *testworld.Scene) *listed.Service {
		l := looker(s.World)
		return &listed.Service{Store: l.Store, Looker: l}
	}
	testworld.CheckAccess(t, reflect.TypeFor[*listed.Service](), nil, map[string]testworld.Gate{
		"Listed": {Want: operatorAlone, Call: func(s *testworld.Scene, by sandlot.Caller) error {
			_, err := of(s).Listed(t.Context(), by)
			return err
		}},
		"Look": {Want: operatorAlone, Call: func(s *testworld.Scene, by sandlot.Caller) error { return of(s).Look(t.Context(), by) }},
	})
}
