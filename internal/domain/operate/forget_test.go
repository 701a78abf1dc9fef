package operate_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// forgetful has addresses to forget.
type forgetful struct{ list []operate.ForgottenEmail }

func (f *forgetful) Forgotten(_ context.Context, after operate.ForgottenEmail, limit int) (list []operate.ForgottenEmail, err error) {
	for _, e := range f.list {
		if e.Account > after.Account && len(list) < limit {
			list = append(list, e)
		}
	}
	return list, nil
}

func (f *forgetful) ForgetEmail(_ context.Context, gone operate.ForgottenEmail) error {
	f.list = slices.DeleteFunc(f.list, func(e operate.ForgottenEmail) bool { return e == gone })
	return nil
}

func TestRegression24TheServerDeletesMessagesOfDeletedAccounts(t *testing.T) {
	t.Parallel()
	records := &forgetful{[]operate.ForgottenEmail{
		{Account: 1, Email: "fails@example.com"}, {Account: 2, Email: "used@example.com", Used: true}, {Account: 3, Email: "gone@example.com"},
	}}
	var deleted []string
	failing := true
	f := operate.Forgetter{Records: records, Messages: func(_ context.Context, address string) error {
		if failing && address == "fails@example.com" {
			return errors.New("no permission")
		}
		deleted = append(deleted, address)
		return nil
	}}
	if err := f.Forget(t.Context()); err == nil {
		t.Error("a message that could not be deleted is not told")
	}
	if !slices.Equal(deleted, []string{"gone@example.com"}) || len(records.list) != 1 {
		t.Errorf("deleted %v, left %v", deleted, records.list)
	}
	failing = false
	if err := f.Forget(t.Context()); err != nil || len(records.list) != 0 {
		t.Errorf("then %v, left %v", err, records.list)
	}
}

// TestEachNodeDeletesTheMessagesThatItWrote of a deleted account, whichever comes first, and each once.
func TestEachNodeDeletesTheMessagesThatItWrote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := &forgetful{[]operate.ForgottenEmail{{Account: 1, Email: "kim@example.com"}, {Account: 2, Email: "used@example.com", Used: true}}}
		var deleted []string
		node := func(name string) *operate.Forgetter {
			return &operate.Forgetter{Records: records, Others: operate.ForgetTogether, Messages: func(_ context.Context, address string) error {
				deleted = append(deleted, name+" "+address)
				return nil
			}}
		}
		nodes := []*operate.Forgetter{node("a"), node("b"), node("c")}
		for minute := range 5 {
			for _, f := range nodes[:min(minute+1, len(nodes))] {
				expect.OK(t, f.Forget(t.Context()))
			}
			testenv.Pass(time.Minute)
		}
		expect.Same(t, "deleted", deleted, []string{"a kim@example.com", "b kim@example.com", "c kim@example.com"})
		expect.Equal(t, "addresses left", len(records.list), 0)
	})
}

// TestRegression24MessagesThatCannotBeDeletedKeepNoOthers: the addresses that come
// first were tried again and again, and none behind them was ever reached.
func TestRegression24MessagesThatCannotBeDeletedKeepNoOthers(t *testing.T) {
	t.Parallel()
	records := &forgetful{}
	for n := range sandlot.AccountID(250) {
		records.list = append(records.list, operate.ForgottenEmail{Account: n + 1, Email: "fails@example.com"})
	}
	records.list = append(records.list, operate.ForgottenEmail{Account: 251, Email: "gone@example.com"})
	f := operate.Forgetter{Records: records, Messages: func(_ context.Context, address string) error {
		if address == "fails@example.com" {
			return errors.New("no permission")
		}
		return nil
	}}
	if err := f.Forget(t.Context()); err == nil || len(records.list) != 250 {
		t.Errorf("%d addresses are left: %v", len(records.list), err)
	}
}
