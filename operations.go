package sandlot

import "slices"

// Op is the operation that a Fix proposes. Each transport prints it in its own language: the API as a call that can be
// pasted, a command line as a command.
type Op string

// The operations a Fix can name.
const (
	OpNone       Op = ""
	OpSame       Op = "same" // the operation of the request, with its own arguments except for the Args, and without the Field at fault
	OpPublish    Op = "publish"
	OpUpdate     Op = "update"
	OpDeleteFile Op = "delete-file"

	OpDeleteProject Op = "delete-project"

	OpSignup     Op = "signup"
	OpRestore    Op = "restore"
	OpProject    Op = "project"
	OpAmend      Op = "amend"
	OpVersions   Op = "versions"
	OpChecks     Op = "checks"
	OpCheck      Op = "check" // open a version on request
	OpFile       Op = "file"
	OpStats      Op = "stats"
	OpTicket     Op = "uploads" // request a ticket
	OpErrors     Op = "errors"  // those of players
	OpFeedback   Op = "feedback"
	OpUnsay      Op = "delete-feedback"
	OpBoards     Op = "boards"
	OpBoard      Op = "board"
	OpRule       Op = "change-board"
	OpDropBoard  Op = "delete-board"
	OpDropPlayer Op = "delete-player"
	OpReport     Op = "report" // of a project, by a trusted reporter
	OpWhoami     Op = "whoami"
	OpExport     Op = "export"
	OpImport     Op = "import"
	OpPresentKey Op = "present-key" // the operation of the request, with the key of an account
	OpEncode     Op = "encode"      // encode the file with a command
	OpPack       Op = "pack"        // pack the folder of the project with a command, and send that archive
	OpRotate     Op = "rotate"      // the key has leaked: mint another, revoke this one
	OpWait       Op = "wait"        // send the same again later
	OpNothing    Op = "nothing"     // no call fixes it; the Note says how to
)

// A FieldType is the type of an argument of an operation.
type FieldType string

// The types of arguments. A List is one of texts, unless its field says otherwise.
const (
	Text   FieldType = "string"
	Number FieldType = "integer"
	Real   FieldType = "number"
	Truth  FieldType = "boolean"
	List   FieldType = "array"
)

// A Field is an argument of an operation.
type Field struct {
	Name     string
	Type     FieldType
	Most     int  // characters of a text, entries of a list, or the highest number; 0: no limit of its own
	Required bool // whether a call without it is refused
}

// An Operation is a kind of call. Every transport, the hints and admission read the table of them, so that a new
// operation is a row here, a method of a Service and its methods of a store.
type Operation struct {
	Op         Op
	Action     Action  // the action that Authorize decides about before a body is read, if Admits
	Admits     bool    // whether a caller without the right is refused before the body
	Cost       string  // the name of its cost in admission
	Fields     []Field // its arguments, except for the bytes of files and a project that the address names
	Bytes      bool    // whether it brings the bytes of files
	Chooses    bool    // whether its arguments choose the project that it changes
	OfProject  bool    // whether it reads one project, and has no other argument
	Repeatable bool    // whether it can be sent again under an idempotency key, and has its effect once
	Example    []Arg   // a call that works as it stands, except for the bytes
}

// The fields that several operations take.
var (
	ofProject = Field{Name: "project_id", Type: Text, Most: 1024, Required: true}
	ofFile    = Field{Name: "filename", Type: Text, Most: 512, Required: true}
	ofOwner   = []Field{{Name: "email", Type: Text, Most: 254}, {Name: "lang", Type: Text, Most: 35}}
	ofGuard   = Field{Name: "if_version", Type: Number}
	// ofProjects are the fields that describe a project.
	ofProjects = []Field{
		{Name: "title", Type: Text, Most: 200},
		{Name: "description", Type: Text, Most: 1000},
		{Name: "tags", Type: List, Most: 5},
		{Name: "listed", Type: Truth},
		{Name: "threads", Type: Truth},
	}
	// ofBytes declare and describe the files of a call.
	ofBytes = []Field{
		{Name: "sha256", Type: Text, Most: 64},
		{Name: "size", Type: Number},
		{Name: "primary_file", Type: Text, Most: 512},
		{Name: "archive_format", Type: Text},
	}
	ofTrees = []Field{{Name: "replace", Type: Truth}, {Name: "force", Type: Truth}}
	ofDry   = Field{Name: "dry_run", Type: Truth}
	// ofParts place a call in an upload of several, with all names of the total.
	ofParts = []Field{
		{Name: "upload_id", Type: Text, Most: 128},
		{Name: "part", Type: Number, Most: 10_000},
		{Name: "total_parts", Type: Number, Most: 10_000},
		{Name: "last", Type: Truth},
		{Name: "parts", Type: Number, Most: 10_000},
		{Name: "total", Type: Number, Most: 10_000},
		{Name: "total_chunks", Type: Number, Most: 10_000},
	}
	ofHandle = Field{Name: "handle", Type: Text, Most: 40}
	// ofChanges change files that the project has. Each of edits is an object of texts: filename, old and new.
	ofChanges = []Field{{Name: "edits", Type: List, Most: 100}, {Name: "delete", Type: List, Most: 1000}}
)

func fields(lists ...[]Field) []Field { return slices.Concat(lists...) }

// optional returns the fields, none of them required.
func optional(list ...Field) []Field {
	out := slices.Clone(list)
	for i := range out {
		out[i].Required = false
	}
	return out
}

// Operations has a row for each operation. It never changes.
var Operations = []Operation{
	{
		Op: OpPublish, Action: ActPublish, Admits: true, Cost: "publish", Bytes: true, Repeatable: true,
		Fields:  fields(ofProjects, ofOwner, []Field{ofHandle}, ofBytes, []Field{ofDry}, ofParts),
		Example: []Arg{{"title", "Sky Hopper"}, {"email", "ada@example.com"}},
	},
	{
		Op: OpUpdate, Action: ActEdit, Admits: true, Cost: "update", Bytes: true, Chooses: true, Repeatable: true,
		Fields:  fields([]Field{ofProject, ofFile}, ofProjects, ofOwner, []Field{ofGuard}, ofChanges, ofBytes, ofTrees, []Field{ofDry}, ofParts),
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"filename", "index.html"}},
	},
	{
		Op: OpDeleteFile, Action: ActEdit, Admits: true, Cost: "delete file", Chooses: true, Repeatable: true,
		Fields:  fields([]Field{ofProject, ofFile}, ofOwner, []Field{ofGuard}),
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"filename", "old.js"}},
	},
	{
		Op: OpRestore, Action: ActEdit, Admits: true, Cost: "update", Chooses: true, Repeatable: true,
		Fields:  []Field{ofProject, {Name: "version", Type: Number, Required: true}, ofGuard},
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"version", 2}},
	},
	{
		Op: OpAmend, Action: ActSettle, Admits: true, Cost: "update",
		Fields: fields(ofProjects, []Field{
			{Name: "runtime", Type: Text, Most: 4},
			{Name: "lang", Type: Text, Most: 35},
			{Name: "primary_file", Type: Text, Most: 512},
			ofGuard,
		}),
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"title", "Sky Hopper 2"}},
	},
	{
		Op: OpDeleteProject, Action: ActDeleteProject, Admits: true, Cost: "update",
		Fields:  []Field{{Name: "confirm", Type: Text}},
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"confirm", "sky-hopper-7k2m9p"}},
	},
	{
		Op: OpTicket, Cost: "ticket", Chooses: true,
		Fields:  fields(optional(ofProject, ofFile), ofProjects, ofOwner, []Field{ofHandle, ofGuard}, ofBytes, ofTrees, []Field{ofDry}),
		Example: []Arg{{"title", "Sky Hopper"}, {"email", "ada@example.com"}},
	},
	{
		Op: OpSignup, Cost: "signup", Repeatable: true,
		Fields:  fields([]Field{ofHandle}, ofOwner),
		Example: []Arg{{"handle", "ada"}},
	},
	{
		Op: OpReport, Cost: "report",
		Fields: []Field{
			{Name: "project", Type: Text, Most: 2000, Required: true},
			{Name: "reason", Type: Text, Most: 20, Required: true},
			{Name: "details", Type: Text, Most: 4000},
			{Name: "contact", Type: Text, Most: 254},
		},
		Example: []Arg{{"project", "https://sky-hopper-7k2m9p.example.net/"}, {"reason", "deceptive"}},
	},
	{
		Op: OpProject, Cost: "look", OfProject: true,
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}},
	},
	{
		Op: OpVersions, Action: ActReadFiles, Admits: true, Cost: "look", OfProject: true,
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}},
	},
	{Op: OpChecks, Action: ActReadFiles, Admits: true, Cost: "look", OfProject: true, Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}}},
	{
		Op: OpCheck, Action: ActReadFiles, Admits: true, Cost: "check",
		// Each of inputs is an object: key and ms, tap and ms, or wait.
		Fields: []Field{
			{Name: "version", Type: Number},
			{Name: "inputs", Type: List, Most: 50},
			{Name: "probe", Type: List, Most: 10},
			{Name: "seconds", Type: Number, Most: 10},
		},
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"seconds", 5}},
	},
	{Op: OpStats, Cost: "look", OfProject: true, Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"by", "day"}}},
	{Op: OpBoards, Action: ActReadFiles, Admits: true, Cost: "look", OfProject: true, Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}}},
	{
		Op: OpBoard, Action: ActReadFiles, Admits: true, Cost: "look",
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"board", "main"}},
	},
	{
		Op: OpRule, Action: ActSettle, Admits: true, Cost: "update",
		Fields: []Field{
			{Name: "min", Type: Real},
			{Name: "max", Type: Real},
			{Name: "min_seconds", Type: Number, Most: 3600},
			{Name: "reset", Type: Truth},
			{Name: "remove", Type: List, Most: 100},
		},
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"board", "main"}, {"max", 100000}},
	},
	{
		Op: OpDropBoard, Action: ActSettle, Admits: true, Cost: "update",
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"board", "main"}},
	},
	{
		Op: OpDropPlayer, Action: ActSettle, Admits: true, Cost: "update",
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"player", "4t8x1q7k2m"}},
	},
	{Op: OpErrors, Action: ActReadFiles, Admits: true, Cost: "look", OfProject: true, Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}}},
	{Op: OpFeedback, Action: ActReadFiles, Admits: true, Cost: "look", OfProject: true, Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}}},
	{
		Op: OpUnsay, Action: ActSettle, Admits: true, Cost: "update",
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"feedback", 12}},
	},
	{
		Op: OpFile, Action: ActReadFiles, Admits: true, Cost: "look",
		Example: []Arg{{"project_id", "sky-hopper-7k2m9p"}, {"filename", "index.html"}},
	},
	{Op: OpWhoami, Action: ActReadAccount, Admits: true, Cost: "look"},
	{Op: OpExport, Action: ActReadAccount, Admits: true, Cost: "export"},
	{Op: OpImport, Action: ActImport, Admits: true, Cost: "publish", Repeatable: true},
}

// Row returns the row of an operation, or an empty one if there is none: for OpNone and for fixes that are no
// operation.
func (op Op) Row() Operation {
	i := slices.IndexFunc(Operations, func(o Operation) bool { return o.Op == op })
	if i < 0 {
		return Operation{}
	}
	return Operations[i]
}

// Names returns the names of the fields, in their order.
func (o Operation) Names() []string {
	list := make([]string, len(o.Fields))
	for i, f := range o.Fields {
		list[i] = f.Name
	}
	return list
}
