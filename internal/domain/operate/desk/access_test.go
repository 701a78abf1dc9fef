package desk_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// byOperator is the operator at the machine.
var byOperator = sandlot.AsOperator("kay")

// calls are all methods of the Service, about the project of a scene.
var calls = map[string]func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error{
	"Queue": func(ctx context.Context, d *desk.Service, by sandlot.Caller, _ sandlot.ProjectID) error {
		_, err := d.Queue(ctx, by, 0, 9)
		return err
	},
	"Case": func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error {
		_, err := d.Case(ctx, by, p)
		return err
	},
	"Decide": func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error {
		_, err := d.Decide(ctx, by, order(desk.Hold, p))
		return err
	},
	"Undo": func(ctx context.Context, d *desk.Service, by sandlot.Caller, _ sandlot.ProjectID) error {
		return d.Undo(ctx, by, 1)
	},
	"Note": func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error {
		return d.Note(ctx, by, p, "seen")
	},
	"File": func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error {
		_, err := d.File(ctx, by, p, "index.html")
		return err
	},
	"Frame": func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error {
		_, err := d.Frame(ctx, by, p)
		return err
	},
	"Framed": func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error {
		label, err := d.Frame(ctx, byOperator, p)
		if err == nil {
			_, err = d.Framed(ctx, by, label)
		}
		return err
	},
	"Waiting": func(ctx context.Context, d *desk.Service, by sandlot.Caller, _ sandlot.ProjectID) error {
		_, err := d.Waiting(ctx, by)
		return err
	},
	"Screenshot": func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error {
		_, _, err := d.Screenshot(ctx, by, p)
		return known(err)
	},
	"Withheld": func(ctx context.Context, d *desk.Service, by sandlot.Caller, p sandlot.ProjectID) error {
		_, err := d.Withheld(ctx, by, p)
		return known(err)
	},
	"Contested": func(ctx context.Context, d *desk.Service, by sandlot.Caller, _ sandlot.ProjectID) error {
		_, err := d.Contested(ctx, by, "code")
		return known(err)
	},
	"Object": func(ctx context.Context, d *desk.Service, by sandlot.Caller, _ sandlot.ProjectID) error {
		return known(d.Object(ctx, by, "code", "It is a game."))
	},
}

// known keeps every error but the one of an unknown code.
func known(err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	return err
}

func order(action desk.Action, ids ...sandlot.ProjectID) desk.Order {
	o := desk.Order{Action: action, Reason: "deceptive"}
	for _, id := range ids {
		o.Targets = append(o.Targets, desk.Target{Project: id})
	}
	return o
}

var forAnybody = []string{"Framed", "Withheld", "Contested", "Object"}

// TestOnlyModeratorsSeeTheDesk calls every method as every kind of caller: none of them is a moderator.
func TestOnlyModeratorsSeeTheDesk(t *testing.T) {
	t.Parallel()
	gates := map[string]testworld.Gate{}
	for name, call := range calls {
		gates[name] = testworld.Gate{
			Call: func(s *testworld.Scene, by sandlot.Caller) error { return call(t.Context(), s.Desk, by, s.Project.ID) },
			Want: func(seen testworld.Seen) error {
				if seen.Who == "the operator" || slices.Contains(forAnybody, name) {
					return nil
				}
				return sandlot.ErrOperatorNeeded
			},
		}
	}
	prepare := func(s *testworld.Scene) {
		_, err := s.Desk.Decide(t.Context(), byOperator, order(desk.Dismiss, s.Project.ID)) // that can be undone
		expect.OK(t, err)
	}
	testworld.CheckAccess(t, reflect.TypeFor[*desk.Service](), prepare, gates)
}

// A team is a world with moderators, an operator of the website, and a project of a stranger.
type team struct {
	*testworld.World
	mod, other, boss sandlot.Account
	project          sandlot.Project
}

func newTeam(t *testing.T) *team {
	t.Helper()
	w := testworld.New(t)
	x := &team{World: w}
	for email, a := range map[string]*sandlot.Account{"mod@mail.internal": &x.mod, "other@mail.internal": &x.other, "boss@mail.internal": &x.boss} {
		*a, _, _ = w.Owned(email, page)
	}
	for a, role := range map[*sandlot.Account]sandlot.Role{&x.mod: sandlot.ModeratorRole, &x.other: sandlot.ModeratorRole, &x.boss: sandlot.OperatorRole} {
		_, err := w.Operate.Grant(t.Context(), byOperator, "@"+a.Handle, role, false, "")
		expect.OK(t, err)
	}
	x.project = w.PublishPage(testworld.Nobody(), page).Project
	return x
}

// of returns the first project of an account.
func (x *team) of(t *testing.T, a sandlot.Account) sandlot.ProjectID {
	t.Helper()
	list, err := x.DB.Publish().Projects(t.Context(), a.ID, 0, 1)
	expect.OK(t, err)
	return list[0].ID
}

const page = `<!doctype html><title>Space Cats</title><form action="https://evil.example/in"><p>meow`

func TestAModeratorDoesAllInALoginOfTwelveHours(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	by := x.OwnerOf(x.mod.ID)
	_, err := x.Desk.Decide(t.Context(), byOperator, order(desk.Dismiss, x.project.ID))
	expect.OK(t, err)
	x.Clock.Move(desk.LoginAge)
	for name, call := range calls {
		if err := call(t.Context(), x.Desk, by, x.project.ID); !errors.Is(err, sandlot.ErrLoginNeeded) && !slices.Contains(forAnybody, name) {
			t.Errorf("%s after twelve hours: %v", name, err)
		}
	}
	x.Clock.Move(-time.Second)
	for _, name := range []string{"Undo", "Queue", "Case", "Decide", "Note", "File", "Frame", "Framed", "Waiting", "Screenshot", "Withheld", "Contested", "Object"} {
		expect.Is(t, name, calls[name](t.Context(), x.Desk, by, x.project.ID), nil)
	}
}

// TestARightThatEndsWithThePageOpenCountsNoMore: the caller was made before the role ended, as in a request that is under
// way, or on another node.
func TestARightThatEndsWithThePageOpenCountsNoMore(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(x *team) error{
		"role": func(x *team) error {
			_, err := x.Operate.Grant(t.Context(), byOperator, "@"+x.mod.Handle, sandlot.ModeratorRole, true, "")
			return err
		},
		"suspended": func(x *team) error {
			_, err := x.Operate.Suspend(t.Context(), byOperator, "@"+x.mod.Handle, "left")
			return err
		},
	} {
		x := newTeam(t)
		by := x.OwnerOf(x.mod.ID)
		made, err := x.Desk.Decide(t.Context(), by, order(desk.Hold, x.project.ID))
		expect.OK(t, err)
		expect.OK(t, end(x))
		_, err = x.Desk.Decide(t.Context(), by, order(desk.TakeDown, x.project.ID))
		expect.Is(t, what+": decide", err, sandlot.ErrOperatorNeeded)
		expect.Is(t, what+": undo", x.Desk.Undo(t.Context(), by, made[0].ID), sandlot.ErrOperatorNeeded)
		expect.Is(t, what+": note", x.Desk.Note(t.Context(), by, x.project.ID, "x"), sandlot.ErrOperatorNeeded)
		if p, err := x.DB.Operate().Desk().Shown(t.Context(), x.project.ID); err != nil || p.Suspended {
			t.Errorf("%s: suspended %v, %v", what, p.Suspended, err)
		}
	}
}

func TestNobodyDecidesAboutThemselvesOrAnOperator(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	mod, boss := x.OwnerOf(x.mod.ID), x.OwnerOf(x.boss.ID)
	for _, c := range []struct {
		what string
		by   sandlot.Caller
		of   sandlot.Account
		want error
	}{
		{"a moderator about themselves", mod, x.mod, sandlot.CodeInvalidField},
		{"a moderator about another", mod, x.other, sandlot.CodeInvalidField},
		{"a moderator about an operator", mod, x.boss, sandlot.CodeInvalidField},
		{"an operator about themselves", boss, x.boss, sandlot.CodeInvalidField},
		{"an operator about a moderator", boss, x.mod, nil},
		{"the machine about an operator", byOperator, x.boss, nil},
	} {
		o := order(desk.Hold, x.project.ID, x.of(t, c.of))
		made, err := x.Desk.Decide(t.Context(), c.by, o)
		expect.Is(t, c.what, err, c.want)
		if err != nil && len(made) > 0 {
			t.Errorf("%s: %v was decided", c.what, made)
		}
	}
	made, err := x.Desk.Decide(t.Context(), byOperator, order(desk.TakeDown, x.of(t, x.mod)))
	expect.OK(t, err)
	expect.Is(t, "undo about themselves", x.Desk.Undo(t.Context(), mod, made[0].ID), sandlot.CodeInvalidField)
}

// TestAModeratorReadsNoWordsOfReportsAboutTheirOwnProject: a person who reported it must not meet its owner.
func TestAModeratorReadsNoWordsOfReportsAboutTheirOwnProject(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	p := x.of(t, x.mod)
	_, err := x.Operate.Report(t.Context(), testworld.Nobody(), operate.NewReport{
		Project: p, Reason: "harassment", Details: "they know me", Contact: "ann@mail.internal", FormToken: "a",
	})
	expect.OK(t, err)
	for who, words := range map[sandlot.AccountID]string{x.mod.ID: "", x.other.ID: "they know me ann@mail.internal"} {
		c, err := x.Desk.Case(t.Context(), x.OwnerOf(who), p)
		expect.OK(t, err)
		expect.Equal(t, "reports", len(c.Open), 1)
		expect.Equal(t, "words", strings.TrimSpace(c.Open[0].Details+" "+c.Open[0].Contact), words)
	}
}
