package publish_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// lets are what each of testworld.Callers, in that order, gets in each state.
type lets map[string]string

// outcomes are the words of lets.
var outcomes = map[string]error{
	"ok": nil, "key": sandlot.CodeKeyRequired, "login": sandlot.ErrLoginNeeded, "none": sandlot.ErrNotFound, "other": sandlot.CodeWrongProject,
	"down": sandlot.CodeTakenDown, "susp": sandlot.CodeAccountSuspended, "whole": sandlot.CodeAccountKeyRequired, "ours": sandlot.ErrOperatorNeeded,
}

// want is the error of the table for a caller.
func (l lets) want(seen testworld.Seen) error {
	row, ok := l[seen.State]
	if !ok {
		row = l["active"]
	}
	err, ok := outcomes[strings.Fields(row)[slices.Index(testworld.Callers, seen.Who)]]
	if !ok {
		panic("no such word in " + row)
	}
	return err
}

// Who may do what. The columns are: nobody, the account's key, the project's key, the key of another project, another account's key,
// the owner's session, another's session, the operator.
var (
	forAnybody = lets{"active": "ok ok ok ok ok ok ok ok"}
	forLookers = lets{
		"active":                      "ok ok ok ok ok ok ok ok",
		"project suspended":           "down down down down down down down down",
		"account suspended":           "down down down down down down down down",
		"account suspended meanwhile": "down down down down down down down down",
	}
	forLookersAndOwners = lets{
		"active":                      "ok ok ok ok ok ok ok ok",
		"project suspended":           "down ok ok down down ok down down",
		"account suspended":           "down ok ok down down ok down down",
		"account suspended meanwhile": "down ok ok down down ok down down",
	}
	forMakers = lets{
		"active":                      "ok ok whole whole ok ok ok key",
		"account suspended":           "ok susp susp susp ok susp ok key",
		"account suspended meanwhile": "ok susp whole whole ok susp ok key",
	}
	forImports = lets{ // the operator names the account
		"active":                      "key ok whole whole ok ok ok ok",
		"account suspended":           "key susp susp susp ok susp ok susp",
		"account suspended meanwhile": "key susp whole whole ok susp ok susp",
	}
	forAdmission = lets{ // it decides about the caller as they were looked up
		"active":            "ok ok whole whole ok ok ok key",
		"account suspended": "ok susp susp susp ok susp ok key",
	}
	forEditors = lets{
		"active":                      "key ok ok other other ok none key",
		"project suspended":           "key down down other other down none key",
		"account suspended":           "key susp susp susp other susp none key",
		"account suspended meanwhile": "key down down other other down none key",
	}
	forOwnersOfFiles = lets{
		"active":                      "key ok ok other other ok none key",
		"project suspended":           "key down down other other down none key",
		"account suspended":           "key down down other other down none key",
		"account suspended meanwhile": "key down down other other down none key",
	}
	forReaders  = lets{"active": "key ok ok ok ok ok ok key"}
	forSessions = lets{"active": "login login login login login ok ok login"}
	forOwners   = lets{"active": "login login login login login ok none login"}
	forPurging  = lets{ // one that is down is not deleted first
		"active":                      "login login login login login ok none login",
		"project suspended":           "login login login login login none none login",
		"account suspended":           "login login login login login none none login",
		"account suspended meanwhile": "login login login login login none none login",
	}
	forDeleting = lets{ // the key of a suspended account reads and exports, and its owner may leave
		"active":                      "key ok whole whole other ok none key",
		"account suspended":           "key susp susp susp other ok none key",
		"account suspended meanwhile": "key susp whole whole other ok none key",
	}
	forChanging = lets{
		"active":                      "login login login login login ok ok login",
		"account suspended":           "login login login login login susp ok login",
		"account suspended meanwhile": "login login login login login susp ok login",
	}
	forMinting = lets{
		"active":                      "login login login login login ok none login",
		"account suspended":           "login login login login login susp none login",
		"account suspended meanwhile": "login login login login login susp none login",
	}
	forRevoking = lets{ // a key that ends while its account is suspended does no harm
		"active":            "login login login login login ok none login",
		"account suspended": "login login login login login susp none login",
	}
	forArranging = lets{
		"active":                      "login login login login login ok none login",
		"project suspended":           "login login login login login down none login",
		"account suspended":           "login login login login login down none login",
		"account suspended meanwhile": "login login login login login down none login",
	}
)

// TestWhoIsLetInToDeletedProjects calls every method of the Trash as every kind of caller.
func TestWhoIsLetInToDeletedProjects(t *testing.T) {
	t.Parallel()
	gates := map[string]testworld.Gate{}
	gate := func(name string, l lets, call func(s *testworld.Scene, by sandlot.Caller) error) {
		gates[name] = testworld.Gate{Call: call, Want: l.want}
	}
	gate("List", forSessions, func(s *testworld.Scene, by sandlot.Caller) error {
		_, _, err := s.Publish.Trash.List(t.Context(), by, publish.TrashPage{})
		return err
	})
	gate("TakeBack", forOwners, func(s *testworld.Scene, by sandlot.Caller) error {
		_, err := s.Publish.Trash.TakeBack(t.Context(), by, s.Project.ID) // of the owner's, which is there
		return err
	})
	gate("Purge", forPurging, func(s *testworld.Scene, by sandlot.Caller) error {
		_, down := s.Publish.Reader.Current(t.Context(), testworld.Nobody(), s.Project.ID)
		if _, _, ok := by.Login(); ok && by.Account() == s.Project.Account && down == nil {
			_, err := s.Publish.DeleteProject(t.Context(), by, string(s.Project.ID), string(s.Project.ID))
			expect.OK(t, err)
		}
		_, err := s.Publish.Trash.Purge(t.Context(), by, s.Project.ID)
		return err
	})
	testworld.CheckAccess(t, reflect.TypeFor[*publish.Trash](), nil, gates)
}

// TestWhoIsLetInToProjects calls every method of the Service as every kind of caller.
func TestWhoIsLetInToProjects(t *testing.T) {
	t.Parallel()
	gates := map[string]testworld.Gate{}
	gate := func(name string, l lets, call func(s *testworld.Scene, by sandlot.Caller) error) {
		gates[name] = testworld.Gate{Call: call, Want: l.want}
	}
	gate("Signup", forAnybody, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Signup(t.Context(), by, publish.SignupInput{}))
	})
	gate("Admit", forAdmission, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.Admit(t.Context(), by, sandlot.ActPublish)
	})
	gate("Foresee", forAdmission, func(s *testworld.Scene, by sandlot.Caller) error {
		_, _, err := s.Publish.Foresee(t.Context(), by, publish.Intended{Publish: publish.PublishInput{Email: "max@example.org"}})
		return err
	})
	gate("Adopt", forImports, func(s *testworld.Scene, by sandlot.Caller) error {
		_, err := s.Publish.Adopt(t.Context(), by, publish.Adoption{Account: s.Kim.ID, Stage: func(_ context.Context, now time.Time) (publish.NewProject, []sandlot.Warning, error) {
			file := sandlot.File{Name: "index.html", Folded: "index.html", Blob: s.Stage(large).Blob}
			return publish.NewProject{Title: "Brought", Files: []sandlot.File{file}, Primary: file.Name, CreatedAt: now, History: publish.History{Begun: now}}, nil, nil
		}})
		return err
	})
	gate("Publish", forMakers, func(s *testworld.Scene, by sandlot.Caller) error {
		_, _, dry := s.Publish.Publish(t.Context(), by, publish.PublishInput{Content: s.Stage(large), Email: "max@example.org", DryRun: true})
		_, _, many := s.Publish.Publish(t.Context(), by, publish.PublishInput{Tree: s.Tree("index.html", large), Email: "max@example.org"})
		out, _, err := s.Publish.Publish(t.Context(), by, publish.PublishInput{Content: s.Stage(large), Email: "max@example.org"})
		err = alike(err, many, dry)
		if err == nil && by.Account() != 0 && out.Project.Account != by.Account() {
			err = fmt.Errorf("the project is account %d's", out.Project.Account)
		}
		return err
	})
	gate("Update", forEditors, func(s *testworld.Scene, by sandlot.Caller) error {
		in := publish.UpdateInput{Project: string(s.Project.ID), Many: publish.Many{Tree: s.Tree("b.css", large)}, DryRun: true}
		_, _, dry := s.Publish.Update(t.Context(), by, in)
		in.Tree, in.DryRun = s.Tree("b.css", large), false
		_, _, many := s.Publish.Update(t.Context(), by, in)
		_, _, err := s.Publish.Update(t.Context(), by, publish.UpdateInput{Project: string(s.Project.ID), Filename: "c.css", Content: s.Stage(large)})
		return alike(err, many, dry)
	})
	gate("DeleteFile", forEditors, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(s.Project.ID), Filename: "a.css"}))
	})
	gate("Project", forLookersAndOwners, func(s *testworld.Scene, by sandlot.Caller) error {
		view, err := s.Publish.Reader.Project(t.Context(), by, string(s.Project.ID))
		owner := by.Account() == s.Kim.ID && (!by.Scoped() || by.Key().Project == s.Project.ID)
		if err == nil && (len(view.Files) > 0) != (owner && !view.Project.Suspended) {
			err = fmt.Errorf("%d files are shown", len(view.Files))
		}
		return err
	})
	gate("Find", forLookers, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Reader.Find(t.Context(), by, string(s.Project.ID)))
	})
	gate("Current", forLookers, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Reader.Current(t.Context(), by, s.Project.ID))
	})
	gate("View", forAnybody, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.Reader.View(t.Context(), by, s.Project)
	})
	gate("AtVersion", forLookers, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Reader.AtVersion(t.Context(), by, s.Project.ID, s.Project.Version, s.Project.Suffix))
	})
	gate("Whoami", forReaders, func(s *testworld.Scene, by sandlot.Caller) error {
		who, err := s.Publish.Reader.Whoami(t.Context(), by, 10, "")
		return belongs(who.Account, who.Projects, by, err)
	})
	gate("Export", forReaders, func(s *testworld.Scene, by sandlot.Caller) error {
		out, err := s.Publish.Reader.Export(t.Context(), by)
		return belongs(out.Account, out.Projects, by, err)
	})
	gate("Keys", forSessions, func(s *testworld.Scene, by sandlot.Caller) error {
		list, _, err := s.Publish.Keyring.Keys(t.Context(), by, 0)
		for _, k := range list {
			if k.Account != by.Account() {
				err = fmt.Errorf("a key of account %d is shown", k.Account)
			}
		}
		return err
	})
	gate("KeyProjects", forSessions, func(s *testworld.Scene, by sandlot.Caller) error {
		list, _, err := s.Publish.Keyring.KeyProjects(t.Context(), by)
		for _, p := range list {
			if p.Account != by.Account() {
				err = fmt.Errorf("a project of account %d is shown", p.Account)
			}
		}
		return err
	})
	gate("FormToken", forSessions, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Keyring.FormToken(t.Context(), by))
	})
	gate("OldKeys", forSessions, func(s *testworld.Scene, by sandlot.Caller) error {
		_, _, err := s.Publish.Keyring.OldKeys(t.Context(), by)
		return err
	})
	gate("RotateKey", forChanging, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Keyring.RotateKey(t.Context(), by, "form"))
	})
	gate("ReplaceOldKeys", forChanging, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Keyring.ReplaceOldKeys(t.Context(), by, "form"))
	})
	gate("MintKey", forMinting, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Keyring.MintKey(t.Context(), by, publish.NewKey{Project: s.Project.ID, Name: "agent", Form: "form"}))
	})
	gate("RevokeKey", forRevoking, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.Keyring.RevokeKey(t.Context(), by, s.KeyID)
	})
	gate("Manage", forOwners, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Reader.Manage(t.Context(), by, s.Project.ID))
	})
	gate("ExportProject", forOwners, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Reader.ExportProject(t.Context(), by, s.Project.ID))
	})
	gate("DeleteProject", forDeleting, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.DeleteProject(t.Context(), by, string(s.Project.ID), string(s.Project.ID)))
	})
	gate("Versions", forOwnersOfFiles, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Reader.Versions(t.Context(), by, string(s.Project.ID), 20, ""))
	})
	gate("Findings", forOwnersOfFiles, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Reader.Findings(t.Context(), by, string(s.Project.ID), nil))
	})
	gate("Describe", forArranging, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.Describe(t.Context(), by, s.Project.ID, publish.DescribeInput{Details: publish.Details{Title: "other"}})
	})
	gate("MoveFile", forArranging, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.MoveFile(t.Context(), by, s.Project.ID, "a.css", "b.css", publish.Form{Token: "form"})
	})
	gate("ChoosePrimary", forArranging, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.ChoosePrimary(t.Context(), by, s.Project.ID, "a.css", publish.Form{Token: "form"})
	})
	gate("RemoveFiles", forArranging, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.RemoveFiles(t.Context(), by, s.Project.ID, []string{"a.css"}, publish.Form{Token: "gone"})
	})
	gate("RestoreVersion", forArranging, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.RestoreVersion(t.Context(), by, s.Project.ID, 1, publish.Form{Token: "form"})
	})
	gate("Amend", forEditors, func(s *testworld.Scene, by sandlot.Caller) error {
		title, primary := "other", "a.css"
		return second(s.Publish.Amend(t.Context(), by, string(s.Project.ID), publish.AmendInput{Title: &title, Primary: &primary}))
	})
	gate("File", forOwnersOfFiles, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Reader.File(t.Context(), by, string(s.Project.ID), "a.css", 0))
	})
	gate("Restore", forEditors, func(s *testworld.Scene, by sandlot.Caller) error {
		return second(s.Publish.Restore(t.Context(), by, publish.RestoreInput{Project: string(s.Project.ID), Version: 1}))
	})
	gate("EraseVersion", forArranging, func(s *testworld.Scene, by sandlot.Caller) error {
		return s.Publish.EraseVersion(t.Context(), by, s.Project.ID, 1)
	})
	testworld.CheckAccess(t, reflect.TypeFor[struct {
		*publish.Service
		*publish.Reader
		*publish.Keyring
	}](), nil, gates)
}

// alike is err, if calls that ask for the same in other ways ended like it.
func alike(err error, others ...error) error {
	for _, other := range others {
		a, b := sandlot.AsError(err), sandlot.AsError(other)
		if a != nil && b != nil && a.Code == b.Code || a == nil && b == nil && errors.Is(other, err) {
			continue
		}
		return fmt.Errorf("one call ended with %v, another with %v", err, other)
	}
	return err
}

func second[T any](_ T, err error) error { return err }

// belongs checks that what a caller is shown is of their account, and of their project alone if their key is.
func belongs(a sandlot.Account, shown []publish.ProjectView, by sandlot.Caller, err error) error {
	if err == nil && a.ID != by.Account() {
		return fmt.Errorf("account %d is shown", a.ID)
	}
	for _, v := range shown {
		if v.Project.Account != by.Account() || by.Scoped() && v.Project.ID != by.Key().Project {
			return fmt.Errorf("project %s is shown", v.Project.ID)
		}
	}
	return err
}
