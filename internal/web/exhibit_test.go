package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot/internal/account"
	"sandlot/internal/gallery"
	"sandlot/internal/operate"
	"sandlot/internal/publish"
)

// An exhibit is a service in which every page finds something to show, at its most
// ordinary and at its most difficult: nothing at all, much of it, long words
// without a place to break, scripts of the world. What is sent to it changes nothing.
type exhibit struct{ domain }

// What is hard to show: as long as it may be, and nowhere to break.
var (
	longTitle  = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihungsurkunde" + strings.Repeat("!", 124)
	longHandle = strings.Repeat("abcdefgh_", 5)[:40]
	longName   = "assets/" + strings.Repeat("sprites/", 5) + "theverylongnameofafilethatnobodywouldtype-0001.webp"
	longMail   = strings.Repeat("n", 64) + "@" + strings.Repeat("mailboxes.", 5) + "example.com"
)

var shown = time.Date(2026, 11, 9, 14, 5, 0, 0, time.UTC)

// exhibits are the projects: the first is an ordinary one.
var exhibits = []publish.Project{
	{ID: "harbor-k3x9p2", Title: "Harbor Lights", Handle: "ada", Version: 12},
	{ID: "wick-m4t8z1", Title: "Wick", Handle: "ada", Version: 1},
	{ID: "long-q7w2e5", Title: longTitle, Handle: longHandle, Version: 12345},
	{ID: "untitled-b6n1v3", Handle: "grace_hopper", Version: 3},
	{ID: "tide-r5h2j9", Title: "潮だまりの小さな生きものたちをさがしに行こう", Lang: "ja", Handle: "mizu", Version: 4},
	{ID: "sand-c8d4f6", Title: "قلعة الرمال على شاطئ البحر", Lang: "ar", Handle: "noor", Version: 2},
	{ID: "runnel-x2y7a4", Title: "Runnel: a small game of water, patience and gravity", Handle: "ada", Version: 31},
	{ID: "moss-p1s6g8", Title: "Moss", Handle: "linus", Version: 1},
	{ID: "orbit-t9u3k7", Title: "Orbit Keeper", Handle: "grace_hopper", Version: 8},
	{ID: "light-h7d3k9", Title: "מגדל האור 2048 (גרסה 2.0): משחק על ים, רוח וסבלנות!", Lang: "he", Handle: "noor", Version: 5},
}

// What is written from right to left, and ends in a sign that stands on its left.
const (
	arabicName  = "صور/سماء الليل 2.png"
	hebrewWords = "מפתח לבניית לילה 3!"
)

// fileAt is the name of one of many files.
func fileAt(i int) string { return fmt.Sprintf("assets/%03d-%x.png", i, i*i*7919) }

// manyFiles is a project with as many files as an exported game has.
var manyFiles = exhibits[6].ID

var exhibitStats = []publish.Stats{{Players: 3, Plays: 12345, Likes: 678}, {Plays: 1, Likes: 1}, {Players: 1_234_567, Plays: 1_234_567_890, Likes: 12_345_678}, {}, {Plays: 204, Likes: 17}}

// view is a project with its numbers.
func (exhibit) view(i int) publish.ProjectView {
	p := exhibits[i]
	p.Account, p.Verified, p.Primary, p.Suffix, p.Size, p.CreatedAt, p.UpdatedAt = 1, true, "index.html", "abcdefgh", 48_213, shown, shown
	return publish.ProjectView{Project: p, Addresses: publish.Addresses{URL: "http://" + string(p.ID) + ".localhost/"}, Stats: exhibitStats[i%len(exhibitStats)], Owner: true}
}

func (e exhibit) find(id publish.ProjectID) (publish.ProjectView, error) {
	faults := map[publish.ProjectID]error{
		"down-a1a1a1": publish.Refuse(publish.CodeTakenDown, "down"), "busy-a1a1a1": publish.Refuse(publish.CodeRateLimited, "busy"),
		"broken-a1a1a1": errors.New("broken on purpose"), "later-a1a1a1": publish.ErrUnavailable, "full-a1a1a1": publish.Refuse(publish.CodeStorageFull, "full"),
	}
	for i := range exhibits {
		if exhibits[i].ID == id {
			return e.view(i), nil
		}
	}
	if err, ok := faults[id]; ok {
		return publish.ProjectView{}, err
	}
	return publish.ProjectView{}, publish.ErrNotFound
}

func (e exhibit) Site(_ context.Context, _ publish.Caller, id publish.ProjectID) (publish.Project, error) {
	v, err := e.find(id)
	return v.Project, err
}

func (e exhibit) ProjectPage(_ context.Context, _ publish.Caller, id publish.ProjectID) (gallery.ProjectPage, error) {
	v, err := e.find(id)
	page := gallery.ProjectPage{Project: v.Project, Stats: v.Stats}
	switch id {
	case exhibits[0].ID:
		page.Description = "Guide the boats home before the fog comes in.\n\nArrow keys or touch. The lighthouse is yours."
	case exhibits[2].ID:
		page.Description = strings.Repeat("Straßenverkehrszulassungsordnung", 6) + "\n" + strings.Repeat("Words and words. ", 40)
	case exhibits[5].ID, exhibits[9].ID:
		page.Description = "ابنِ قلعة من الرمال قبل أن يأتي المد! 3 مراحل و10 أبراج، ولا وقت للراحة: الموج لا ينتظر أحدا على هذا الشاطئ!\n\nArrow keys or touch; the tide is yours.\nהחצים או מגע!"
	}
	return page, err
}

func (e exhibit) Counts(_ context.Context, _ publish.Caller, id publish.ProjectID) (publish.Stats, error) {
	v, err := e.find(id)
	return v.Stats, err
}

func (e exhibit) Reportable(ctx context.Context, _ publish.Caller, id publish.ProjectID) (publish.Project, string, error) {
	p, err := e.Site(ctx, publish.Caller{}, id)
	return p, "nonce", err
}

func (exhibit) Report(_ context.Context, _ publish.Caller, in operate.NewReport) (string, error) {
	switch {
	case in.Reason == "":
		return "", publish.Refuse(publish.CodeInvalidField, "no").In("reason")
	case len(in.Details) > operate.MaxDetails:
		return "", publish.Refuse(publish.CodeInvalidField, "no").In("details")
	case in.Contact == "none":
		return "", publish.Refuse(publish.CodeInvalidEmail, "no").In("email")
	}
	return "R-7K3M-9Q2D", nil
}

// shelves are the lists that everybody sees.
func (e exhibit) shelves(cursor string, some ...int) gallery.Page {
	var page gallery.Page
	for _, i := range some {
		v := e.view(i)
		page.Cards = append(page.Cards, gallery.Card{Project: v.Project, Stats: v.Stats})
	}
	if cursor == "" && len(some) > 0 {
		page.Next = "2a"
	}
	return page
}

func (e exhibit) Browse(_ context.Context, _ publish.Caller, by gallery.Sort, cursor string) (gallery.Page, error) {
	if by == gallery.SortLive {
		return gallery.Page{}, nil
	}
	whole := make([]int, 24) // as many as a page has
	for i := range whole {
		whole[i] = i % len(exhibits)
	}
	return e.shelves(cursor, whole...), nil
}

func (e exhibit) Search(_ context.Context, _ publish.Caller, text, cursor string) (gallery.Page, error) {
	if text != "harbor" {
		return gallery.Page{}, nil
	}
	return e.shelves("none", 0), nil
}

func (e exhibit) Profile(_ context.Context, _ publish.Caller, handle, cursor string) (string, gallery.Page, error) {
	switch handle {
	case "ada":
		return handle, e.shelves(cursor, 0, 1, 6), nil
	case longHandle:
		return handle, e.shelves("none", 2), nil
	case "noor":
		return handle, e.shelves("none", 5, 9), nil
	case "nobody":
		return handle, gallery.Page{}, nil
	}
	return "", gallery.Page{}, publish.ErrNotFound
}

// Identify knows ada, the same with an old login, somebody who has just come,
// somebody who has many projects, and somebody for whom everything is long.
func (exhibit) Identify(_ context.Context, presented publish.Presented, from publish.Sender) (publish.Caller, error) {
	s := publish.Session{ID: 1, Account: 1, ProvedAt: time.Now()}
	a := publish.Account{ID: 1, Handle: "ada", Email: "ada@example.com", EmailVerified: true}
	switch presented.Session {
	case "ada":
	case "stale":
		s.ProvedAt = s.ProvedAt.Add(-time.Hour)
	case "new":
		a = publish.Account{ID: 2, Handle: "quiet-meadow"}
	case "many":
		a.ID = 3
	case "long":
		a = publish.Account{ID: 1, Handle: longHandle, Email: longMail, EmailVerified: true}
	default:
		return publish.Caller{}, publish.ErrNotFound
	}
	s.Account = a.ID
	return publish.InSession(s, a, from), nil
}

func (e exhibit) Overview(_ context.Context, by publish.Caller, cursor string) ([]gallery.OverviewRow, string, error) {
	if by.Account() != 1 {
		return nil, "", nil
	}
	var list []gallery.OverviewRow
	for i := range 50 { // as many as a page has
		row := gallery.OverviewRow{ProjectView: e.view(i % len(exhibits)), Days: make([]int64, 30)}
		for day := range row.Days {
			row.Days[day] = int64((day*day*(i+3) + 7*day) % 41 * (i % 4))
		}
		row.Project.Suspended = i == 4
		list = append(list, row)
	}
	return list, "next", nil
}

func (exhibit) Sessions(_ context.Context, by publish.Caller) ([]publish.Session, error) {
	phone := "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
	return []publish.Session{{ID: 1, Account: by.Account(), Agent: firefox, CreatedAt: shown, SeenAt: shown}, {ID: 2, Account: by.Account(), Agent: phone, CreatedAt: shown, SeenAt: shown}}, nil
}

func (exhibit) WithdrawEmail(context.Context, publish.Caller) error { return nil }

func (exhibit) ProposedEmail(_ context.Context, by publish.Caller) (string, error) {
	return map[publish.AccountID]string{2: longMail}[by.Account()], nil
}

func (exhibit) HandleFor(_ context.Context, by publish.Caller, want string) (string, error) {
	if want == "!?" {
		return "", publish.Refuse(publish.CodeInvalidField, "no")
	}
	return longHandle, nil
}

func (exhibit) Rename(context.Context, publish.Caller, string) (string, error) {
	return "", publish.Refuse(publish.CodeInvalidField, "no")
}

func (exhibit) ProposeEmail(context.Context, publish.Caller, string, string) error {
	return publish.Refuse(publish.CodeInvalidEmail, "no")
}

func (exhibit) EmailLink(_ context.Context, by publish.Caller, token string, undo bool) (account.EmailMove, error) {
	if token != "good" {
		return account.EmailMove{}, publish.ErrNotFound
	}
	return account.EmailMove{Account: 1, Handle: "ada", Email: longMail, Undo: undo}, nil
}

func (exhibit) TakeEmail(context.Context, publish.Caller, string) (publish.Account, error) {
	return publish.Account{ID: 9, Handle: longHandle, Email: longMail}, nil
}

func (e exhibit) TakeEmailBack(ctx context.Context, by publish.Caller, token string) (publish.Account, error) {
	return e.TakeEmail(ctx, by, token)
}

// Claim takes a token for what an account has published.
func (e exhibit) Claim(_ context.Context, by publish.Caller, token string) (account.Claim, error) {
	c := account.Claim{Email: longMail, Account: publish.Account{Handle: longHandle, CreatedAt: shown}}
	switch token {
	case "good":
		for i := range exhibits {
			c.Projects = append(c.Projects, e.view(i).Project)
		}
		c.More = true
	case "new":
	default:
		return account.Claim{}, publish.ErrNotFound
	}
	return c, nil
}

func (exhibit) RefuseClaim(context.Context, publish.Caller, string) (publish.Account, string, error) {
	return publish.Account{Handle: longHandle, Email: longMail}, "verify", nil
}

func (exhibit) OldKeys(_ context.Context, by publish.Caller) (int, time.Time, error) {
	id := by.Account()
	return 3 * int(id%2), shown, nil
}

func (e exhibit) ReplaceOldKeys(ctx context.Context, by publish.Caller, nonce string) (publish.Secret, error) {
	return e.RotateKey(ctx, by, nonce)
}

func (e exhibit) Verify(ctx context.Context, by publish.Caller, token string) (publish.Account, error) {
	return publish.Account{Handle: "ada", Email: longMail}, nil
}

// NotMe takes a token for the kind of a message.
func (exhibit) NotMe(_ context.Context, by publish.Caller, token string) (account.NotMe, error) {
	return account.NotMe{Mail: token, Email: longMail}, nil
}

func (exhibit) StopMail(_ context.Context, by publish.Caller, token string) (account.NotMe, error) {
	return account.NotMe{Mail: token, Email: longMail, Stop: publish.Stop{Kind: publish.StopClaims, Until: shown}}, nil
}

func (e exhibit) AllowMail(ctx context.Context, by publish.Caller, token string) (account.NotMe, error) {
	return e.NotMe(ctx, by, token)
}

func (exhibit) Keys(_ context.Context, by publish.Caller, _ int64) ([]publish.Key, int64, error) {
	id := by.Account()
	if id != 1 {
		return []publish.Key{{ID: 1, Kind: publish.AccountKey, LastFour: "Cd34", CreatedAt: shown}}, 0, nil
	}
	return []publish.Key{
		{ID: 3, Kind: publish.ProjectKey, Project: exhibits[0].ID, Name: "Level designer", LastFour: "Ab12", CreatedAt: shown, LastUsedAt: shown},
		{ID: 2, Kind: publish.ProjectKey, Project: exhibits[2].ID, Name: strings.Repeat("Nachtarbeit", 9), LastFour: "zZ09", CreatedAt: shown},
		{ID: 4, Kind: publish.ProjectKey, Project: exhibits[5].ID, Name: hebrewWords, LastFour: "yY18", CreatedAt: shown},
		{ID: 1, Kind: publish.AccountKey, LastFour: "Cd34", CreatedAt: shown, LastUsedAt: shown},
	}, 1, nil
}

func (e exhibit) KeyProjects(_ context.Context, by publish.Caller) (list []publish.Project, more bool, err error) {
	id := by.Account()
	for i := range exhibits {
		if id != 2 {
			list = append(list, e.view(i).Project)
		}
	}
	return list, id == 3, nil
}

func (exhibit) MintKey(_ context.Context, _ publish.Caller, in publish.NewKey) (publish.Secret, error) {
	switch in.Form {
	case "again":
		return "", publish.ErrAlreadyDone
	case "many":
		return "", publish.ErrTooMany
	}
	return newSecret, nil
}

func (e exhibit) RotateKey(ctx context.Context, by publish.Caller, nonce string) (publish.Secret, error) {
	return e.MintKey(ctx, by, publish.NewKey{Form: nonce})
}

func (e exhibit) Manage(_ context.Context, by publish.Caller, id publish.ProjectID) (publish.Managed, error) {
	account := by.Account()
	v, err := e.find(id)
	if account != 1 || err != nil {
		return publish.Managed{}, publish.ErrNotFound
	}
	for _, name := range []string{"index.html", "game.js", "style.css", longName, "音/波.ogg", arabicName} {
		v.Files = append(v.Files, publish.File{Name: name, Blob: publish.Blob{Size: int64(len(name)) * 1234}})
	}
	for i := range 220 {
		if id == manyFiles {
			v.Files = append(v.Files, publish.File{Name: fileAt(i), Blob: publish.Blob{Size: int64(i) * 4321}})
		}
	}
	v.Project.Suspended = id == exhibits[4].ID
	return publish.Managed{ProjectView: v, Details: publish.Details{Title: v.Project.Title, Description: "Guide the boats home."}}, nil
}

func (exhibit) Describe(context.Context, publish.Caller, publish.ProjectID, publish.Details) error {
	return publish.Refuse(publish.CodeInvalidField, "no")
}

func (exhibit) DeleteProject(context.Context, publish.Caller, publish.ProjectID, string) error {
	return publish.Refuse(publish.CodeInvalidField, "no")
}

func (exhibit) Versions(context.Context, publish.Caller, publish.ProjectID, int) ([]publish.VersionChange, int, error) {
	many := make([]string, 15)
	for i := range many {
		many[i] = fmt.Sprintf("levels/%02d.json", i)
	}
	of := func(n int) publish.Version {
		return publish.Version{N: n, Suffix: "abcdefgh", Primary: "index.html", CreatedAt: shown}
	}
	return []publish.VersionChange{
		{Version: of(12), Known: true, Added: many, Changed: []string{"index.html", arabicName, longName}},
		{Version: of(11), Known: true, Changed: []string{"game.js"}, Removed: []string{"old.js"}},
		{Version: of(10), Erased: true},
		{Version: of(9)},
	}, 9, nil
}

func (exhibit) DeleteAccount(_ context.Context, by publish.Caller, typed string) error {
	if typed != "ada" {
		return publish.Refuse(publish.CodeInvalidField, "no")
	}
	return nil
}

func (exhibit) MintPlayerToken(context.Context, publish.Caller) (string, error) { return "v", nil }

func (exhibit) KnowsPlayerToken(context.Context, publish.Caller, string) bool { return false }

func (exhibit) Liked(context.Context, publish.Caller, publish.ProjectID, string) (bool, error) {
	return false, nil
}

func (exhibit) FormToken(context.Context, publish.Caller) (string, error) { return "fresh", nil }

func (exhibit) MintBrowser(context.Context, publish.Caller) (string, error) { return "drawn", nil }

func (exhibit) AskLogin(_ context.Context, _ publish.Caller, in account.LoginInput) (string, error) {
	_, err := publish.CleanEmail(in.Email)
	return "here", err
}

func (exhibit) PendingLogin(_ context.Context, by publish.Caller, browser string) (account.Login, error) {
	if browser != "here" {
		return account.Login{}, publish.ErrNotFound
	}
	return account.Login{Email: longMail, Back: "/account/keys"}, nil
}

func (exhibit) LoginLink(_ context.Context, by publish.Caller, browser, token string) (bool, error) {
	if token != "good" {
		return false, publish.ErrNotFound
	}
	return browser == "here", nil
}

func (exhibit) UseLoginCode(context.Context, publish.Caller, string, string) (bool, error) {
	return false, nil
}

func (e exhibit) LoginChoices(ctx context.Context, by publish.Caller, browser string) (list []account.LoginChoice, err error) {
	accounts, err := e.LoginAccounts(ctx, by, browser)
	for i, a := range accounts {
		c := account.LoginChoice{Account: a}
		switch i {
		case 0:
			c.Projects = []publish.Project{e.view(0).Project, e.view(1).Project, e.view(6).Project}
			c.More = 12
		case 1:
			c.Projects = []publish.Project{e.view(2).Project, e.view(4).Project, e.view(5).Project}
		}
		list = append(list, c)
	}
	return list, err
}

func (exhibit) LoginAccounts(_ context.Context, by publish.Caller, browser string) ([]publish.Account, error) {
	if browser != "here" {
		return nil, publish.ErrNotFound
	}
	return []publish.Account{{ID: 1, Handle: "ada"}, {ID: 2, Handle: longHandle}, {ID: 3, Handle: "quiet-meadow"}}, nil
}
