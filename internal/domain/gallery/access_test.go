package gallery_test

import (
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestWhoIsLetInToTheGallery calls every exported method of the Service as every kind of caller. Whoever is let in gets what they asked for:
// everybody, but an overview is for sessions alone, and of the session's own account.
func TestWhoIsLetInToTheGallery(t *testing.T) {
	t.Parallel()
	for name, set := range testworld.Sets {
		t.Run(name, func(t *testing.T) { lettingIn(t, newWorld(t, set)) })
	}
}

func lettingIn(t *testing.T, w *world) {
	owner, another, suspended := w.maker(), w.account(), w.account()
	made := w.publish(owner)
	id, handle := made.Project.ID, w.handle(owner)
	others, taken := w.publish(another).Project.ID, w.publish(suspended).Project.ID
	w.suspend("@" + w.handle(suspended))
	token := w.token()
	w.like(id, token, true, 1)

	scoped := w.in.CallerOf(made.Keys.Project)
	if !scoped.Scoped() || !w.owner(suspended.Account()).Key().Suspended {
		t.Fatal("these callers are not what they are called")
	}
	own := map[string]sandlot.ProjectID{"an owner's session": id, "another's session": others, "a suspended owner's session": taken}
	for who, by := range map[string]sandlot.Caller{
		"nobody": nobody(), "an account's key": owner, "a project's key": scoped, "the operator": sandlot.AsOperator("kim"),
		"an owner's session": w.owner(owner.Account()), "another's session": w.owner(another.Account()), "a suspended owner's session": w.owner(suspended.Account()),
	} {
		ctx, player := t.Context(), gallery.Player{ID: gallery.PlayerID(who)}
		counts := func() sandlot.Stats {
			c, err := w.Counts(ctx, nobody(), id)
			expect.OK(t, err)
			return c
		}
		calls := map[string]func() (worked bool, err error){
			"Browse": func() (bool, error) {
				page, err := w.Browse(ctx, by, gallery.SortNewest, "")
				return shows(page, id), err
			},
			"Listing": func() (bool, error) {
				list, err := w.Listing(ctx, by)
				return slices.ContainsFunc(list, func(p sandlot.Project) bool { return p.ID == id }), err
			},
			"Search": func() (bool, error) {
				page, err := w.Search(ctx, by, "space", "")
				return shows(page, id), err
			},
			"Suggest": func() (bool, error) {
				cards, err := w.Suggest(ctx, by, "space")
				return shows(gallery.Page{Cards: cards}, id), err
			},
			"Profile": func() (bool, error) {
				current, page, err := w.Profile(ctx, by, handle, gallery.SortNewest, "")
				return current == handle && shows(page, id), err
			},
			"ProjectPage": func() (bool, error) {
				page, err := w.ProjectPage(ctx, by, id)
				return page.Project.ID == id, err
			},
			"Beside": func() (bool, error) {
				beside, err := w.Beside(ctx, by, sandlot.Project{ID: "other-abc123", Account: owner.Account()})
				return shows(gallery.Page{Cards: beside.More}, id), err
			},
			"Home": func() (bool, error) {
				home, err := w.Home(ctx, by)
				return shows(gallery.Page{Cards: home.New}, id), err
			},
			"Tags": func() (bool, error) {
				_, err := w.Tags(ctx, by)
				return err == nil, err
			},
			"Tagged": func() (bool, error) {
				_, err := w.Tagged(ctx, by, "cats", gallery.SortNewest, "")
				return err == nil, err
			},
			"Random": func() (bool, error) {
				found, err := w.Random(ctx, by, "")
				return found != "", err
			},
			"CardsOf": func() (bool, error) {
				cards, err := w.CardsOf(ctx, by, []sandlot.ProjectID{id, taken})
				return len(cards) == 1 && cards[0].Project.ID == id, err
			},
			"Stats": func() (bool, error) {
				of, stats, err := w.Stats(ctx, by, string(id))
				return of == id && stats.Likes == 1, err
			},
			"Counts": func() (bool, error) {
				stats, err := w.Counts(ctx, by, id)
				return stats.Likes == 1, err
			},
			"MintPlayerToken": func() (bool, error) {
				minted, err := w.MintPlayerToken(ctx, by)
				return w.KnowsPlayerToken(ctx, nobody(), minted), err
			},
			"KnowsPlayerToken": func() (bool, error) { return w.KnowsPlayerToken(ctx, by, token), nil },
			"Like": func() (bool, error) {
				likes, err := w.Like(ctx, by, id, token, netip.Addr{}, true)
				return likes == 1, err
			},
			"Liked": func() (bool, error) { return w.Liked(ctx, by, id, token) },
			"Play": func() (bool, error) {
				before := counts().Plays
				w.Play(ctx, by, id, player)
				return counts().Plays == before+1, nil
			},
			"Touch": func() (bool, error) {
				before := counts().Players
				err := w.Touch(ctx, by, id, player)
				return counts().Players == before+1, err
			},
			"Leave": func() (bool, error) {
				leaving := gallery.Player{ID: "who leaves"}
				before := counts().Players
				expect.OK(t, w.Touch(ctx, nobody(), id, leaving))
				err := w.Leave(ctx, by, id, leaving)
				return counts().Players == before, err
			},
			"Overview": func() (bool, error) {
				rows, _, err := w.Overview(ctx, by, "")
				return len(rows) == 1 && rows[0].Project.ID == own[who], err
			},
		}
		service := reflect.TypeFor[*gallery.Service]()
		if len(calls) != service.NumMethod() {
			t.Errorf("%d calls for %d methods", len(calls), service.NumMethod())
		}
		for i := range service.NumMethod() {
			name := service.Method(i).Name
			call := calls[name]
			if call == nil {
				t.Errorf("nobody says who may call %s", name)
				continue
			}
			worked, err := call()
			if name == "Overview" && own[who] == "" {
				if worked || !errors.Is(err, sandlot.ErrLoginNeeded) {
					t.Errorf("%s as %s: %v, %v", name, who, worked, err)
				}
			} else if !worked || err != nil {
				t.Errorf("%s as %s: %v, %v", name, who, worked, err)
			}
		}
	}
}

// shows reports whether a project is on a page.
func shows(page gallery.Page, id sandlot.ProjectID) bool {
	return slices.ContainsFunc(page.Cards, func(c gallery.Card) bool { return c.Project.ID == id })
}
