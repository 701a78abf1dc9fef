// Package faults keeps the errors that pages threw in players' browsers, grouped and freed of secrets, and the messages
// of players to the maker. Both are strangers' text on its way to people and models: bounded, and marked as untrusted.
package faults

import (
	"context"
	"log/slog"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

// Bounds of faults and messages.
const (
	MaxReports  = 10 // errors of one call, and of one page
	MaxGroups   = 100
	MaxFeedback = 280 // characters of a message
	Kept        = 30 * 24 * time.Hour
)

// Service holds the rules for faults and messages. Its methods may be called concurrently, and its errors are as those
// of players.Service.
type Service struct {
	Config
}

// Config holds the parts of a Service. All must be set but Log.
type Config struct {
	Store    Store
	Projects Projects
	Limits   *players.Limits
	Now      func() time.Time
	Log      *slog.Logger
}

// Projects returns projects to their owners by any address; *publish.Reader is one.
type Projects interface {
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
}

// A Store keeps faults and messages, under the same promises as a publish.Store.
type Store interface{}

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// Run writes the counted faults every two seconds until ctx ends, and then once more.
func (s *Service) Run(ctx context.Context) { panic("seam") }

// A Report is an error that a page threw.
type Report struct {
	Kind    string // error, rejection, resource, webgl, ready
	Message string
	Source  string // the address of the file
	Line    int
	Column  int
	Stack   string
}

// Report counts errors of a page that was loaded age ago, in a browser with that User-Agent. They are kept within
// seconds; a crash may lose them.
func (s *Service) Report(ctx context.Context, by sandlot.Caller, v players.Visit, agent string, age time.Duration, list []Report) error {
	panic("seam")
}

// A Group holds the equal errors of a version.
type Group struct {
	Version  int
	Kind     string
	Message  string // strangers' text, as Place and Stack are
	Place    string // file:line:column within the project
	Stack    string
	Browsers map[string]int64 // by family: chrome, firefox, safari, edge, other
	Count    int64
	FirstAt  time.Time
	LastAt   time.Time
}

// Errors returns the groups of a version, most frequent first, for the project's owner; version 0 is the current one.
func (s *Service) Errors(ctx context.Context, by sandlot.Caller, ref string, version int) (p sandlot.Project, groups []Group, err error) {
	panic("seam")
}

// After returns the warning that a version of a project threw errors, in one sentence without any text of strangers;
// none if it threw none or by may not read the project's files.
func (s *Service) After(ctx context.Context, by sandlot.Caller, p sandlot.Project, version int) ([]sandlot.Warning, error) {
	panic("seam")
}

// Message keeps a message of a player to the maker.
func (s *Service) Message(ctx context.Context, by sandlot.Caller, v players.Visit, text string) error {
	panic("seam")
}

// A Message of a player.
type Message struct {
	ID      int64
	Version int
	Text    string // strangers' text, as Name is
	Name    string
	Player  string // the player's id; "" if it has none
	At      time.Time
}

// Messages returns the messages of a project, newest first, for its owner, and the cursor of the next page.
func (s *Service) Messages(ctx context.Context, by sandlot.Caller, ref string, limit int, cursor string) (list []Message, next string, err error) {
	panic("seam")
}

// DeleteMessage removes a message, for the project's owner. It is idempotent.
func (s *Service) DeleteMessage(ctx context.Context, by sandlot.Caller, ref string, id int64) error {
	panic("seam")
}
