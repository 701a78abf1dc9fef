package ticket

import "sandlot/internal/domain/publish"

// Told holds the fields of a call besides its bytes, as the client sent them: those of an update if Update is set, and
// of a publish otherwise. They are those of publish.UpdateInput and publish.PublishInput.
type Told struct {
	Update    bool             `json:",omitempty"`
	Project   string           `json:",omitempty"`
	Filename  string           `json:",omitempty"`
	Title     *string          `json:",omitempty"`
	Handle    string           `json:",omitempty"`
	Email     string           `json:",omitempty"`
	Lang      string           `json:",omitempty"`
	IfVersion *int             `json:",omitempty"`
	Declared  publish.Declared // of the file, or of the archive as it is sent
	Archive   string           `json:",omitempty"` // the format of the archive in the bytes; empty for a file
	Replace   bool             `json:",omitempty"`
	Force     bool             `json:",omitempty"`
	Primary   string           `json:",omitempty"`
	DryRun    bool             `json:",omitempty"`
	Tool      bool             `json:",omitempty"` // of a publish: a tool requests the ticket

	About *publish.About `json:",omitempty"`
}

// A Call is the call that the bearer of a ticket may make: exactly one of Publish and Update is set. The holder of the
// bytes adds them to it, and makes it.
type Call struct {
	Publish *publish.PublishInput
	Update  *publish.UpdateInput

	Filename string           // as the client sent it
	Archive  string           // the format of the archive in the bytes, if any
	Declared publish.Declared // of the bytes, also if they are an archive
}

// DryRun reports whether the call only checks the bytes.
func (c Call) DryRun() bool {
	return c.Publish != nil && c.Publish.DryRun || c.Update != nil && c.Update.DryRun
}

func (t Told) publish() publish.PublishInput {
	in := publish.PublishInput{
		Handle: t.Handle, Email: t.Email, Lang: t.Lang, Declared: t.Declared, Primary: t.Primary, DryRun: t.DryRun, Tool: t.Tool,
	}
	if t.Title != nil {
		in.Title = *t.Title
	}
	if t.About != nil {
		in.About = *t.About
	}
	return in
}

func (t Told) update() publish.UpdateInput {
	in := publish.UpdateInput{
		Project: t.Project, Named: true, Filename: t.Filename, Title: t.Title, Email: t.Email, Lang: t.Lang, IfVersion: t.IfVersion,
		Declared: t.Declared, Many: publish.Many{Replace: t.Replace, Primary: t.Primary}, Force: t.Force, DryRun: t.DryRun,
	}
	if t.About != nil {
		in.About = *t.About
	}
	return in
}
