package publish_test

import (
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestRegression40WhatEndedAnUploadIsTold ends an upload after its parts were put
// together, before the step that uses it.
func TestRegression40WhatEndedAnUploadIsTold(t *testing.T) {
	t.Parallel()
	one, two := 1, 2
	type call struct {
		step string
		make func(w *world, s *publish.Service, by sandlot.Caller, id sandlot.ProjectID, n int, text string) (sandlot.Project, error)
	}
	calls := map[string]call{
		"publish": {"CreateProject", func(w *world, s *publish.Service, by sandlot.Caller, _ sandlot.ProjectID, n int, text string) (sandlot.Project, error) {
			out, _, err := s.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(text), Part: &publish.PartInput{UploadID: "u", N: &n, Total: &two}})
			return out.Project, err
		}},
		"update": {"PutFile", func(w *world, s *publish.Service, by sandlot.Caller, id sandlot.ProjectID, n int, text string) (sandlot.Project, error) {
			out, _, err := s.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "a.js", Content: w.stage(text), Part: &publish.PartInput{UploadID: "u", N: &n, Total: &two}})
			return out.Project, err
		}},
	}
	for name, c := range calls {
		// each begins an upload, and lets something happen to it in the middle of the completing call.
		each := func(t *testing.T, what string, meanwhile func(w *world, other func(n int, text string) (sandlot.Project, error)), check func(t *testing.T, got sandlot.Project, err error)) {
			t.Run(name+"/"+what, func(t *testing.T) {
				w := newWorld(t)
				by := w.account()
				id := w.publish(by, page).Project.ID
				_, err := c.make(w, w.Service, by, id, one, page)
				expect.OK(t, err)
				node := w.open(publish.Config{Places: local(), InlineMax: inlineMax})
				tries := 0
				w.store.Step = func(step string) (error, error) {
					if step != c.step {
						return nil, nil
					}
					if tries++; tries == 1 {
						w.store.Step = nil
						meanwhile(w, func(n int, text string) (sandlot.Project, error) { return c.make(w, node, by, id, n, text) })
						w.store.Step = func(step string) (error, error) {
							if step == c.step {
								tries++
							}
							return nil, nil
						}
					}
					return nil, nil
				}
				got, err := c.make(w, w.Service, by, id, two, "two")
				if check(t, got, err); tries > 2 { // once more where the project moved on as well
					t.Errorf("the step was tried %d times", tries)
				}
				if err != nil && strings.Contains(err.Error(), "faster") {
					t.Errorf("it says %v", err)
				}
			})
		}
		each(t, "it expired", func(w *world, _ func(int, string) (sandlot.Project, error)) {
			w.clock.move(25 * time.Hour)
			if _, _, err := w.db.Upkeep().Sweep(t.Context(), w.clock.now(), w.clock.now().Add(-24*time.Hour), 100); err != nil {
				t.Error(err)
			}
		}, func(t *testing.T, _ sandlot.Project, err error) {
			if e := refused(t, err, sandlot.CodePart1First); !strings.Contains(e.Message, "expired") {
				t.Errorf("%s", e.Message)
			}
		})
		each(t, "another process changed a part", func(w *world, _ func(int, string) (sandlot.Project, error)) {
			w.exec("UPDATE uploads SET generation = generation + 1 WHERE done_project IS NULL")
		}, func(t *testing.T, got sandlot.Project, err error) {
			if err != nil || got.ID == "" { // its body has come: it is put together again, and not asked for
				t.Errorf("%s, %v", got.ID, err)
			}
		})
		var theirs sandlot.Project
		each(t, "another process completed it with the same bytes", func(_ *world, other func(int, string) (sandlot.Project, error)) {
			var err error
			if theirs, err = other(2, "two"); err != nil {
				t.Error(err)
			}
		}, func(t *testing.T, got sandlot.Project, err error) {
			if err != nil || got.ID != theirs.ID || got.Version != theirs.Version {
				t.Errorf("%s version %d, %v", got.ID, got.Version, err)
			}
		})
		each(t, "another process changed a part and completed it", func(_ *world, other func(int, string) (sandlot.Project, error)) {
			if _, err := other(2, "other"); err != nil {
				t.Error(err)
			}
		}, func(t *testing.T, _ sandlot.Project, err error) {
			refused(t, err, sandlot.CodeUploadCompleted)
		})
	}
}
