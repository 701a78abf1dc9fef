package api

import (
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

type stats struct {
	PlayerCount int   `json:"player_count"`
	Plays       int64 `json:"plays"`
	Likes       int64 `json:"likes"`
}

func newStats(s sandlot.Stats) stats { return stats{s.Players, s.Plays, s.Likes} }

type statsAnswer struct {
	ProjectID string `json:"project_id"`
	stats
	AsOf time.Time `json:"as_of"`
}

// projectInfo holds the public facts of a project, and those that only its owner sees.
type projectInfo struct {
	ProjectID string `json:"project_id"`
	Title     text   `json:"title"`
	Handle    string `json:"handle"`
	addresses
	Lang        text     `json:"lang"`
	Tags        []string `json:"tags"`
	PrimaryFile string   `json:"primary_file"`
	Version     int      `json:"version"`
	Size        int64    `json:"size"`
	FileCount   int      `json:"file_count"`
	CreatedAt   moment   `json:"created_at"`
	UpdatedAt   moment   `json:"updated_at"`
	Stats       stats    `json:"stats"`
	Status      string   `json:"status"`
	*ownerInfo
	*aboutInfo
}

type ownerInfo struct {
	VersionURL text `json:"version_url"`
	keptBack
}

// keptBack holds the reasons why others do not see a project, for its owner.
type keptBack struct {
	Quarantined    bool      `json:"quarantined"`
	QuarantineEnds string    `json:"quarantine_ends,omitempty"`
	Held           *heldInfo `json:"held"` // null: it is not held
}

// quarantineEnds names the acts that end a quarantine.
const quarantineEnds = "the verification of the email address of the account, or the operator's trust in it"

func newKeptBack(p sandlot.Project, at sandlot.Addresses, quarantined bool) keptBack {
	k := keptBack{Quarantined: quarantined, Held: newHeld(p, at)}
	if quarantined {
		k.QuarantineEnds = quarantineEnds
	}
	return k
}

type heldInfo struct {
	Rule    string `json:"rule"`
	Since   moment `json:"since"`
	Ends    string `json:"ends"`
	ViewURL text   `json:"view_url"`
}

func newHeld(p sandlot.Project, at sandlot.Addresses) *heldInfo {
	if p.Held.Rule == sandlot.NotHeld {
		return nil
	}
	return &heldInfo{string(p.Held.Rule), moment(p.Held.At), p.Held.Rule.Ends(), text(at.Version)}
}

type endedHold struct {
	Rule  string `json:"rule"`
	Since moment `json:"since"`
	Ended moment `json:"ended"`
}

// aboutInfo holds the owner's settings of a project.
type aboutInfo struct {
	Description text   `json:"description"`
	Listed      bool   `json:"listed"`
	Threads     bool   `json:"threads"`
	Runtime     string `json:"runtime"`

	LastHold *endedHold `json:"last_hold"` // null: none has ended
}

func newProject(v publish.ProjectView) projectInfo {
	p, tags := v.Project, append([]string{}, v.Project.Tags.List()...)
	out := projectInfo{
		string(p.ID), text(p.Title), p.Handle, newAddresses(v.Addresses), text(p.Lang), tags, p.Primary, p.Version, p.Size,
		p.FileCount, moment(p.CreatedAt), moment(p.UpdatedAt), newStats(v.Stats), status(p.Suspended), nil, nil,
	}
	if v.Owner {
		out.ownerInfo = &ownerInfo{text(v.Addresses.Version), newKeptBack(p, v.Addresses, v.Quarantined)}
	}
	if v.About != nil {
		out.aboutInfo = &aboutInfo{text(v.About.Description), !v.About.Unlisted, v.About.Threads, p.Runtime.Word(), nil}
		if last := v.LastHold; last != nil {
			out.LastHold = &endedHold{string(last.Rule), moment(last.At), moment(last.Ended)}
		}
	}
	return out
}

// status returns the status of an account or a project: active or suspended.
func status(suspended bool) string {
	if suspended {
		return "suspended"
	}
	return "active"
}

type keyInfo struct {
	Kind       string `json:"kind"`
	Name       text   `json:"name"`
	ProjectID  string `json:"project_id,omitempty"`
	CreatedAt  moment `json:"created_at"`
	LastUsedAt moment `json:"last_used_at"`
}

// emailInfo holds the account's address; it is left out for a project key, which covers a project, not its owner.
type emailInfo struct {
	Email         text `json:"email"`
	EmailVerified bool `json:"email_verified"`
}

type identityAnswer struct {
	Handle string `json:"handle"`
	*emailInfo
	Status     string        `json:"status"`
	CreatedAt  moment        `json:"created_at"`
	Key        keyInfo       `json:"key"`
	Projects   []projectInfo `json:"projects"`
	NextCursor text          `json:"next_cursor"`
	notes
}

func newIdentity(who publish.Identity) *identityAnswer {
	a, k := who.Account, who.Key
	out := &identityAnswer{
		Handle: a.Handle, Status: status(a.Suspended), CreatedAt: moment(a.CreatedAt), NextCursor: text(who.Next),
		Projects: make([]projectInfo, 0, len(who.Projects)), notes: notes{who.Warnings},
		Key: keyInfo{string(k.Kind), text(k.Name), string(k.Project), moment(k.CreatedAt), moment(k.LastUsedAt)},
	}
	if k.Kind == sandlot.AccountKey {
		out.emailInfo = &emailInfo{text(a.Email), a.EmailVerified}
	}
	for _, p := range who.Projects {
		out.Projects = append(out.Projects, newProject(p))
	}
	return out
}
