package admission

import (
	"fmt"
	"slices"
)

// Operation is the operation that a request performs. Each route of each transport names one. The zero Operation is
// none, and no request is admitted with it.
type Operation uint8

// The operations.
const (
	_            Operation = iota
	Look                   // reads something, or sends a small form about the caller's own account
	Publish                // makes a project from a body; for nobody, an account with it
	Update                 // changes a project by a body
	DeleteFile             // deletes a file, named in a body
	Signup                 // makes an account
	Upload                 // brings files in a form of the website
	Export                 // has an archive sent
	Mail                   // has a message sent; alone, or in addition to another operation by Grant.Also
	EnterCode              // tries the code of a login: see Limits.Guess
	Search                 // looks for projects by words
	Like                   // likes a project, or takes that back
	Report                 // reports a project
	Heartbeat              // says that somebody plays
	Ticket                 // requests a ticket to publish or update with; for nobody, one that may make an account
	Watch                  // watches a project's numbers: its streams have Slots of their own
	Draw                   // has a picture drawn that is not kept; only by Grant.Also
	Compare                // compares two versions of a file
	Fetch                  // reads a stored picture, script or count
	Tokens                 // requests or ends tokens, or requests the code by which a person lets a program in
	PlayerRead             // reads the data of players of a project
	PlayerWrite            // stores data of a player
	Check                  // opens a version in a browser
	PlayerReport           // reports errors of a page, or sends a message to its maker
	operations
)

// terms are the charges of an operation to its caller's limits.
type terms struct {
	name     string
	cost     int64  // in units of work, without those of Grant.Work: more than the worst case takes (TestSoakRegressionM32...)
	counts   []kind // it takes one of each of these limits
	body     bool   // it takes a slot while its body is received, one write, and the cost of its bytes
	accounts bool   // it may make an account if its caller is nobody
	archive  bool   // it takes one of the archives that are sent to an account at once
}

// termsOf has the terms of each operation. It never changes.
var termsOf = [operations]terms{
	Look:       {name: "look", cost: 10},
	Publish:    {name: "publish", cost: 20, body: true, accounts: true},
	Update:     {name: "update", cost: 20, body: true},
	DeleteFile: {name: "delete file", cost: 20, body: true},
	Signup:     {name: "signup", cost: 20, body: true, accounts: true},
	Upload:     {name: "upload", cost: 20, body: true},
	Export:     {name: "export", cost: 50, counts: []kind{downloads}, archive: true},
	Mail:       {name: "mail", cost: 20, counts: []kind{mails}},
	EnterCode:  {name: "enter code", cost: 20},
	Search:     {name: "search", cost: 30, counts: []kind{searches}},
	Like:       {name: "like", cost: 10, counts: []kind{likes}},
	Report:     {name: "report", cost: 20, counts: []kind{reports}},
	Heartbeat:  {name: "heartbeat", cost: 1, counts: []kind{heartbeats}},
	Ticket:     {name: "ticket", cost: 20, body: true, accounts: true},
	Watch:      {name: "watch", cost: 10},
	Draw:       {name: "draw", cost: 2000},
	Compare:    {name: "compare", cost: 1500},
	Fetch:      {name: "fetch", cost: 1},
	Check:      {name: "check", cost: 200, body: true},
	Tokens:     {name: "tokens", cost: 20, counts: []kind{writes}},

	PlayerRead:   {name: "player read", cost: 10, counts: []kind{playerReads}},
	PlayerWrite:  {name: "player write", cost: 20, counts: []kind{playerWrites}},
	PlayerReport: {name: "player report", cost: 10, counts: []kind{playerReports}},
}

// String returns the operation's name.
func (op Operation) String() string {
	if !op.Known() {
		return fmt.Sprintf("operation %d", uint8(op))
	}
	return termsOf[op].name
}

// Named returns the operation of a name, and none for an unknown name.
func Named(name string) Operation {
	i := slices.IndexFunc(termsOf[:], func(t terms) bool { return t.name == name })
	return Operation(max(i, 0))
}

// Known reports whether the operation exists.
func (op Operation) Known() bool { return op > 0 && op < operations }

// Free reports whether the operation counts against no limit but that of work.
func (op Operation) Free() bool {
	return op.Known() && !termsOf[op].body && !termsOf[op].archive && len(termsOf[op].counts) == 0
}
